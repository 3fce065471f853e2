#!/usr/bin/env python3
"""Writes a large protocol program for verify_bench: large.py attention|chain|fan N.

attention: N persistent attention graphs side by side; chain: N tasks, each with a ring to the next;
fan: one producer and N consumers of each of its stages."""
import sys

ATTENTION_PIPES = """pipe Q$ TU
pipe K$[2] TU
pipe V$[2] TU
pipe S$ UA
pipe P$ AU tensor
pipe O$ UA
pipe st$[2] AA
pipe E$ AA"""

ATTENTION_TASKS = """warp Load$ { tiles T { Q$.acq Q$.put Q$.com loop n { K$.acq K$.put K$.com V$.acq V$.put V$.com } } }
warp Mma$ { tiles T { Q$.wait loop n { K$.wait S$.acq mma Q$.c, K$.c -> S$.p S$.com K$.rel P$.wait V$.wait O$.acq mma P$.c, V$.c -> O$.p O$.com V$.rel P$.rel } Q$.rel } }
warp Softmax$*4 { tiles T { loop n { S$.wait S$.get st$.acq st$.put st$.com P$.acq P$.put P$.com S$.rel } } }
warp Corr$*4 { tiles T { loop n { st$.wait st$.get st$.rel O$.wait O$.get O$.rel } E$.acq E$.put E$.com } }
warp Epi$*4 { tiles T { E$.wait E$.get E$.rel } }"""


def attention(n):
    pipes = [ATTENTION_PIPES.replace("$", str(i)) for i in range(n)]
    tasks = [ATTENTION_TASKS.replace("$", str(i)) for i in range(n)]
    return ["symbol T", "tile symbol n >= 1"] + pipes + tasks


def chain(n):
    lines = ["symbol T", "tile symbol n"] + [f"pipe x{i}[2] AA" for i in range(n - 1)]
    for i in range(n):
        take = f"x{i - 1}.wait x{i - 1}.get x{i - 1}.rel" if i > 0 else ""
        give = f"x{i}.acq x{i}.put x{i}.com" if i < n - 1 else ""
        lines.append(f"warp A{i}*2 {{ tiles T {{ loop n {{ {take} {give} }} }} }}")
    return lines


def fan(n):
    lines = ["symbol T", "tile symbol n", f"bar full[2], empty[2] {n}", "cell X[2]"]
    lines.append("warp P { tiles T { loop n { wait empty[p]! aexpect full[p] 8 load X[p]# -> full[p] 8 next p } } }")
    for i in range(n):
        lines.append(f"warp C{i} {{ tiles T {{ loop n {{ wait full[c] get X[c]# arrive empty[c] next c }} }} }}")
    lines[2] = f"bar full[2] 1, empty[2] {n}"
    return lines


shape = sys.argv[1] if len(sys.argv) > 1 else "attention"
size = int(sys.argv[2]) if len(sys.argv) > 2 else 10
print("\n".join({"attention": attention, "chain": chain, "fan": fan}[shape](size)))
