#!/usr/bin/env python3
"""Throws mutants of .tsk files at the whole driver: `driver.py TSKC SECONDS FILE_OR_FOLDER... [--seed=N] [--keep=FOLDER]`.

Whatever the input: exit status 0, 1 or 2, an answer within 5 s of CPU, no output left behind after an error,
a message after a failure. What breaks that is kept in FOLDER (fuzz-failures) with what was said.
"""
import argparse
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

TOKEN = re.compile(r"\w+|//[^\n]*|\s+|->|<->|==|!=|<=|>=|&&|\|\||\.\.|::|.", re.S)
NUMBERS = ["0", "1", "-1", "2147483647", "2147483648", "4294967296", "9223372036854775807", "18446744073709551615",
           "18446744073709551616", "99999999999999999999999", "0x7fffffff", "1e308", "1e-400", "0.5f", "1'000", "08"]
PIECES = ["{", "}", "(", ")", "[", "]", "<", ">", ";", ",", "\"", "'", "/*", "*/", "//", "R\"x(", "\\\n", "#if 0\n",
          "\0", "\ufeff", "\u202e", "é", "\r", "static if (", "if (true) {", "for i in 0 .. n {", "let x = ", "inst",
          "[2]", "[inst]", ".wait()", ".acquire()", "::stage", " of src", " by leader", "tsk::tma_load(data, 0, 0);"]
OPTIONS = [[], ["check"], ["check"], ["check"], ["report"], ["graph"], ["--emit=ir", "-o", "-"], ["--emit=plan", "-o", "-"],
           ["fmt"], ["--diagnostics-format=json"], ["--diagnostics-format=sarif"], ["check", "--verify-each"]]


def mutate(text, rng):
    tokens = TOKEN.findall(text)
    words = [t for t in tokens if t.strip()]
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        at = rng.randrange(len(tokens))
        action = rng.randrange(12)
        if action == 0:
            del tokens[at]
        elif action == 1:
            tokens.insert(at, tokens[at])
        elif action == 2:
            other = rng.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif action == 3:
            tokens[at] = rng.choice(words)
        elif action == 4:
            tokens.insert(at, rng.choice(PIECES))
        elif action == 5:
            numbers = [i for i, t in enumerate(tokens) if t.isdigit()]
            if numbers:
                tokens[rng.choice(numbers)] = rng.choice(NUMBERS)
        elif action == 6:
            end = min(len(tokens), at + rng.randrange(1, 60))
            del tokens[at:end]
        elif action == 7:
            end = min(len(tokens), at + rng.randrange(1, 60))
            tokens[at:at] = tokens[at:end]
        elif action == 8:
            name = rng.choice(words)
            fresh = rng.choice(words)
            tokens = [fresh if t == name else t for t in tokens]
        elif action == 9 and rng.random() < 0.2:
            opening, closing = rng.choice([("(", ")"), ("{", "}"), ("[", "]"), ("if (true) {", "}"), ("-", ""), ("!", "")])
            depth = rng.choice([10, 300, 5000, 100000])
            tokens.insert(at, opening * depth + closing * depth * rng.randrange(2))
        elif action == 10 and rng.random() < 0.2:
            tokens.insert(at, rng.choice(["x", "9", " ", "é"]) * rng.choice([1000, 100000]))
        else:
            tokens[at] = rng.choice(["i32", "f16", "src", "rows", "n", "0", "stage", "inst", "block.x", "grid.x"])
        if not tokens:
            tokens = [" "]
    data = "".join(tokens).encode("utf-8", errors="surrogateescape")
    if rng.random() < 0.08 and data:
        data = bytearray(data)
        for _ in range(rng.randrange(1, 6)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        data = bytes(data)
    return data


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(tskc, data, options, folder):
    """What is wrong with how the driver took it, and what it said."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "in.tsk").write_bytes(data)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        made = subprocess.run([tskc, *options, "in.tsk"], cwd=folder, capture_output=True, timeout=120, preexec_fn=limits)
    except subprocess.TimeoutExpired:
        return "no answer in 120 s", b""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if made.returncode not in (0, 1, 2):
        return f"exit status {made.returncode}", made.stderr
    if b"internal" in made.stderr or b"Sanitizer" in made.stderr or b"runtime error:" in made.stderr:
        return "a fault of the compiler", made.stderr
    if seconds > 5:
        return f"{seconds:.1f} s of CPU", made.stderr
    if made.returncode and not made.stderr:
        return "fails without a word", made.stderr
    left = sorted(p.name for p in folder.iterdir() if p.name != "in.tsk")
    if made.returncode and left:
        return f"leaves {left} behind after an error", made.stderr
    return None, made.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tskc", type=pathlib.Path)
    parser.add_argument("seconds", type=float)
    parser.add_argument("places", nargs="+", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("fuzz-failures"))
    args = parser.parse_args()
    sources = [path for place in args.places for path in ([place] if place.is_file() else sorted(place.rglob("*.tsk")))]
    rng = random.Random(args.seed)
    end = time.monotonic() + args.seconds
    count, failures = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            source = rng.choice(sources)
            data = mutate(source.read_bytes().decode("utf-8", errors="surrogateescape"), rng)
            options = rng.choice(OPTIONS)
            count += 1
            wrong, said = run(args.tskc.resolve(), data, options, pathlib.Path(folder) / "run")
            if wrong:
                failures += 1
                args.keep.mkdir(exist_ok=True)
                stem = args.keep / f"{args.seed}-{count}"
                stem.with_suffix(".tsk").write_bytes(data)
                stem.with_suffix(".txt").write_bytes(f"{source.name} {options}: {wrong}\n".encode() + said[:4000])
                print(f"{stem}: {source.name} {options}: {wrong}", flush=True)
    print(f"{count} inputs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
