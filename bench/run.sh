#!/usr/bin/env bash
# bench/run.sh GENERATED [copy | rows | gemm | ladder]: builds the benchmarks from generated code (with its include folder), checks every
# kernel, runs compute-sanitizer where it is installed, prints the tables of docs/performance.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
generated=$1 what=${2:-copy rows gemm ladder}
out=${BENCH_OUT:-$here/../build/bench}

sanitize() { # sanitize COMMAND…: by each tool that must find nothing
  command -v compute-sanitizer >/dev/null || { echo "skipped: no compute-sanitizer"; return; }
  for tool in memcheck synccheck; do
    echo "compute-sanitizer $tool"
    compute-sanitizer --error-exitcode 1 --tool $tool "$@" | tail -2
  done
}

bench_copy() {
  "$here/build.sh" "$generated" "$generated/include" "$out"
  "$out/copy_bench" check
  sanitize "$out/copy_bench" small
  "$out/copy_bench" time
}

bench_gemm() {
  python3 -c 'import torch' 2>/dev/null || { echo "skipped: no PyTorch, which the GEMM is compared with"; return; }
  "$here/gemm/build.sh" "$generated/gemm" "$generated/include" "$out/gemm"
  sanitize python3 "$out/gemm/bench.py" "$out/gemm/libgemm.so" small
  "$here/gemm/run.sh" "$out/gemm"
}

bench_rows() {
  python3 -c 'import torch' 2>/dev/null || { echo "skipped: no PyTorch, which softmax and sums are compared with"; return; }
  "$here/rows/build.sh" "$generated/rows" "$generated/include" "$out/rows"
  sanitize python3 "$out/rows/bench.py" "$out/rows/librows.so" small
  python3 "$out/rows/bench.py" "$out/rows/librows.so"
}

bench_ladder() {
  command -v ncu >/dev/null || { echo "skipped: no ncu, whose counters the simulator's are compared with"; return; }
  "$here/ladder/run.sh" "$generated/ladder" "$generated/include" "$out/ladder"
}

for each in $what; do
  "bench_$each"
done
