#!/usr/bin/env python3
"""ladder_model.py TSKC FOLDER PAGE: what the model says of the ladder on an RTX A6000 beside what was
measured there (S. Boehm, "How to Optimize a CUDA Matmul Kernel", 4092 x 4092 x 4092). The order must
be right, and PAGE must have this table."""
import re
import subprocess
import sys

tskc, folder, page = sys.argv[1:]
MEASURED = {"naive": 309.0, "coalesced": 1986.5, "shared": 2980.3, "blocked_1d": 8474.7,
            "blocked_2d": 15971.7, "vectorized": 18237.3, "tuned": 19721.0, "warp_tiled": 21779.3}
rows, estimates = [], []
for name, measured in MEASURED.items():
    text = subprocess.run(
        [tskc, "sim", "--model", "--gpu=a6000", "--arg=m=4092", "--arg=n=4092", "--arg=k=4092",
         f"{folder}/{name}.tsk"], stdout=subprocess.PIPE, text=True, check=True).stdout
    estimate_of = re.search(rf"^sgemm_{name} on .*?bound by (\S+): ([\d,]+) GFLOP/s", text, re.MULTILINE | re.DOTALL)
    bound, gflops = estimate_of.groups()
    estimate = int(gflops.replace(",", ""))
    estimates.append(estimate)
    error = round((estimate / measured - 1) * 100)
    rows.append(f"| {name} | {measured:,.0f} | {estimate:,} | {error:+d} % | {bound} |")
print("\n".join(rows))
text = open(page).read()
missing = [row for row in rows if row not in text]
if missing:
    sys.exit("not in the page's table:\n" + "\n".join(missing))
if estimates != sorted(estimates):
    sys.exit("the order is wrong")
print("the order is right")
