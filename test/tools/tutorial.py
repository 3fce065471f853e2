"""Does what a page tells its reader to do: `tutorial.py PAGE BIN WORK [--link NAME=PATH]…`.

Fenced blocks in order: ```tsk NAME, ```cpp NAME or ```cmake NAME writes a file, ```sh runs commands, and a
```text behind it must be exactly what they printed. In a `text` block a line `…` stands for any lines.
BIN is put in front of PATH; WORK gets the links.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)


def matches(expected, actual):
    """Whether `actual` has the lines of `expected`, `…` standing for any number of lines."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line) + "\n"
        for line in expected.rstrip("\n").split("\n"))
    return re.fullmatch(pattern, actual.rstrip("\n") + "\n") is not None


def main(page, tools, work, *links):
    shutil.rmtree(work, ignore_errors=True)
    pathlib.Path(work).mkdir(parents=True)
    for link in links[1::2]:
        name, target = link.split("=", 1)
        pathlib.Path(work, name).symlink_to(target)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    output, ran = None, 0
    for kind, name, text in FENCE.findall(pathlib.Path(page).read_text(encoding="utf-8")):
        if name:
            path = pathlib.Path(work, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif kind == "sh":
            result = subprocess.run(["bash", "-c", text], cwd=work,
                                    env=environment, text=True, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT)
            output, ran = result.stdout, ran + 1
            print(f"$ {text}{output}")
        elif kind == "text" and not matches(text, output):
            sys.exit(f"the page says that this is printed:\n{text}\nbut it was:\n{output}")
    if not ran:
        sys.exit(f"{page}: nothing to do")


if __name__ == "__main__":
    main(*sys.argv[1:])
