#!/usr/bin/env bash
# bench/run.sh GENERATED: builds the benchmark from generated code (with its include folder), checks every
# kernel, runs compute-sanitizer where it is installed, prints the table of docs/performance.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${BENCH_OUT:-$here/../build/bench}
"$here/build.sh" "$1" "$1/include" "$out"
"$out/copy_bench" check
if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck synccheck; do
    echo "compute-sanitizer $tool"
    compute-sanitizer --error-exitcode 1 --tool $tool "$out/copy_bench" small | tail -2
  done
else
  echo "skipped: no compute-sanitizer"
fi
"$out/copy_bench" time
