"""How GEMMs are timed beside each other.

Burst mode: a slice of 5 ms from a CUDA graph after 50 ms of rest, every candidate in each round in a new order; a
ratio is of two times of one round: median [10th percentile, 90th percentile].
"""
import math
import random
import statistics
import time

import torch

TIMED = [(8192, 8192, 8192), (4096, 4096, 4096), (16384, 4096, 4096)]
SLICE_MS, REST_S = 5.0, 0.05


def result_of(kind):
    """The elements of D."""
    return torch.bfloat16 if kind.itemsize == 1 else kind


def operands(m, n, k, seed, kind=torch.bfloat16):
    """A[m, k], B[n, k], and D[m, n] full of NaN: what is not written shows."""
    numbers = torch.Generator(device="cuda").manual_seed(seed)
    a, b = (torch.randn(rows, k, device="cuda", generator=numbers).to(kind) for rows in (m, n))
    return a, b, torch.full((m, n), math.nan, device="cuda", dtype=result_of(kind))


def cublas(a, b, d):
    """In f32 by the tensor cores, in tf32; in f8 what cublasLt's heuristic takes first, adding as the tensor cores do."""
    if a.dtype.itemsize == 1:
        one = torch.ones((), device="cuda")
        torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one, out_dtype=d.dtype, use_fast_accum=True, out=d)
    else:
        torch.matmul(a, b.t(), out=d)


def elapsed(work):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    work()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end)


def graph_of(run, sets):
    for each in sets:
        run(*each)
    torch.cuda.synchronize()
    calls = max(len(sets), math.ceil(SLICE_MS / elapsed(lambda: run(*sets[0]))))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(calls):
            run(*sets[i % len(sets)])
    return graph, calls


def measure(candidates, sets, rounds=9, rest=REST_S):
    """Milliseconds a call of each candidate, one a round."""
    graphs = {name: graph_of(run, sets) for name, run in candidates.items()}
    times = {name: [] for name in graphs}
    for number in range(-1, rounds):  # one to warm up
        order = list(graphs)
        random.Random(number).shuffle(order)
        for name in order:
            graph, calls = graphs[name]
            time.sleep(rest)
            milliseconds = elapsed(graph.replay) / calls
            if number >= 0:
                times[name].append(milliseconds)
    return times


def ratio(times, name, other):
    """time(other) / time(name)"""
    pairs = sorted(theirs / ours for ours, theirs in zip(times[name], times[other]))
    tenth = len(pairs) // 10
    return f"{statistics.median(pairs):.3f} [{pairs[tenth]:.3f}, {pairs[-1 - tenth]:.3f}]"


def report(shape, times, others=("cuBLAS",), title=""):
    m, n, k = shape
    print(f"\n{title}{m}x{n}x{k}", flush=True)
    for name, own in times.items():
        ratios = ", ".join(f"{other} / this {ratio(times, name, other)}" for other in others)
        print(f"  {name:48s} {2e-9 * m * n * k / statistics.median(own):7.1f} TFLOP/s  {ratios}", flush=True)
