"""Hand-written GEMM candidates beside cuBLAS: `explore.py [check]` builds, checks and times them on a GPU."""
import ctypes
import pathlib
import subprocess
import sys

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from measure import TIMED, cublas, measure, operands, report  # noqa: E402

CLUSTERS = 66
SHAPES = {  # number: name, rows and columns of a cluster's tile
    0: ("128x256, 2x1", 256, 256), 1: ("256x192, 1x2", 256, 384), 2: ("256x160, 1x2", 256, 320),
    3: ("256x128, 1x2", 256, 256), 4: ("ping-pong 128x192, 2x1", 256, 192),
    5: ("ping-pong 128x176, 2x1", 256, 176), 6: ("ping-pong 128x160, 2x1", 256, 160)}
CHECKED = [(128, 256, 64), (512, 768, 512), (1000, 1032, 520), (2304, 2304, 832), (4096, 4096, 4096), (640, 8000, 192)]


def write_wgmma(path):
    out = ["#pragma once", "#include <cstdint>", "template <int N> struct Wgmma;"]
    for n in range(64, 257, 16):
        count = n // 2
        registers = ", ".join(f"%{i}" for i in range(count))
        operands = ", ".join(f'"+f"(d[{i}])' for i in range(count))
        out.append(f"""template <> struct Wgmma<{n}> {{
  static __device__ __forceinline__ void run(float (&d)[{count}], uint64_t a, uint64_t b, int more) {{
    asm volatile("{{\\n.reg .pred p;\\nsetp.ne.b32 p, %{count + 2}, 0;\\n"
      "wgmma.mma_async.sync.aligned.m64n{n}k16.f32.bf16.bf16 {{{registers}}}, %{count}, %{count + 1}, p, 1, 1, 0, 0;\\n}}"
      : {operands} : "l"(a), "l"(b), "r"(more));
  }}
}};""")
    out.append("""template <int N> __device__ __forceinline__ void wgmma(float (&d)[N / 2], uint64_t a, uint64_t b, int more) {
  Wgmma<N>::run(d, a, b, more);
}""")
    path.write_text("\n".join(out) + "\n")


def build(folder):
    library = folder / "libexplore.so"
    sources = [HERE / name for name in ("explore.cu", "kernel.cuh", "ptx.cuh")]
    if library.exists() and library.stat().st_mtime >= max(s.stat().st_mtime for s in sources):
        return ctypes.CDLL(str(library))
    write_wgmma(folder / "wgmma.h")
    subprocess.run(["nvcc", "-std=c++17", "-O3", "-gencode=arch=compute_90a,code=sm_90a", "-Xcompiler", "-fPIC",
                    "-shared", f"-I{folder}", "-o", str(library), str(HERE / "explore.cu")], check=True)
    return ctypes.CDLL(str(library))


def gpc(cluster):
    """Where the hardware puts a cluster of two on an idle H200: round robin over its eight GPCs, after
    the four pairs that stand alone; the first GPC is the smallest."""
    if cluster < 4:
        return 0
    return (cluster - 4) % 8 if cluster < 36 else 1 + (cluster - 36) % 7


def grouped(rows, columns, height=8):
    return [(first + r, c) for first in range(0, rows, height) for c in range(columns)
            for r in range(min(height, rows - first))]


def one_row_a_gpc(rows, columns):
    """Grouped order, in waves; within a wave the clusters of one GPC work on one row of tiles, so that
    their loads of A meet on the way to the L2 cache."""
    order, result = grouped(rows, columns), []
    slots = sorted(range(CLUSTERS), key=lambda cluster: (gpc(cluster), cluster))
    for begin in range(0, len(order), CLUSTERS):
        wave = order[begin:begin + CLUSTERS]
        if len(wave) == CLUSTERS:
            placed = [None] * CLUSTERS
            by_row = sorted(range(CLUSTERS), key=lambda q: (q // 64, q % 8, q // 8))
            for slot, q in zip(slots, by_row):
                placed[slot] = wave[q]
            wave = placed
        result += wave
    return result


def table(order):
    return torch.tensor([row | (column << 16) for row, column in order], dtype=torch.int32, device="cuda")


def tables(shape, m, n):
    _, height, width = SHAPES[shape]
    rows, columns = -(-m // height), -(-n // width)
    return {"grouped": table(grouped(rows, columns)), "row a GPC": table(one_row_a_gpc(rows, columns))}


def runner(library, shape, order, cut):
    def run(a, b, d):
        stream = torch.cuda.current_stream().cuda_stream
        pointers = [ctypes.c_void_p(t.data_ptr()) for t in (a, b, d)]
        code = library.launch(shape, *pointers, a.shape[0], b.shape[0], a.shape[1],
                              ctypes.c_void_p(order.data_ptr()), int(cut), ctypes.c_void_p(stream))
        if code:
            sys.exit(f"launch of {SHAPES[shape][0]} failed: {code}")
    return run


def check(library):
    for m, n, k in CHECKED:
        a, b, d = operands(m, n, k, 1)
        want = a.double() @ b.double().t()
        for shape, (name, _, _) in SHAPES.items():
            for cut in (False, True):
                d.fill_(float("nan"))
                runner(library, shape, tables(shape, m, n)["row a GPC"], cut)(a, b, d)
                torch.cuda.synchronize()
                error = float((d.double() - want).norm() / want.norm())
                if not error < 4e-3:
                    sys.exit(f"{name}, cut {cut}, {m}x{n}x{k}: relative error {error}")
    print("all right on", CHECKED, flush=True)


def main():
    folder = HERE / "generated"
    folder.mkdir(exist_ok=True)
    library = build(folder)
    check(library)
    for m, n, k in [] if sys.argv[1:] == ["check"] else TIMED:
        candidates = {"cuBLAS": cublas}
        for shape, (name, _, _) in SHAPES.items():
            for order, tiles in tables(shape, m, n).items():
                for cut in (False, True):
                    label = f"{name}, {order}" + (", last wave cut along K" if cut else "")
                    candidates[label] = runner(library, shape, tiles, cut)
        report((m, n, k), measure(candidates, [operands(m, n, k, seed) for seed in (1, 2)]))


if __name__ == "__main__":
    main()
