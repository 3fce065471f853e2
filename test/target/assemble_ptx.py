"""Assembles every entry of the PTX instruction table for every target: assemble_ptx.py PTXGEN PTXAS

An entry must be accepted by the targets that the table says have it and refused by the others.
Targets that this ptxas does not know are left out and named.
"""
import subprocess
import sys
import tempfile

TARGETS = ["sm_75", "sm_80", "sm_86", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_103a"]


def number(target):
    return int(target.removeprefix("sm_").removesuffix("a"))


def has(target, since):
    if since.endswith("_only"):
        return target == since.removesuffix("_only")
    return number(target) >= number(since) and (not since.endswith("a") or target.endswith("a"))


def assembles(ptxas, target, text):
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        run = subprocess.run([ptxas, f"-arch={target}", file.name, "-o", "/dev/null"],
                             capture_output=True, text=True)
    return run.returncode == 0, run.stderr + run.stdout


def main(ptxgen, ptxas):
    def generate(*args):
        return subprocess.run([ptxgen, *args], check=True, capture_output=True, text=True).stdout

    entries = [line.split() for line in generate("list").splitlines()]
    empty = ".version 9.0\n.target {}\n.address_size 64\n"
    known = [t for t in TARGETS if assembles(ptxas, t, empty.format(t))[0]]
    wrong = 0
    for index, name, since in entries:
        for target in known:
            accepted, log = assembles(ptxas, target, generate("module", index, target))
            if accepted == has(target, since):
                continue
            wrong += 1
            print(f"{name} (since {since}) is {'accepted' if accepted else 'refused'} by {target}")
            if not accepted:
                print(log)
    unknown = sorted(set(TARGETS) - set(known))
    print(f"{len(entries)} entries, {len(known)} targets, {wrong} wrong"
          + (f"; not known to this ptxas: {', '.join(unknown)}" if unknown else ""))
    return 1 if wrong or not entries or not known else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
