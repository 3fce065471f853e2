"""Assembles every entry of the PTX instruction table for every target: assemble_ptx.py PTXGEN PTXAS

An entry must be accepted by the targets that the table says have it and refused by the others.
Targets that this ptxas does not know are left out and named.
"""
import subprocess
import sys
import tempfile

# 8.7 is that of CUDA 12.8, the oldest that the runtime's headers take.
VERSIONS = [f"{major}.{minor}" for major, last in ((10, 9), (9, 9), (8, 9)) for minor in range(last, -1, -1)
            if (major, minor) >= (8, 7)]
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
    def is_known(version, target):
        return assembles(ptxas, target, f".version {version}\n.target {target}\n.address_size 64\n")[0]

    # The newest language of this toolkit, whatever its own number: sm_80 is older than all of them.
    version = next((each for each in VERSIONS if is_known(each, "sm_80")), None)
    if not version:
        sys.exit(f"{ptxas} takes no version of PTX from {VERSIONS[0]} down to {VERSIONS[-1]}")
    known = [target for target in TARGETS if is_known(version, target)]
    wrong = 0
    for index, name, since in entries:
        for target in known:
            accepted, log = assembles(ptxas, target, generate("module", index, target, version))
            if accepted == has(target, since):
                continue
            wrong += 1
            print(f"{name} (since {since}) is {'accepted' if accepted else 'refused'} by {target}")
            if not accepted:
                print(log)
    unknown = sorted(set(TARGETS) - set(known))
    print(f"PTX {version}: {len(entries)} entries, {len(known)} targets, {wrong} wrong"
          + (f"; not known to this ptxas: {', '.join(unknown)}" if unknown else ""))
    return 1 if wrong or not entries or not known else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
