"""What is emitted for every accepted .tsk file of the tests and samples compiles, without a warning.

compile_all.py TSKC SOURCE_ROOT WORK COMPILER FLAG…
"""
import pathlib
import subprocess
import sys

tskc, root, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
command = sys.argv[4:]
work.mkdir(parents=True, exist_ok=True)

sources = sorted(path for folder in ("test/sim", "test/codegen", "samples")
                 for path in (root / folder).rglob("*.tsk")
                 if "RUN: not" not in path.read_text())
units = {"together": []}  # one translation unit: the headers are what takes the time
for number, source in enumerate(sources):
    name = f"{number}_{source.stem}"
    output = work / f"{name}.cu"
    subprocess.run([tskc, str(source), f"--namespace=of_{number}", f"-I{source.parent}/Inputs",
                    "-o", str(output)], check=True, capture_output=True)
    # Text at namespace scope may have the same names in two files.
    is_apart = "\nnamespace {\n" in output.read_text()
    units.setdefault(name if is_apart else "together", []).append(output.name)

includes = [f"-I{folder}" for folder in (work, root / "test/sim/Inputs", root / "test/codegen/Inputs")]
failed = False
for name, files in units.items():
    unit = work / f"unit_{name}.cu"
    unit.write_text("".join(f'#include "{file}"\n' for file in files))
    run = subprocess.run([*command, *includes, str(unit)], capture_output=True, text=True,
                         cwd=work)
    said = run.stdout + run.stderr
    failed |= run.returncode != 0 or "warning" in said
    if run.returncode or said:
        print(said)
print(f"{len(sources)} files: {'FAILED' if failed else 'ok'}")
sys.exit(failed)
