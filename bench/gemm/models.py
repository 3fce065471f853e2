"""The GEMMs of language models: models.py LIBRARY [check]

The projections of Llama 3 (8B and 70B; those of q, k, v and of gate and up are joined) for batches from one token to many, ragged
ones too, beside cuBLAS: the fastest of our kernels, and the one that `pick` takes without measuring.
"""
import ctypes
import math
import statistics
import sys

import torch

from bench import Library, relative_error
from measure import cublas, measure, operands, ratio

SMALL = {"qkv": (6144, 4096), "o": (4096, 4096), "gate_up": (28672, 4096), "down": (4096, 14336),
         "head": (128256, 4096)}
LARGE = {"qkv": (10240, 8192), "o": (8192, 8192), "gate_up": (57344, 8192), "down": (8192, 28672)}
SHAPES = [(m, f"{size} {name}", *(SMALL if size == "8B" else LARGE)[name]) for m, size, name in (
    (1, "8B", "qkv"), (1, "8B", "down"), (1, "70B", "o"), (1, "70B", "gate_up"),
    (16, "8B", "o"), (16, "8B", "gate_up"), (16, "70B", "qkv"), (16, "70B", "down"),
    (128, "8B", "qkv"), (128, "8B", "down"), (128, "70B", "o"), (128, "70B", "gate_up"),
    (1024, "8B", "o"), (1024, "8B", "gate_up"), (1024, "70B", "qkv"), (1024, "70B", "down"),
    (4096, "8B", "qkv"), (4096, "8B", "down"), (4096, "70B", "o"), (4096, "70B", "gate_up"),
    (8192, "8B", "gate_up"), (8192, "70B", "down"), (777, "8B", "qkv"), (1000, "8B", "head"))]
# Shapes that nobody has looked at before `pick` was written: those of Qwen2.5, 7B and 32B.
OTHERS = [(1, "7B gate_up", 37888, 3584), (24, "7B qkv", 4608, 3584), (32, "32B o", 5120, 5120),
          (64, "32B gate_up", 55296, 5120),
          (100, "7B down", 3584, 18944), (128, "32B qkv", 7168, 5120), (300, "7B gate_up", 37888, 3584),
          (500, "32B down", 5120, 27648), (2048, "7B qkv", 4608, 3584), (2048, "32B o", 5120, 5120), (5000, "7B down", 3584, 18944),
          (6000, "32B qkv", 7168, 5120)]
PROCESSORS = 132
ROUNDS, REST_S = 7, 0.03
COLD_BYTES = 256 << 20  # of operands, so that no call finds its own in the L2 cache

# Of many rows: rows and columns of D a tile, and how fast its main loop is beside the fastest one's, since larger tiles need
# fewer bytes for their products.
TILES = {"apart": (128, 256, 1.01), "lapped": (168, 256, 1.03), "lapped_160": (160, 256, 1.02), "lapped_144": (144, 256, 1.01),
         "lapped_128": (128, 256, 1.0), "plain": (128, 256, 1.0), "pingpong": (192, 128, 1.0), "pingpong_160": (160, 128, 0.98),
         "pingpong_128": (128, 128, 0.95), "apart_128": (128, 128, 0.92), "plain_128": (128, 128, 0.9)}
# Of few, where reading B is what a product costs. "skinny" picks its tiles itself, in the launcher: the widest have WIDEST columns.
FEW, WIDEST = 128, 224
SMALL_TILES = {"plain_64x64": (64, 64), "plain_64": (64, 128)}
SPLIT_TILES = {"split_8": (8, 64), "split_16": (16, 64), "split_32": (32, 64), "split_64": (64, 64), "split_128": (128, 64)}


def tiles(m, n, rows, columns):
    return math.ceil(m / rows) * math.ceil(n / columns)


def waves(m, n, rows, columns):
    return math.ceil(tiles(m, n, rows, columns) / PROCESSORS)


def busy(m, n, rows, columns):
    return tiles(m, n, rows, columns) / (PROCESSORS * waves(m, n, rows, columns))


