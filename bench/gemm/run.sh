#!/usr/bin/env bash
# bench/gemm/run.sh DIR: checks and times what build.sh has put into DIR. Needs a Hopper GPU and PyTorch for the reference
# and for cuBLAS beside it; no nvcc.
set -euo pipefail
python3 "$1/bench.py" "$1/libgemm.so"
