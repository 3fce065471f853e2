#!/usr/bin/env bash
# demo.sh TSKC: what tskc makes of the TMA copy.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"
tskc=$1
out=../../build/demo
mkdir -p $out

title() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || title() { printf '\n%s\n' "$*"; }

title 'The schedule, verified: what each warp does, and what it waits for (tskc check --table)'
"$tskc" check --table tma_copy.tsk

title 'What it takes of a GPU (tskc report)'
"$tskc" report tma_copy.tsk

title 'The generated code (tskc tma_copy.tsk)'
"$tskc" tma_copy.tsk -o $out/tma_copy.tsk.cu
wc -l $out/tma_copy.tsk.cu $out/tma_copy.tsk.h | sed -n 's|^ *\([0-9]*\) ../../|  \1 lines in |p'

title 'The same code on the simulator: real matrices, bit for bit (tskc test)'
echo 'compiling the tests with the host'"'"'s compiler, once'
"$tskc" test tma_copy.tsk
