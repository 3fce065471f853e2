#!/usr/bin/env bash
# bench/gemm/build.sh GENERATED INCLUDE DIR: compiles the generated GEMMs, the hand-written one and the calls of cublasLt with
# nvcc into DIR/libgemm.so. What DIR then holds runs without nvcc (run.sh).
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
printf '%s\0' "$generated"/*.cu "$here"/{generated,hand,hand_lap,cublaslt}.cu |
  xargs -0 -P "$(nproc)" -I{} bash -c 'compile "$@"' _ {} -std=c++17 -O3 -gencode=arch=compute_90a,code=sm_90a -lineinfo \
    -Xptxas -v -Xcompiler -fPIC -I"$generated" -I"$include"
cat "$dir"/*.o.log >"$dir/ptxas.log"
if grep -E 'C75[0-9][0-9]|[1-9][0-9]* bytes spill' "$dir/ptxas.log"; then
  echo "ptxas serialised or spilled something" >&2
  exit 1
fi
"$nvcc" -shared "$dir"/*.o -lcublasLt -o "$dir/libgemm.so"
cp "$here"/{bench,measure,models,triton_gemm}.py "$dir/"
