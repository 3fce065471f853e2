#!/usr/bin/env python3
"""Writes a protocol program of N attention graphs side by side, for verify_bench."""
import sys

n = int(sys.argv[1]) if len(sys.argv) > 1 else 10
out = ["symbol T", "tile symbol n >= 1"]
body = []
for i in range(n):
    def r(text):
        return text.replace("$", str(i))
    out += [r("pipe Q$ TU\npipe K$[2] TU\npipe V$[2] TU\npipe S$ UA\npipe P$ AU tensor\npipe O$ UA\npipe st$[2] AA\npipe E$ AA")]
    body += [r("""warp Load$ { tiles T { Q$.acq Q$.put Q$.com loop n { K$.acq K$.put K$.com V$.acq V$.put V$.com } } }
warp Mma$ { tiles T { Q$.wait loop n { K$.wait S$.acq mma Q$.c, K$.c -> S$.p S$.com K$.rel P$.wait V$.wait O$.acq mma P$.c, V$.c -> O$.p O$.com V$.rel P$.rel } Q$.rel } }
warp Softmax$*4 { tiles T { loop n { S$.wait S$.get st$.acq st$.put st$.com P$.acq P$.put P$.com S$.rel } } }
warp Corr$*4 { tiles T { loop n { st$.wait st$.get st$.rel O$.wait O$.get O$.rel } E$.acq E$.put E$.com } }
warp Epi$*4 { tiles T { E$.wait E$.get E$.rel } }""")]
print("\n".join(out + body))
