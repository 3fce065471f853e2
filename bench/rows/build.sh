#!/usr/bin/env bash
# bench/rows/build.sh GENERATED INCLUDE DIR: compiles the generated kernels with nvcc into DIR/librows.so.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
generated=$(cd "$1" && pwd) include=$(cd "$2" && pwd)
rm -rf "$3" && mkdir -p "$3"
dir=$(cd "$3" && pwd)
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
export nvcc dir
compile() { # compile SOURCE FLAG…
  local object=$dir/$(basename "$1" .cu).o
  "$nvcc" -c "$1" -o "$object" "${@:2}" >"$object.log" 2>&1 || { cat "$object.log" >&2; return 1; }
}
export -f compile
printf '%s\0' "$generated"/*.cu "$here"/kernels.cu |
  xargs -0 -P "$(nproc)" -I{} bash -c 'compile "$@"' _ {} -std=c++17 -O3 -gencode=arch=compute_90a,code=sm_90a -lineinfo \
    -Xptxas -v -Xcompiler -fPIC -I"$generated" -I"$include"
cat "$dir"/*.o.log >"$dir/ptxas.log"
if grep -E '[1-9][0-9]* bytes (spill|stack)' "$dir/ptxas.log"; then
  echo "ptxas spilled something" >&2
  exit 1
fi
"$nvcc" -shared "$dir"/*.o -o "$dir/librows.so"
cp "$here"/{bench,cases}.py "$here"/../gemm/measure.py "$dir/"
