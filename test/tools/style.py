"""Form of the sources: `style.py SOURCE_ROOT CLANG_FORMAT [TSKC]`.

C++ is formatted by clang-format and .tsk samples by `tskc fmt`; files are short, end with a line
break, hold no tabs and no trailing blanks; nothing names a builder's folders or defers work.
"""
import pathlib
import re
import subprocess
import sys

FOLDERS = ["compiler", "runtime", "tools", "test", "samples", "lang", "bench", "cmake", "docs"]
CXX = {".cpp", ".h", ".cuh", ".cu"}
TEXT = CXX | {".def", ".td", ".md", ".py", ".tsk", ".test", ".ir", ".plan", ".txt", ".cmake", ".sh"}
# Files whose faults are their purpose.
INPUTS = re.compile(r"/(inputs|Inputs|corpus)/")
MAX_LINES = 800
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK|for now|stubbed|work in progress)\b")
CONFLICT = re.compile(r"^(<{7}|>{7}) ")
PLACES = re.compile(r"(?<![\w.<$}])/(home|root|work|farm)/\w+")


def sources(root):
    """What git knows, or would: not what it ignores. Without git, an unpacked archive: everything."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, text=True)
    names = listed.stdout.split("\0")[:-1]
    if listed.returncode:
        names = [str(path.relative_to(root)) for folder in FOLDERS for path in (root / folder).rglob("*")]
        names += [path.name for path in root.glob("*")]
    for name in sorted(names):
        path = root / name
        in_scope = name.split("/")[0] in FOLDERS or "/" not in name
        if in_scope and path.is_file() and not INPUTS.search("/" + name) and (path.suffix in TEXT or name == "dev"):
            yield path


def check_text(path, text):
    lines = text.split("\n")
    if len(lines) - 1 > MAX_LINES and path.suffix in CXX:
        yield 1, f"{len(lines) - 1} lines; {MAX_LINES} is the ceiling"
    if text and not text.endswith("\n"):
        yield len(lines), "no line break at the end"
    for number, line in enumerate(lines, 1):
        if line != line.rstrip() and path.suffix not in {".test", ".tsk"}:
            yield number, "blanks at the end of the line"
        if "\t" in line and path.suffix in CXX | {".py", ".def", ".cmake"}:
            yield number, "a tab"
        if path.name != "style.py" and UNFINISHED.search(line):
            yield number, "defers work"
        if CONFLICT.match(line):
            yield number, "a conflict marker"
        if PLACES.search(line):
            yield number, "names a folder of somebody's machine"


def main(root, clang_format, tskc=None):
    root = pathlib.Path(root)
    files = list(sources(root))
    faults = []
    for path in files:
        text = path.read_text(encoding="utf-8", errors="replace")
        faults += [f"{path.relative_to(root)}:{n}: {why}" for n, why in check_text(path, text)]
    cxx = [str(path) for path in files if path.suffix in CXX]
    formatted = subprocess.run(
        [clang_format, "--dry-run", "--Werror", "-ferror-limit=1", *cxx],
        capture_output=True, text=True, cwd=root)
    faults += sorted({
        f"{pathlib.Path(name).relative_to(root)}: not formatted; `./dev format` formats it"
        for name in re.findall(r"^(/[^:\n]+):\d+:\d+: error:", formatted.stderr, re.M)})
    if formatted.returncode and not faults:
        faults.append(formatted.stderr)
    samples = [str(path.relative_to(root)) for path in files
               if path.suffix == ".tsk" and path.relative_to(root).parts[0] in {"samples", "lang"}]
    if tskc and samples:
        checked = subprocess.run([tskc, "fmt", "--check", *samples], capture_output=True, text=True,
                                 cwd=root)
        faults += checked.stderr.splitlines()
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
