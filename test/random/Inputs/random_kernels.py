"""Random kernels do in the simulator what an interpreter of their schedules says.

random_kernels.py TSKC WORK SEED COUNT

Each kernel comes with a test of what it must write; all of one seed are compiled to one program.
Kernels that the verifier has no model of are left out. One expectation is wrong on purpose, and must
fail. With TSK_RANDOM_KERNELS in the environment that many kernels are made, of SEED and the seeds after
it. A fault is found again by its seed; WORK keeps the kernels.
"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # the modules beside this one are sources

from expressions import Undefined
from pipelines import Pipes
from plain import Plain

UNDECIDED = {"TSK2090", "TSK2091"}
MOST = 40  # kernels of one program
QUIET = ["-Wno-unused-value"]


def draw(source, number):
    while True:
        kernel = (Plain if number % 2 else Pipes)(source, number)
        try:
            return kernel.kernel, kernel.generate()
        except Undefined:
            pass


def undecided(tskc, path, starts):
    """The kernels that the verifier cannot judge; nothing else may be wrong. `starts`: their first lines."""
    run = subprocess.run([tskc, "check", str(path), "--error-limit=0", "--diagnostics-format=json", *QUIET],
                         capture_output=True, text=True)
    found = set()
    for line in run.stderr.splitlines():
        item = json.loads(line)
        if item["severity"] == "error":
            if item["code"] not in UNDECIDED:
                sys.exit(f"{path}: a kernel that should be right is refused\n{line}")
            found.add(starts[max(start for start in starts if start <= item["line"])] if "line" in item
                      else re.search(r"`(\w+)`", item["message"])[1])
    return found


def write(path, kernels):
    """The file, and the line on which each kernel starts."""
    starts, text = {}, ""
    for name, part in kernels:
        starts[text.count("\n") + 1] = name
        text += part
    path.write_text(text)
    return starts


def spoiled(part):
    """The kernel with a wrong expectation: the last value that is not 0 is another."""
    head, _, tail = part.rpartition("values[] = {")
    values, _, rest = tail.partition("}")
    numbers = values.split(", ")
    place = max(i for i, number in enumerate(numbers) if number != "0L")
    numbers[place] = "123456789L"
    return head + "values[] = {" + ", ".join(numbers) + "}" + rest


def check(tskc, path, seed, count):
    """How many kernels are right and how many undecided; ends at the first fault."""
    source = random.Random(seed)
    kernels = [draw(source, number) for number in range(count)]
    starts = write(path, kernels)
    unknown = undecided(tskc, path, starts)
    kernels = [item for item in kernels if item[0] not in unknown]
    wrong = kernels[-1][0]
    kernels[-1] = (kernels[-1][0], spoiled(kernels[-1][1]))
    write(path, kernels)
    run = subprocess.run([tskc, "test", str(path), *QUIET], capture_output=True, text=True)
    passed = set(re.findall(r"^PASS (\w+)[.]", run.stdout, re.MULTILINE))
    failed = [name for name, _ in kernels if name not in passed and name != wrong]
    if failed or wrong in passed:
        print((run.stdout + run.stderr)[:6000])
        sys.exit(f"{path}, seed {seed}: {failed or 'what must fail passes'}")
    return len(passed), len(unknown)


def main(tskc, work, seed, count):
    work, seed = pathlib.Path(work), int(seed)
    work.mkdir(parents=True, exist_ok=True)
    left = int(os.environ.get("TSK_RANDOM_KERNELS") or count)
    right = undecided_ones = 0
    while left > 0:
        part = min(left, MOST)
        passed, unknown = check(tskc, work / f"seed_{seed}.tsk", seed, part)
        right, undecided_ones = right + passed, undecided_ones + unknown
        seed, left = seed + 1, left - part
    print(f"{right} random kernels are right, {undecided_ones} are not decided")
    sys.exit(undecided_ones * 3 > right)  # then little was tested


if __name__ == "__main__":
    main(*sys.argv[1:])
