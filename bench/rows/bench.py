"""Checks and times softmax and sums of rows: bench.py LIBRARY [check | small]

Beside each kernel: PyTorch, eager and compiled, and a cudaMemcpyAsync that moves as many bytes. `small` is for
compute-sanitizer: each kernel once on small shapes.

Plain launches, not a CUDA graph (whose memcpy node is slower than a launched one). The GPU spins while a slice is queued, so
that no candidate waits for the host. Slices of 5 ms after a rest, every candidate in each round in a new order; ratios are of
two times of one round.
"""
import ctypes
import math
import random
import statistics
import sys
import time

import torch

from cases import CHECKED, FORMS, SHAPES, extremes, inputs
from measure import elapsed, ratio

GUARD, LAUNCHES, ROUNDS, SETS = 4096, 20, 7, 3
SLICE_MS, REST_S, SPIN_CYCLES = 5.0, 0.02, 20_000_000


class Kernel:
    def __init__(self, code, line):
        self.name, form, self.element, widest = line.split()
        self.form, self.step = ("softmax", 256) if form == "softmax_ring" else (form, 1)
        self.widest = int(widest) or math.inf
        self.function = getattr(code, f"{self.name}_run")
        self.scratch = torch.empty(1 << 16, device="cuda")

    def takes(self, cols):
        return cols <= self.widest and cols % self.step == 0

    def __call__(self, x, y):
        error = self.function(*(ctypes.c_void_p(t.data_ptr()) for t in (x, y, self.scratch)), *x.shape,
                              ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
        if error:
            raise RuntimeError(f"{self.name}: error {error}")


def kernels(path):
    code = ctypes.CDLL(path)
    code.kernel_table.restype = ctypes.c_char_p

    def copy(x, y, size):
        if code.copy_run(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), ctypes.c_size_t(size),
                         ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)):
            raise RuntimeError("cudaMemcpyAsync failed")
    return [Kernel(code, line) for line in code.kernel_table().decode().splitlines()], copy


def is_right(kernel, x, launches):
    """As accurate as PyTorch, the same bits each time, nothing written behind the result; says the errors."""
    form = FORMS[kernel.form]
    y, guard = form.output(x, GUARD)
    kernel(x, y)
    first, differing = y.clone(), 0
    for _ in range(launches):
        y.fill_(math.nan)
        kernel(x, y)
        differing += not torch.equal(y.view(torch.uint8), first.view(torch.uint8))
    own, theirs = form.error(x, first), form.error(x, form.run(x))
    right = own <= 1.5 * theirs + 2e-7 and not differing and bool(torch.isnan(guard).all())
    return right, f"error {own:.2e} (torch {theirs:.2e}), {differing} of {launches} launches differ"


def has_same_extremes(kernel, rows, cols):
    """What is no number is none in PyTorch's result, and the rest is close."""
    x = extremes(rows, cols, kernel.element)
    form = FORMS[kernel.form]
    y, _ = form.output(x)
    kernel(x, y)
    want = form.run(x).view(y.shape)
    return torch.allclose(y.float(), want.float(), rtol=1e-2, atol=1e-6, equal_nan=True)


def check(all_kernels, launches):
    wrong = 0
    for kernel in all_kernels:
        for rows, cols in CHECKED + ([SHAPES[0]] if launches > 1 else []):
            if not kernel.takes(cols):
                continue
            right, words = is_right(kernel, inputs(rows, cols, kernel.element, rows + cols), launches)
            right &= kernel.form != "softmax" or has_same_extremes(kernel, rows, cols)
            wrong += not right
            if not right or (rows, cols) in ((66, 4099), (129, 1024), SHAPES[0]):
                print(f"{kernel.name} {rows}x{cols}: {words}{'' if right else ' WRONG'}", flush=True)
    return wrong


def measure(candidates, sets):
    """Milliseconds a call of each candidate, one a round."""
    for run in candidates.values():
        for each in sets:
            run(*each)
    torch.cuda.synchronize()
    # By one time for all of them: a quarter more or less does not matter.
    some = next(iter(candidates.values()))
    calls = min(900, math.ceil(SLICE_MS / elapsed(lambda: [some(*each) for each in sets]) * len(sets)))
    times = {name: [] for name in candidates}
    for number in range(-1, ROUNDS):  # one to warm up
        order = list(candidates)
        random.Random(number).shuffle(order)
        for name in order:
            time.sleep(REST_S)
            torch.cuda._sleep(SPIN_CYCLES)
            milliseconds = elapsed(lambda: [candidates[name](*sets[i % len(sets)]) for i in range(calls)]) / calls
            if number >= 0:
                times[name].append(milliseconds)
    return times


def report(shape, element, form, times, size):
    rows, cols = shape
    print(f"\n{form} {element} {rows}x{cols}", flush=True)
    for name, own in times.items():
        rate = size / statistics.median(own) * 1e-6
        ratios = ", ".join(f"{other} / this {ratio(times, name, other)}" for other in times
                           if other in ("memcpy", "eager", "compiled") and other != name)
        print(f"  {name:22s} {rate:6.0f} GB/s  {ratios}", flush=True)


def time_all(all_kernels, copy, shapes):
    for form_name, form in FORMS.items():
        compiled = torch.compile(form.run, dynamic=False)
        for element in ("bf16", "f32"):
            for rows, cols in shapes if form.has_rows else shapes[:1]:
                torch._dynamo.reset()
                sets = [(x, form.output(x)[0]) for x in (inputs(rows, cols, element, seed) for seed in range(SETS))]
                size = form.bytes_moved(sets[0][0])
                scratch = torch.empty(size // 2, device="cuda", dtype=torch.uint8)
                own = {k.name: k for k in all_kernels if (k.form, k.element) == (form_name, element) and k.takes(cols)}
                candidates = own | {"memcpy": lambda x, y: copy(x, scratch, size // 2), "eager": lambda x, y: form.run(x),
                                    "compiled": lambda x, y: compiled(x)}
                report((rows, cols), element, form_name, measure(candidates, sets), size)


def main(path, *only):
    all_kernels, copy = kernels(path)
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    wrong = check(all_kernels, 1 if only == ("small",) else LAUNCHES)
    if not only:
        time_all(all_kernels, copy, SHAPES)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
