#!/usr/bin/env bash
# bench/ladder/run.sh GENERATED INCLUDE OUTPUT: what the simulator counted beside Nsight Compute's counters, and the model's
# times beside measured ones. GENERATED is what
# bench/generate.py wrote into its folder `ladder`. Needs nvcc, cuBLAS and ncu.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
generated=$(cd "$1" && pwd) include=$(cd "$2" && pwd)
mkdir -p "$3"
output=$(cd "$3" && pwd)
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
export nvcc output generated include
compile() { # compile SOURCE: the timing program's part of one kernel, or a test program with its own main
  local name
  name=$(basename "$1" .cu)
  case $1 in
  */tests/*) "$nvcc" -std=c++17 -O3 -gencode=arch=compute_90a,code=sm_90a -o "$output/test_$name" "$1" ;;
  *) "$nvcc" -c -std=c++17 -O3 -gencode=arch=compute_90a,code=sm_90a -I"$generated" -I"$include" -o "$output/$name.o" "$1" ;;
  esac
}
export -f compile
printf '%s\0' "$generated"/*.cu "$generated"/tests/*.cu "$here/timing.cu" |
  xargs -0 -P "$(nproc)" -I{} bash -c 'compile "$@"' _ {}
"$nvcc" -std=c++17 -gencode=arch=compute_90a,code=sm_90a -I"$here/../.." -o "$output/patterns" \
  "$here/patterns.cu" "$here/../../runtime/sim/machine/counting/patterns.cpp"
"$nvcc" "$output"/*.o -lcublas -o "$output/timing"
"$output/timing" >"$output/times.txt"
python3 "$here/compare.py" "$generated" "$output"