def splits_of(m, n, k, rows, columns):
    """About two CTAs a multiprocessor, each with eight steps of 64 elements of K or more."""
    return max(1, min(2 * PROCESSORS // tiles(m, n, rows, columns), k // 64 // 8))


def pick(m, n):
    """Of up to 128 rows the skinny kernel where its widest tiles keep 0.6 of the multiprocessors busy, or of more than 64 rows where
    tiles of 64 rows would keep less than 0.9 of them busy; of up to 32 rows else the split kernel whose tile holds them, likewise of
    up to 64 where tiles of 64 rows would keep less than 0.7 busy; else the tiles whose waves take the shortest time."""
    if m <= FEW:
        if busy(m, n, FEW, WIDEST) >= 0.6 or (m > 64 and busy(m, n, *SMALL_TILES["plain_64"]) < 0.9):
            return "skinny"
        whole = "plain_64x64" if m <= 64 else "plain_64"
        tile = SMALL_TILES[whole]
        if m > 32 and busy(m, n, *tile) >= 0.7:
            return whole
        return next(name for name, (rows, _) in SPLIT_TILES.items() if m <= rows)

    def cost(name):
        rows, columns, speed = TILES[name]
        return waves(m, n, rows, columns) * rows * columns / speed
    return min(TILES, key=cost)


class Split:
    """Two launches, with room for the sums of parts between them."""

    def __init__(self, library, name):
        self.function, self.tile, self.parts = getattr(library.code, f"{name}_gemm"), SPLIT_TILES[name], None

    def __call__(self, a, b, d):
        (m, k), n = a.shape, b.shape[0]
        splits = splits_of(m, n, k, *self.tile)
        if self.parts is None or self.parts.numel() < splits * m * n:
            self.parts = torch.empty(splits * m * n, device="cuda")
        error = self.function(*(ctypes.c_void_p(t.data_ptr()) for t in (a, b, d)), m, n, k, splits,
                              ctypes.c_void_p(self.parts.data_ptr()),
                              ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
        if error:
            raise RuntimeError(f"split: error {error}")


def candidates(library, m):
    if m <= FEW:
        own = {name: Split(library, name) for name, (rows, _) in SPLIT_TILES.items() if m <= rows < 4 * m + 16}
        own["skinny"] = library.candidate("skinny_gemm")  # its instances are chosen by the launcher
        return own | {name: library.candidate(f"{name}_gemm") for name in SMALL_TILES if m > 16}
    return {name: library.candidate(f"{name}_gemm") for name in TILES}


def check(library):
    """Each kernel on a shape of its kind, and on ragged ones."""
    wrong = 0
    for m, n, k in ((1, 6144, 4096), (13, 4104, 4096), (128, 1000, 14336), (100, 8192, 72), (777, 1032, 4096)):
        a, b, d = operands(m, n, k, m)
        blas = relative_error(cublas, a, b, d)
        for name, run in candidates(library, m).items():
            d.fill_(math.nan)
            error = relative_error(run, a, b, d)
            is_right = error < 1.02 * blas + 1e-6
            wrong += not is_right
            print(f"{m}x{n}x{k} {name}: relative error {error:.3e} (cuBLAS {blas:.3e}){'' if is_right else ' WRONG'}")
    return wrong


def median_ratio(times, name):
    return statistics.median(theirs / ours for ours, theirs in zip(times[name], times["cuBLAS"]))


def time_all(library, shapes):
    best, picked = [], []
    print("| M x N x K | projection | cuBLAS, us | TFLOP/s | best of ours | of cuBLAS | picked | of cuBLAS |")
    print("|---" * 8 + "|")
    for m, what, n, k in shapes:
        count = max(2, math.ceil(COLD_BYTES / (2 * (n * k + m * k + m * n))))
        sets = [operands(m, n, k, seed) for seed in range(count)]
        times = measure(candidates(library, m) | {"cuBLAS": cublas}, sets, ROUNDS, REST_S)
        fastest = max((name for name in times if name != "cuBLAS"), key=lambda name: median_ratio(times, name))
        chosen = pick(m, n)
        best.append(median_ratio(times, fastest))
        picked.append(median_ratio(times, chosen))
        theirs = statistics.median(times["cuBLAS"])
        print(f"| {m}x{n}x{k} | {what} | {theirs * 1e3:.1f} | {2e-9 * m * n * k / theirs:.0f} | {fastest} "
              f"| {ratio(times, fastest, 'cuBLAS')} | {chosen} | {picked[-1]:.3f} |", flush=True)
        print("    " + ", ".join(f"{name} {median_ratio(times, name):.3f}" for name in times if name != "cuBLAS"),
              file=sys.stderr, flush=True)
    for name, ratios in (("best of ours", best), ("picked", picked)):
        print(f"geometric mean of {len(ratios)}, {name}: {statistics.geometric_mean(ratios):.3f}; "
              f"{sum(each < 0.92 for each in ratios)} under 0.92")


def main(path, *only):
    library = Library(path)
    wrong = check(library)
    for shapes in [] if only else (SHAPES, OTHERS):
        time_all(library, shapes)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
