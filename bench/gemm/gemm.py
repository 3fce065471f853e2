"""The GEMM that tskc generates beside cuBLAS, on a GPU machine with nvcc and PyTorch.

    tskc samples/gemm/gemm.tsk -o FOLDER/gemm.tsk.cu      # where tskc is
    python3 bench/gemm/gemm.py FOLDER INCLUDE             # where the GPU is

INCLUDE is the folder that holds `tsk/device.cuh`: `include` of an install tree (`./dev install PREFIX`). Outputs
are poisoned and followed by a guard zone; every shape is compared with float64.
"""
import ctypes
import pathlib
import subprocess
import sys

import torch

from measure import TIMED, matrices, measure, report

CHECKED = [(1, 8, 8), (129, 264, 72), (128, 256, 64), (512, 768, 512), (1000, 1032, 520), (2304, 2304, 832),
           (4096, 4096, 4096), (8192, 8192, 1024)]
GUARD = 4096  # elements behind the output

WRAPPER = """
#include "gemm.tsk.h"
#include <cstdio>
extern "C" int launch(void *a, void *b, void *d, int m, int n, int k, void *stream) {
  kernels::gemm_args args{};
  args.A = static_cast<const tsk::bf16 *>(a);
  args.B = static_cast<const tsk::bf16 *>(b);
  args.D = static_cast<tsk::bf16 *>(d);
  args.M = m;
  args.N = n;
  args.K = k;
  const auto status = kernels::gemm(args, static_cast<cudaStream_t>(stream));
  if (!status.ok())
    std::fprintf(stderr, "%s\\n", status.message().c_str());
  return !status.ok();
}
"""


def build(folder, include):
    wrapper, library = folder / "wrapper.cu", folder / "libgemm.so"
    wrapper.write_text(WRAPPER)
    log = subprocess.run(["nvcc", "-std=c++17", "-O3", "-gencode=arch=compute_90a,code=sm_90a", "-Xptxas", "-v",
                          "-Xcompiler", "-fPIC", "-shared", f"-I{folder}", f"-I{include}", "-o", str(library),
                          str(wrapper), str(folder / "gemm.tsk.cu")], capture_output=True, text=True)
    if log.returncode:
        sys.exit(log.stderr)
    for line in log.stderr.splitlines():
        if "C75" in line or "spill" in line or "registers" in line:
            print(line.strip())
    return ctypes.CDLL(str(library))


def runner(library):
    def run(a, b, d):
        stream = torch.cuda.current_stream().cuda_stream
        pointers = [ctypes.c_void_p(t.data_ptr()) for t in (a, b, d)]
        if library.launch(*pointers, a.shape[0], b.shape[0], a.shape[1], ctypes.c_void_p(stream)):
            sys.exit("the launch failed")
    return run


def check(run):
    for m, n, k in CHECKED:
        a, b, _ = matrices(m, n, k, 1)[0]
        padded = torch.full((m * n + GUARD,), float("nan"), device="cuda", dtype=torch.bfloat16)
        d = padded[:m * n].view(m, n)
        run(a, b, d)
        torch.cuda.synchronize()
        want = a.double() @ b.double().t()
        error = float((d.double() - want).norm() / want.norm())
        if not error < 4e-3 or not bool(torch.isnan(padded[m * n:]).all()):
            sys.exit(f"{m}x{n}x{k}: relative error {error}, or a write behind the output")
        first = d.clone()
        for _ in range(20):
            d.fill_(0)
            run(a, b, d)
            if not torch.equal(d, first):
                sys.exit(f"{m}x{n}x{k}: two launches differ")
        print(f"{m}x{n}x{k}: relative error {error:.2e}")


def main():
    folder, include = pathlib.Path(sys.argv[1]), sys.argv[2]
    run = runner(build(folder, include))
    check(run)
    for m, n, k in TIMED:
        candidates = {"cuBLAS": lambda a, b, d: torch.matmul(a, b.t(), out=d), "tskc": run}
        report((m, n, k), measure(candidates, matrices(m, n, k, 2)))


if __name__ == "__main__":
    main()
