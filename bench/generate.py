"""Compiles the kernels of bench/variants.txt and the GEMM: generate.py TSKC OUTPUT

Writes one .cu and .h a variant, and the two files that the benchmark includes: kernels.h (all headers)
and kernels.inc (a TSK_VARIANT line each); gemm/gemm.cu and gemm/gemm_cluster.cu with their headers.
"""
import pathlib
import shlex
import subprocess
import sys

BENCH = pathlib.Path(__file__).resolve().parent
ROOT = BENCH.parent


def variants():
    for line in (BENCH / "variants.txt").read_text().splitlines():
        words = shlex.split(line, comments=True)
        if words:
            yield words[:8], words[8:]


def compile_sample(tskc, sample, target, *options):
    command = [str(pathlib.Path(tskc).resolve()), f"samples/{sample}.tsk", "-o", str(target), *options]
    subprocess.run(command, check=True, cwd=ROOT)


def main(tskc, output):
    output = pathlib.Path(output).resolve()
    (output / "gemm").mkdir(parents=True, exist_ok=True)
    for name in ("gemm", "gemm_cluster"):
        compile_sample(tskc, f"gemm/{name}", output / "gemm" / f"{name}.cu")
    headers, lines = [], []
    for (name, sample, kernel, element, group, rows, cols, timed), defines in variants():
        options = [word for define in defines for word in ("-D", define)]
        compile_sample(tskc, f"{sample}/{sample}", output / f"{name}.tsk.cu", f"--namespace={name}", *options)
        headers.append(f'#include "{name}.tsk.h"\n')
        lines.append(f'TSK_VARIANT({name}, {kernel}, tsk::{element}, "{group}", {rows}, {cols}, {timed})\n')
    (output / "kernels.h").write_text("#pragma once\n" + "".join(headers))
    (output / "kernels.inc").write_text("".join(lines))
    print(f"{len(lines)} variants in {output.name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
