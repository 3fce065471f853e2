"""Compiles the kernels of bench/variants.txt and of the lists in its folders: generate.py TSKC OUTPUT

Writes one .cu and .h a variant, and for each list a file with a line a variant: kernels.h (all headers) and kernels.inc
(TSK_VARIANT) for the copies; gemm/gemms.h and gemm/gemms.inc (TSK_GEMM, TSK_SPLIT) for the GEMMs; rows/rows.h and
rows/rows.inc (TSK_ROWS) for softmax and sums; ladder/ladder.h and ladder/ladder.inc (TSK_LADDER) for what the model estimates
(bench/ladder/models.txt), there with models.json, what it says of each, and for each sample of the ladder its tests for the
GPU and NAME.counts.json, what the simulator counts in them.
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys

BENCH = pathlib.Path(__file__).resolve().parent
ROOT = BENCH.parent


def table(path):
    lines = (shlex.split(line, comments=True) for line in path.read_text().splitlines())
    return [words for words in lines if words]


class Generator:
    def __init__(self, tskc, output):
        self.tskc, self.output = pathlib.Path(tskc).resolve(), output
        self.headers, self.lines = [], []
        output.mkdir(parents=True, exist_ok=True)

    def compile(self, name, sample, defines):
        options = [word for define in defines for word in ("-D", define)]
        subprocess.run([str(self.tskc), f"samples/{sample}.tsk", "-o", str(self.output / f"{name}.tsk.cu"),
                        f"--namespace={name}", *options], check=True, cwd=ROOT)
        self.headers.append(f'#include "{name}.tsk.h"\n')

    def write(self, stem):
        (self.output / f"{stem}.h").write_text("#pragma once\n" + "".join(self.headers))
        (self.output / f"{stem}.inc").write_text("".join(self.lines))
        return len(self.lines)


def copies(tskc, output):
    generator = Generator(tskc, output)
    for name, sample, kernel, element, group, rows, cols, timed, *defines in table(BENCH / "variants.txt"):
        generator.compile(name, f"{sample}/{sample}", defines)
        generator.lines.append(
            f'TSK_VARIANT({name}, {kernel}, tsk::{element}, "{group}", {rows}, {cols}, {timed})\n')
    return generator.write("kernels")


def gemms(tskc, output):
    generator = Generator(tskc, output)
    for name, sample, kernel, element, bench, *defines in table(BENCH / "gemm" / "variants.txt"):
        generator.compile(name, f"gemm/{sample}", defines)
        macro = "TSK_SPLIT" if kernel == "gemm_split" else "TSK_GEMM"
        generator.lines.append(f"{macro}({name}, {kernel}, {element}, {bench})\n")
    return generator.write("gemms")


def rows(tskc, output):
    generator = Generator(tskc, output)
    for name, sample, kernel, form, element, widest, *defines in table(BENCH / "rows" / "variants.txt"):
        generator.compile(name, sample, defines)
        generator.lines.append(f"TSK_ROWS({name}, {kernel}, {form}, {element}, {widest})\n")
    return generator.write("rows")


def estimate(text, kernel):
    """Of the first instance of a kernel in what `tskc sim --model` says: its time and what binds."""
    found = re.search(rf"^{kernel} on .*\n +resource +(ms|us)\n +(\S+) +(\S+)", text, re.MULTILINE)
    return {"bound": found.group(2), "ms": float(found.group(3)) * {"ms": 1, "us": 1e-3}[found.group(1)]}


def ladder(tskc, output):
    generator = Generator(tskc, output)
    (output / "tests").mkdir(exist_ok=True)
    models = []

    def run(command, path, *options):
        return subprocess.run([str(generator.tskc), command, f"samples/{path}.tsk", *options], check=True, cwd=ROOT,
                              stdout=subprocess.PIPE, text=True).stdout

    for name, path, kernel, *dims in table(BENCH / "ladder" / "models.txt"):
        generator.compile(name, path, [])
        values = [dim.split("=")[1] for dim in dims] + ["0"] * (3 - len(dims))
        form = {"m": "product", "M": "gemm", "rows": "copy"}[dims[0].split("=")[0]]
        generator.lines.append(f'TSK_LADDER({name}, {kernel}, {form}, {", ".join(values)})\n')
        text = run("sim", path, "--model", "--gpu=h200", *(f"--arg={dim}" for dim in dims))
        models.append({"name": name, **estimate(text, kernel)})
        if form == "product":
            run("test", path, "--on", "gpu", "-o", str(output / "tests" / f"{name}.cu"))
            (output / f"{name}.counts.json").write_text(run("sim", path, "--profile", "--format=json"))
    (output / "models.json").write_text(json.dumps(models, indent=1))
    return generator.write("ladder")


def main(tskc, output):
    output = pathlib.Path(output).resolve()
    count = copies(tskc, output) + gemms(tskc, output / "gemm") + rows(tskc, output / "rows") + ladder(tskc, output / "ladder")
    print(f"{count} variants in {output.name}")


if __name__ == "__main__":
    main(*sys.argv[1:])
