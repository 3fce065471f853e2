"""Checks and times the generated GEMMs beside others: bench.py LIBRARY [check | small]

`small` is for compute-sanitizer: a few small shapes once.

Beside it: the hand-written kernel of the same schedule, cuBLAS (torch.matmul), each of the eight algorithms that
cublasLt's heuristic proposes, and Triton's persistent kernel with TMA where Triton is installed. measure.py says how.
"""
import ctypes
import statistics
import sys

import torch

from measure import TIMED, cublas, measure, operands, report, result_of

CHECKED = [(1, 8, 8), (129, 264, 72), (128, 256, 64), (256, 256, 256), (512, 768, 512), (1000, 1032, 520),
           (384, 2048, 1984), (2304, 2304, 832), (4096, 4096, 4096), (8192, 8192, 1024)]
GUARD = 4096  # elements behind the output
LAUNCHES = 200
KINDS = {"f16": torch.float16, "f8e4m3": torch.float8_e4m3fn, "tf32": torch.float32}  # beside bf16
ALGORITHMS = 8


class Library:
    def __init__(self, path):
        self.code = ctypes.CDLL(path)

    def candidate(self, name, *first):
        function = getattr(self.code, name)

        def run(a, b, d):
            error = function(*first, *(ctypes.c_void_p(t.data_ptr()) for t in (a, b, d)), a.shape[0], b.shape[0],
                             a.shape[1], ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
            if error:
                raise RuntimeError(f"{name}: error {error}")
        return run

    def generated(self, of_element):
        """Of `squares`, which all are called alike."""
        self.code.generated_table.restype = ctypes.c_char_p
        lines = (line.split() for line in self.code.generated_table().decode().splitlines())
        return {f"tskc {name}": self.candidate(f"{name}_gemm") for name, _, element, bench in lines
                if (element, bench) == (of_element, "squares")}

    def algorithms(self, m, n, k):
        return self.code.cublaslt_plan(m, n, k, ALGORITHMS)


def relative_error(run, a, b, d):
    run(a, b, d)
    want = a.double() @ b.double().t()
    return ((d.double() - want).norm() / want.norm()).item()


def check(candidates, shapes, launches, kind=torch.bfloat16):
    wrong = 0
    for m, n, k in shapes:
        if kind.itemsize == 1 and (n % 16 or k % 16):  # cublasLt does not take it
            continue
        if kind == torch.float32 and m == 1:  # cuBLAS does not take the tensor cores
            continue
        a, b, reference = operands(m, n, k, m + n + k, kind)
        blas = relative_error(cublas, a, b, reference)
        for name, run in candidates.items():
            padded = torch.full((m * n + GUARD,), float("nan"), device="cuda", dtype=result_of(kind))
            d = padded[:m * n].view(m, n)
            error = relative_error(run, a, b, d)
            first, differing = d.clone(), 0
            for _ in range(launches if name.startswith("tskc") else 1):
                d.fill_(float("nan"))
                run(a, b, d)
                differing += not torch.equal(d, first)
            is_right = error < 1.02 * blas + 1e-6 and not differing and bool(torch.isnan(padded[m * n:]).all())
            wrong += not is_right
            print(f"{m}x{n}x{k} {name}: relative error {error:.3e} (cuBLAS {blas:.3e}), {differing} launches differ"
                  f"{'' if is_right else ' WRONG'}", flush=True)
    return wrong


def triton_candidate():
    try:
        from triton_gemm import candidate
        return {"Triton": candidate()}
    except ImportError as missing:
        print(f"skipped: no Triton ({missing})")
        return {}


def best_algorithm(times):
    """The one whose median is lowest stands for cublasLt; the others are dropped from the table."""
    algorithms = [name for name in times if name.startswith("cublasLt")]
    best = min(algorithms, key=lambda name: statistics.median(times[name]))
    return {("best of cublasLt" if name == best else name): own for name, own in times.items()
            if name == best or name not in algorithms}


def main(path, *only):
    library = Library(path)
    own = library.generated("bf16") | {"hand": library.candidate("hand_gemm"),
                                       "hand pairs": library.candidate("hand_gemm_cluster"),
                                       "hand lap": library.candidate("hand_gemm_lap")}
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    shapes, launches = (CHECKED[:6], 1) if only == ("small",) else (CHECKED, LAUNCHES)
    torch.backends.cuda.matmul.allow_tf32 = True
    wrong = check(own, shapes, launches)
    wrong += sum(check(library.generated(name), shapes, launches, kind) for name, kind in KINDS.items())
    for m, n, k in [] if only else TIMED:
        candidates = own | {"cuBLAS": cublas} | triton_candidate()
        for i in range(library.algorithms(m, n, k)):
            candidates[f"cublasLt {i}"] = library.candidate("cublaslt_gemm", i)
        times = measure(candidates, [operands(m, n, k, seed) for seed in (1, 2)])
        report((m, n, k), best_algorithm(times), ("cuBLAS", "hand", "hand pairs", "hand lap"))
    for name, kind in [] if only else KINDS.items():
        others = {"cuBLAS": cublas} | (triton_candidate() if name == "f16" else {})
        for m, n, k in TIMED:
            sets = [operands(m, n, k, seed, kind) for seed in (1, 2)]
            report((m, n, k), measure(library.generated(name) | others, sets), title=f"{name} ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
