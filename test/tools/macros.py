#!/usr/bin/env python3
"""Whether no name of a program is a macro where the code that tskc emits begins: those that the C++
compiler lists on its standard input, as constants of a kernel, are all reserved.

usage: COMPILER -E -dM … | macros.py TSKC FOLDER"""

import re
import subprocess
import sys


def main(tskc, folder):
    names = re.findall(r"^#define ([A-Za-z]\w*)", sys.stdin.read(), re.MULTILINE)
    names = sorted({name for name in names if "__" not in name})
    if len(names) < 100:
        sys.exit(f"only {len(names)} macros: the compiler has listed none")
    path = f"{folder}/macros.tsk"
    with open(path, "w", encoding="utf-8") as file:
        file.write("kernel k() { grid (1);\n")
        file.writelines(f"const {name} = 1;\n" for name in names)
        file.write("}\n")
    command = [tskc, "check", "--error-limit=0", "--color=never", path]
    said = subprocess.run(command, capture_output=True, text=True).stderr
    reserved = {int(line) for line in re.findall(r":(\d+):\d+: error: .* \[TSK1204\]", said)}
    missed = [name for number, name in enumerate(names, 2) if number not in reserved]
    if missed:
        sys.exit(f"not reserved ({len(missed)}): {' '.join(missed)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
