"""How GEMMs are timed beside cuBLAS.

Burst mode: a slice of 5 ms after 50 ms of rest, every candidate in each round in a new order; ratios
are time(cuBLAS) / time(candidate) within one round, median [10th, 90th percentile].
"""
import math
import random
import statistics
import time

import torch

TIMED = [(8192, 8192, 8192), (4096, 4096, 4096), (16384, 4096, 4096)]


def matrices(m, n, k, sets):
    generator = torch.Generator(device="cuda")
    generator.manual_seed(m * 7 + n * 3 + k)
    make = lambda r: torch.randn(r, k, device="cuda", generator=generator).to(torch.bfloat16)
    return [(make(m), make(n), torch.empty(m, n, device="cuda", dtype=torch.bfloat16)) for _ in range(sets)]


def graph_of(run, sets):
    for operands in sets:
        run(*operands)
    torch.cuda.synchronize()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    run(*sets[0])
    end.record()
    torch.cuda.synchronize()
    count = max(len(sets), math.ceil(5 / begin.elapsed_time(end)))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(count):
            run(*sets[i % len(sets)])
    return graph, count


def measure(candidates, sets, rounds=9):
    graphs = {name: graph_of(run, sets) for name, run in candidates.items()}
    times = {name: [] for name in graphs}
    for round_ in range(rounds + 1):
        names = list(graphs)
        random.Random(round_).shuffle(names)
        for name in names:
            graph, count = graphs[name]
            time.sleep(0.05)
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            graph.replay()
            end.record()
            torch.cuda.synchronize()
            if round_:
                times[name].append(begin.elapsed_time(end) / count)
    return times


def report(shape, times):
    m, n, k = shape
    print(f"\n{m}x{n}x{k}", flush=True)
    base = times["cuBLAS"]
    for name, own in times.items():
        ratios = sorted(b / t for b, t in zip(base, own))
        low = len(ratios) // 10
        print(f"  {name:48s} {2e-9 * m * n * k / statistics.median(own):7.1f} TFLOP/s  x{statistics.median(ratios):.3f}"
              f" [{ratios[low]:.3f}, {ratios[-1 - low]:.3f}]", flush=True)
