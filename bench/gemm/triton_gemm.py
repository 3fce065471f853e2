"""A persistent GEMM with TMA in Triton, as its users write it: D = A * B^T, bf16, tiles of 128x256x64."""
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

ROWS, COLUMNS, DEPTH, GROUP = 128, 256, 64, 8


@triton.jit
def kernel(a, b, d, m, n, k, rows: tl.constexpr, columns: tl.constexpr, depth: tl.constexpr, group: tl.constexpr,
           programs: tl.constexpr):
    high, wide = tl.cdiv(m, rows), tl.cdiv(n, columns)
    for tile in tl.range(tl.program_id(0), high * wide, programs, flatten=True):
        first = tile // (group * wide) * group
        height = min(high - first, group)
        row = (first + tile % height) * rows
        column = tile % (group * wide) // height * columns
        sums = tl.zeros((rows, columns), dtype=tl.float32)
        for step in range(tl.cdiv(k, depth)):
            sums = tl.dot(a.load([row, step * depth]), b.load([column, step * depth]).T, sums)
        halves = tl.permute(tl.reshape(sums, (rows, 2, columns // 2)), (0, 2, 1))
        left, right = tl.split(halves)
        d.store([row, column], left.to(d.dtype))
        d.store([row, column + columns // 2], right.to(d.dtype))


def descriptor(tensor, rows, columns):
    return TensorDescriptor(tensor, list(tensor.shape), [tensor.stride(0), 1], [rows, columns])


def candidate():
    processors = torch.cuda.get_device_properties(0).multi_processor_count
    made = {}  # a descriptor costs host time, which a graph would not show: made once a set of operands

    def run(a, b, d):
        key = (a.data_ptr(), b.data_ptr(), d.data_ptr())
        if key not in made:
            made[key] = (descriptor(a, ROWS, DEPTH), descriptor(b, COLUMNS, DEPTH), descriptor(d, ROWS, COLUMNS // 2))
        (m, k), n = a.shape, b.shape[0]
        programs = min(processors, triton.cdiv(m, ROWS) * triton.cdiv(n, COLUMNS))
        kernel[(programs,)](*made[key], m, n, k, ROWS, COLUMNS, DEPTH, GROUP, programs, num_stages=3, num_warps=8)
    return run
