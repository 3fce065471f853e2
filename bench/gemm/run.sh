#!/usr/bin/env bash
# bench/gemm/run.sh DIR [check]: checks and times what build.sh has put into DIR. Needs a Hopper GPU and PyTorch; no nvcc.
set -euo pipefail
dir=$(cd "$1" && pwd)
python3 "$dir/bench.py" "$dir/libgemm.so" "${@:2}"
python3 "$dir/models.py" "$dir/libgemm.so" "${@:2}"
