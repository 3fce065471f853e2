#!/usr/bin/env bash
# bench/build.sh GENERATED INCLUDE OUTPUT: compiles generated kernels, hand-written ones and the
# harness into OUTPUT/copy_bench. Needs nvcc only. The log of ptxas stays in OUTPUT/ptxas.log.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
generated=$(cd "$1" && pwd) include=$(cd "$2" && pwd) output=$3
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
mkdir -p "$output"
flags=(-std=c++17 -O3 -gencode=arch=compute_90a,code=sm_90a -lineinfo -Xptxas -v
       -I"$here" -I"$generated" -I"$include")
export nvcc output
compile() { # compile SOURCE FLAG…
  local object=$output/$(basename "$1").o
  "$nvcc" -c "$1" -o "$object" "${@:2}" >"$object.log" 2>&1 || { cat "$object.log"; return 1; }
}
export -f compile
printf '%s\0' "$here"/hand/*.cu "$generated"/*.cu "$here"/{copy_bench,candidates,check,timing}.cpp |
  xargs -0 -P "$(nproc)" -I{} bash -c 'compile "$@"' _ {} "${flags[@]}"
cat "$output"/*.o.log >"$output/ptxas.log"
if grep -E 'C75[0-9][0-9]|[1-9][0-9]* bytes spill' "$output/ptxas.log"; then
  echo "ptxas serialised or spilled something" >&2
  exit 1
fi
"$nvcc" "$output"/*.o -o "$output/copy_bench"
