#!/usr/bin/env python3
"""Writes a large protocol program for verify_bench: large.py attention|gemm|chain|fan N.

attention: N persistent attention graphs side by side, each of six tasks and nine pipelines; gemm: the same of block-scaled
GEMM with a residual, six tasks and eight pipelines; chain: N tasks, each with a ring to the next;
fan: one producer and N consumers of each of its stages."""
import sys

ATTENTION_PIPES = """pipe wq$ TA
pipe Q$ TU
pipe K$[2] TU
pipe V$[2] TU
pipe S$ UA
pipe P$ AU tensor
pipe O$ UA
pipe st$[2] AA
pipe E$ AA"""

ATTENTION_TASKS = """warp Sched$ { tiles T { wq$.acq wq$.put wq$.com } }
warp Load$ { tiles T { Q$.acq Q$.put Q$.com loop n { K$.acq K$.put K$.com V$.acq V$.put V$.com } wq$.wait wq$.get wq$.rel } }
warp Mma$ { tiles T { Q$.wait loop n { K$.wait S$.acq mma Q$.c, K$.c -> S$.p S$.com K$.rel P$.wait V$.wait O$.acq mma P$.c, V$.c -> O$.p O$.com V$.rel P$.rel } Q$.rel wq$.wait wq$.get wq$.rel } }
warp Softmax$*4 { tiles T { loop n { S$.wait S$.get st$.acq st$.put st$.com P$.acq P$.put P$.com S$.rel } wq$.wait wq$.get wq$.rel } }
warp Corr$*4 { tiles T { loop n { st$.wait st$.get st$.rel O$.wait O$.get O$.rel } E$.acq E$.put E$.com wq$.wait wq$.get wq$.rel } }
warp Epi$*4 { tiles T { E$.wait E$.get E$.rel wq$.wait wq$.get wq$.rel } }"""

GEMM_PIPES = """pipe wq$ TA
pipe A$[4] TU
pipe B$[4] TU
pipe FA$[4] TU
pipe FB$[4] TU
pipe R$[2] TA
pipe C$[2] UA
pipe D$[2] AA
cell g$ global"""

GEMM_TASKS = """warp Sched$ { tiles T { wq$.acq wq$.put wq$.com } }
warp Load$ { tiles T { loop n { A$.acq A$.put A$.com B$.acq B$.put B$.com } wq$.wait wq$.get wq$.rel } }
warp Scales$ { tiles T { loop n { FA$.acq FA$.put FA$.com FB$.acq FB$.put FB$.com } R$.acq R$.put R$.com wq$.wait wq$.get wq$.rel } }
warp Mma$ { tiles T { C$.acq mma -> C$.p loop n { A$.wait B$.wait FA$.wait FB$.wait mma A$.c, B$.c, FA$.c, FB$.c -> C$.p A$.rel B$.rel FA$.rel FB$.rel } C$.com wq$.wait wq$.get wq$.rel } }
warp Epi$*4 { tiles T { C$.wait C$.get R$.wait R$.get D$.acq D$.put pfence D$.com C$.rel R$.rel wq$.wait wq$.get wq$.rel } }
warp Store$ { tiles T { D$.wait store D$.c -> g$; scommit; swaitread 0; D$.rel wq$.wait wq$.get wq$.rel } swait 0 }"""


def copies(pipes, tasks, n):
    return ["symbol T", "tile symbol n >= 1"] + [text.replace("$", str(i)) for text in (pipes, tasks) for i in range(n)]


def attention(n):
    return copies(ATTENTION_PIPES, ATTENTION_TASKS, n)


def gemm(n):
    return copies(GEMM_PIPES, GEMM_TASKS, n)


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
print("\n".join({"attention": attention, "gemm": gemm, "chain": chain, "fan": fan}[shape](size)))
