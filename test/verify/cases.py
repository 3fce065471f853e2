#!/usr/bin/env python3
"""Writes docs/verifier-cases.md from test/verify/corpus: run it after changing a case."""
import pathlib
import re

root = pathlib.Path(__file__).resolve().parents[2]
out = """# Cases of the verifier

Every program of `test/verify/corpus/` with its verdict, by the numbers of the collections of faults (B), valid (V), invalid (I), wrongly accepted (U) and
wrongly rejected (F) schedules and probes. Written by `test/verify/cases.py`; the unit test `verify-protocol` checks the verdicts and that the table is complete.

| program | verdict | file |
|---|---|---|
"""
for file in sorted((root / "test/verify/corpus").glob("*.proto")):
    for line in file.read_text().splitlines():
        match = re.match(r"== (.*?): (.*)$", line)
        if match:
            out += f"| {match.group(1)} | {match.group(2)} | `{file.name}` |\n"
out += """
Where a fault of the collection is called a race and the verdict here is one of V3 (or the reverse), the program has both: the first along the run is reported.

## Not expressed as a protocol

| case | why |
|---|---|
| B29 and B43, emission | whether a barrier is cloned or aligned is a matter of the emitted form |
| B30, one value for four warps, multiples of 8 | static budgets (V8) |
| B36 swizzle of writer and reader | layouts: a static check of the resource |
| B37, B48 alignment and strides | static checks of the layout and the launcher |
| B38 coordinates past the end | bounds of global memory; the loads left in flight are covered |
| B40 bank conflicts | performance |
| B46 elected lane before its siblings' stores | lanes of a warp are one agent; emission joins them |
| V01, V05, V18, V19 | one task without shared storage, or a declaration: no protocol |
| V07, V08, V09 | as V06, t02 and t04: queue and tensor copies add no mechanism |
| I01, I02, I05, I06, I10, I11, I12, I19 | declarations, dependency graph, budgets: other phases |
| U11 | as U10: edges need no declaration here |
| U30 | there is no limit on states |
| t07-02, t07-03, r17, r19 | as V12, V13, fmha5, t07-04 |
| c07, c19, c27 | as w07, w19, w27 with constant bounds |
"""
(root / "docs/verifier-cases.md").write_text(out)
