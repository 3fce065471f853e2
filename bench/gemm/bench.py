"""Checks and times the generated GEMM beside a hand-written one and cuBLAS: bench.py LIBRARY

Burst mode: 5 ms of calls from a CUDA graph after 50 ms of rest, all candidates in each round, in an order that changes.
Ratios are of pairs in one round: median and the 10th and 90th percentile.
"""
import ctypes
import math
import random
import statistics
import sys
import time

import torch

CHECKED = [(128, 256, 64), (256, 256, 256), (512, 768, 512), (1000, 1032, 520), (384, 2048, 1984), (2304, 2304, 832),
           (4096, 4096, 4096)]
TIMED = [(8192, 8192, 8192), (4096, 4096, 4096), (16384, 4096, 4096)]
ROUNDS, SLICE_MS, REST_S = 20, 5.0, 0.05


def load(path):
    library = ctypes.CDLL(path)

    def candidate(name):
        function = getattr(library, name)
        function.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int] * 3 + [ctypes.c_void_p]

        def run(a, b, d):
            error = function(a.data_ptr(), b.data_ptr(), d.data_ptr(), a.shape[0], b.shape[0], a.shape[1],
                             torch.cuda.current_stream().cuda_stream)
            if error:
                raise RuntimeError(f"{name}: error {error}")
        return run

    return {"generated": candidate("generated_gemm"), "hand": candidate("hand_gemm"),
            "cuBLAS": lambda a, b, d: torch.matmul(a, b.T, out=d)}


def operands(m, n, k, seed):
    random_numbers = torch.Generator(device="cuda").manual_seed(seed)
    a, b = (torch.randn(rows, k, device="cuda", generator=random_numbers).bfloat16() for rows in (m, n))
    return a, b, torch.full((m, n), math.nan, device="cuda", dtype=torch.bfloat16)


def check(candidates):
    wrong = 0
    for m, n, k in CHECKED:
        a, b, d = operands(m, n, k, m + n + k)
        want = a.double() @ b.double().T
        for name, run in candidates.items():
            d.fill_(math.nan)
            run(a, b, d)
            error = ((d.double() - want).norm() / want.norm()).item()
            is_right = error < 4e-3  # false for NaN
            wrong += not is_right
            print(f"{m} x {n} x {k}, {name}: relative error {error:.2e}{'' if is_right else ' WRONG'}")
    return wrong


def graph_of(run, sets):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for each in sets:
        run(*each)
    start.record()
    run(*sets[0])
    end.record()
    torch.cuda.synchronize()
    calls = max(len(sets), round(SLICE_MS / start.elapsed_time(end)))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(calls):
            run(*sets[i % len(sets)])
    return graph, calls


def measure(candidates, shape):
    sets = [operands(*shape, seed) for seed in (1, 2)]
    graphs = {name: graph_of(run, sets) for name, run in candidates.items()}
    times = {name: [] for name in graphs}
    for number in range(-2, ROUNDS):  # two to warm up
        order = list(graphs)
        random.Random(number).shuffle(order)
        for name in order:
            graph, calls = graphs[name]
            time.sleep(REST_S)
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            graph.replay()
            end.record()
            torch.cuda.synchronize()
            if number >= 0:
                times[name].append(start.elapsed_time(end) / calls)
    return times


def ratio(times, name, other):
    pairs = sorted(theirs / ours for ours, theirs in zip(times[name], times[other]))
    tenth = len(pairs) // 10
    return f"{statistics.median(pairs):.3f} [{pairs[tenth]:.3f} .. {pairs[-1 - tenth]:.3f}]"


def main(library):
    candidates = load(library)
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    wrong = check(candidates)
    for m, n, k in TIMED:
        times = measure(candidates, (m, n, k))
        print(f"{m} x {n} x {k}")
        for name in times:
            middle = statistics.median(times[name])
            print(f"  {name:10s} {2e-9 * m * n * k / middle:7.1f} TFLOP/s, {1e3 * middle:8.1f} us; "
                  f"time of cuBLAS / this {ratio(times, name, 'cuBLAS')}, of hand / this {ratio(times, name, 'hand')}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
