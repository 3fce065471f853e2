#!/usr/bin/env bash
# bench/gemm/build.sh TSKC INCLUDE DIR: compiles the sample with tskc, and it, the hand-written GEMM and the calls of cublasLt
# with nvcc, into DIR/libgemm.so. What DIR then holds runs without tskc and nvcc (run.sh).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tskc=$1 include=$(cd "$2" && pwd)
mkdir -p "$3"
dir=$(cd "$3" && pwd)
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
"$tskc" "$here/../../samples/gemm/gemm.tsk" -o "$dir/gemm.cu"
flags=(-std=c++17 -O3 -gencode=arch=compute_90a,code=sm_90a -lineinfo -Xptxas -v -Xcompiler -fPIC -I"$dir" -I"$include")
: >"$dir/ptxas.log"
for source in "$dir/gemm.cu" "$here"/{generated,hand,cublaslt}.cu; do
  "$nvcc" "${flags[@]}" -c "$source" -o "$dir/$(basename "$source" .cu).o" 2>>"$dir/ptxas.log" || {
    cat "$dir/ptxas.log" >&2
    exit 1
  }
done
if grep -E 'C75[0-9][0-9]|[1-9][0-9]* bytes spill' "$dir/ptxas.log"; then
  echo "ptxas serialised or spilled something" >&2
  exit 1
fi
"$nvcc" -shared "$dir"/{gemm,generated,hand,cublaslt}.o -lcublasLt -o "$dir/libgemm.so"
cp "$here"/{bench,measure,triton_gemm}.py "$dir/"
