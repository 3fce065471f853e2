"""Compiles the kernels of bench/variants.txt: generate.py TSKC OUTPUT

Writes one .cu and .h a variant, and the two files that the benchmark includes: kernels.h (all headers)
and kernels.inc (a TSK_VARIANT line each).
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


def main(tskc, output):
    output = pathlib.Path(output).resolve()
    output.mkdir(parents=True, exist_ok=True)
    headers, lines = [], []
    for (name, sample, kernel, element, group, rows, cols, timed), defines in variants():
        command = [str(pathlib.Path(tskc).resolve()), f"samples/{sample}/{sample}.tsk",
                   "-o", str(output / f"{name}.tsk.cu"), f"--namespace={name}"]
        for define in defines:
            command += ["-D", define]
        subprocess.run(command, check=True, cwd=ROOT)
        headers.append(f'#include "{name}.tsk.h"\n')
        lines.append(f'TSK_VARIANT({name}, {kernel}, tsk::{element}, "{group}", {rows}, {cols}, {timed})\n')
    (output / "kernels.h").write_text("#pragma once\n" + "".join(headers))
    (output / "kernels.inc").write_text("".join(lines))
    print(f"{len(lines)} variants in {output.name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
