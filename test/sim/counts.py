#!/usr/bin/env python3
"""counts.py TSKC INPUT.tsk [CXX]: runs the kernels of Inputs/counted.tsk with counters and compares
every figure with what the hardware's rules give: formulas for the regular kernels, and for the
divergent one a model that walks each lane by itself and calls the lanes of a warp that are at one
place in the same iterations one instruction."""
import json
import re
import subprocess
import sys
from collections import defaultdict

tskc, source = sys.argv[1:3]
command = [tskc, "sim", "--format=json", "-Wno-test-without-expectation", source]
if len(sys.argv) > 3:
    command.append("--cxx=" + sys.argv[3])
done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
if done.returncode != 0:
    sys.exit(done.stdout)
launches = {}
for line in done.stdout.splitlines():
    value = json.loads(line)
    if "kernel" in value:
        launches[value["kernel"]] = value
marks = {}
for number, line in enumerate(open(source), 1):
    if mark := re.search(r"// ([a-z0-9-]+)$", line):
        marks[mark[1]] = number

failures = 0


def expect(what, found, wanted):
    global failures
    if found != wanted:
        failures += 1
        print(f"{what}: {found}, but {wanted} is right")


def total(kernel, mark, counter, **wanted):
    return sum(row[counter] for row in launches[kernel]["accesses"]
               if row["line"] == marks[mark] and all(row[k] == v for k, v in wanted.items()))


def operations(kernel, kind):
    return sum(row["operations"] for row in launches[kernel]["arithmetic"] if row["kind"] == kind)


n = 64
expect("naive: lines", total("naive", "naive-product", "lines"), n * n // 32 * n * 33)
expect("naive: stored lines", total("naive", "naive-store", "lines"), n * n)
expect("naive: sectors", total("naive", "naive-product", "sectors"), n * n // 32 * n * 33)
expect("coalesced: lines", total("coalesced", "coalesced-product", "lines"), n * n // 32 * n * 2)
expect("coalesced: sectors", total("coalesced", "coalesced-product", "sectors"), n * n // 32 * n * 5)
expect("coalesced: stored lines", total("coalesced", "coalesced-store", "lines"), n * n // 32)
for kernel in ("naive", "coalesced"):
    expect(f"{kernel}: multiply-adds", operations(kernel, "fma"), n ** 3)
    expect(f"{kernel}: other operations", operations(kernel, "add") + operations(kernel, "multiply"), 0)

for mark, wavefronts in {"consecutive": 1, "lds128": 4, "lds64": 2, "stride-32": 32, "stride-2": 2,
                         "broadcast": 1, "column-32": 32, "column-16": 16, "column-33": 1}.items():
    expect(f"banks: {mark}", total("banks", mark, "wavefronts", isStore=False), wavefronts)
    expect(f"banks: instructions of {mark}", total("banks", mark, "instructions"), 1)
expect("banks: fill", total("banks", "bank-fill", "wavefronts", memory="shared"), 32)
expect("banks: lanes of half a warp", total("banks", "half-a-warp", "accesses", memory="shared"), 32 * 16)
expect("banks: half a warp", total("banks", "half-a-warp", "instructions", memory="shared"), 32)


def walk(t, visit):
    """One lane of the divergent kernel; visit(place, iterations, row, column)."""
    lane = t % 32
    for i in range(20):
        if i % 3 == lane % 3:
            continue
        visit("behind-continue", (i,), i * 8, t)
        if i > lane:
            break
        j = 0
        while j < (lane + i) % 5:
            visit("inner-while", (i, j), i * 8 + j, t ^ 1)
            j += 1
        way = (lane + i) % 4
        if way == 0:
            visit("case-0", (i,), i * 8 + 5, t)
        if way == 1:
            visit("case-1", (i,), i * 8 + 6, t)
        if way in (1, 2):
            visit("case-2", (i,), i * 8 + 7, t)
        if way == 3:
            rounds = 0
            while True:
                visit("inner-do", (i, rounds), 200 + i * 8 + j, t)
                rounds += 1
                j += 1
                if j >= 3:
                    break
    if lane == 7:
        return
    visit("one-lane-each", (lane,), 400 + lane, t)
    visit("together-again", (), 450, t)


instructions = defaultdict(set)  # (place, warp, iterations): addresses
accesses = defaultdict(int)
for thread in range(64):
    def visit(place, iterations, row, column):
        instructions[place, thread // 32, iterations].add((row * 64 + column) * 4)
        accesses[place] += 1
    walk(thread, visit)
for place in sorted(accesses):
    mine = [touched for (where, _, _), touched in instructions.items() if where == place]
    expect(f"divergent: instructions of {place}", total("divergent", place, "instructions"), len(mine))
    expect(f"divergent: accesses of {place}", total("divergent", place, "accesses"), accesses[place])
    expect(f"divergent: lines of {place}", total("divergent", place, "lines"),
           sum(len({a // 128 for a in touched}) for touched in mine))
    expect(f"divergent: sectors of {place}", total("divergent", place, "sectors"),
           sum(len({a // 32 for a in touched}) for touched in mine))
if failures:
    sys.exit(1)
print(f"{len(accesses)} divergent places, all as the model has them")
