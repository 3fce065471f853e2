"""What the reader says of random bodies, against what they do when they run.

random_bodies.py TSKC CXX RUNTIME WORK SEED COUNT

Each body is read by `tskc check --print-after=read-bodies` and run by the simulator, with its loads and stores
recorded. A fact that the run contradicts is a fault of the reader; the smallest body found that still shows
it is printed. With TSK_RANDOM_BODIES in the environment that many bodies are made, of SEED and the seeds after it.
"""
import os
import pathlib
import sys

sys.dont_write_bytecode = True  # the modules beside this one are sources

from compare import Bench, notices, shrink
from programs import Generator

AT_ONCE = 40  # bodies of one program


def main():
    tskc, cxx, runtime, work, seed, count = sys.argv[1:]
    seed, count = int(seed), int(os.environ.get("TSK_RANDOM_BODIES", count))
    bench = Bench(tskc, cxx, runtime, pathlib.Path(work))
    right, checked, given_up = 0, 0, 0
    failures = []
    kinds = set()
    for first in range(0, count, AT_ONCE):
        numbers = range(first, min(first + AT_ONCE, count))
        programs = [Generator(seed, number).program() for number in numbers]
        results = bench.judge(programs)
        if first == 0 and not notices(bench, programs):
            sys.exit("wrong facts pass unnoticed")
        for number, program, result in zip(numbers, programs, results):
            right += result.is_judged
            checked += result.checked
            given_up += result.is_given_up
            if result.faults:
                failures.append(number)
                print(f"seed {seed} body {number}: {result.faults[0]}", flush=True)
                kind = result.faults[0].split(":")[0]
                if kind not in kinds:  # one of a kind is made smaller, which takes a minute
                    kinds.add(kind)
                    smallest, fault = shrink(bench, program, result.faults[0])
                    print(f"  {fault}\n" + "\n".join("  | " + line for line in bench.lines_of(smallest)), flush=True)
    print(f"{right} random bodies are read as they run, {checked} facts compared, {given_up} not followed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
