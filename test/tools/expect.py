"""Checks that a file gets exactly the diagnostics that it expects: `expect.py TSKC FILE [option…]`.

An expectation stands on a line of its own below the line that it is about:

    const N = 1 / 0;
    //!^ 11 error TSK1231: division by zero in a constant
    //!^ 11 note: …            a note of the diagnostic above it that lies in the line
    //!  error TSK1268: …      a diagnostic without a place
    //!@inc.tsk:3:7 error …    one in another file

`…` at the end of a message stands for any rest. Notes need not be expected; every diagnostic must
be. EXPECT_UPDATE=1 writes what was found into the file instead: read it before you believe it.
"""
import json
import os
import re
import subprocess
import sys

EXPECTATION = re.compile(
    r"^\s*//!(?:\^ (?P<column>\d+)|@(?P<file>[^:]+):(?P<line>\d+):(?P<other>\d+)|) +"
    r"(?P<what>error|warning|remark|note)(?: TSK(?P<code>\d{4}))?: (?P<message>.*?)\s*$"
)


def found_by(tskc, path, options):
    emitted = [] if any(option.startswith("--emit=") for option in options) else ["--emit=ir"]
    command = [tskc, *emitted, "-o", "-", "--diagnostics-format=json", path] + options
    run = subprocess.run(command, capture_output=True)
    if run.returncode not in (0, 1):
        sys.exit(f"exit status {run.returncode}\n{run.stderr.decode(errors='replace')}")
    found = []
    for line in run.stderr.decode(errors="replace").splitlines():
        report = json.loads(line)
        key = (report.get("file"), report.get("line"), report.get("column"))
        found.append((*key, report["severity"], report["code"][3:], report["message"]))
        for note in report["notes"]:
            key = (note.get("file"), note.get("line"), note.get("column"))
            found.append((*key, "note", None, note["message"]))
    return found


def expected_in(path):
    expected, line = [], 0
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for number, text in enumerate(file, 1):
            match = EXPECTATION.match(text)
            if not match:
                if text.lstrip().startswith("//!"):
                    sys.exit(f"{path}:{number}: not an expectation: {text.strip()}")
                line = number
                continue
            if match["column"]:
                place = (path, line, int(match["column"]))
            elif match["file"]:
                folder = os.path.dirname(path)
                place = (os.path.join(folder, match["file"]), int(match["line"]), int(match["other"]))
            else:
                place = (None, None, None)
            expected.append((*place, match["what"], match["code"], match["message"]))
    return expected


def agrees(expected, found):
    if expected[:5] != found[:5]:
        return False
    message = expected[5]
    return found[5].startswith(message[:-1]) if message.endswith("…") else found[5] == message


def show(item):
    place = f"{os.path.basename(item[0])}:{item[1]}:{item[2]}: " if item[0] else ""
    code = f" TSK{item[4]}" if item[4] else ""
    return f"{place}{item[3]}{code}: {item[5]}"


def update(path, found):
    with open(path, encoding="utf-8") as file:
        lines = [text for text in file if not text.lstrip().startswith("//!")]
    # Lines are counted without expectations now: run again on the bare file.
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(lines)
    by_line = {}
    for item in found():
        if item[3] == "note":
            continue
        if item[0] == path:
            text = f"//!^ {item[2]} {item[3]} TSK{item[4]}: {item[5]}\n"
            by_line.setdefault(item[1], []).append(text)
        elif item[0]:
            name = os.path.relpath(item[0], os.path.dirname(path))
            text = f"//!@{name}:{item[1]}:{item[2]} {item[3]} TSK{item[4]}: {item[5]}\n"
            by_line.setdefault(len(lines), []).append(text)
        else:
            by_line.setdefault(len(lines), []).append(f"//! {item[3]} TSK{item[4]}: {item[5]}\n")
    with open(path, "w", encoding="utf-8") as file:
        for number, text in enumerate(lines, 1):
            file.write(text)
            file.writelines(by_line.get(number, []))


def main(tskc, path, options):
    if os.environ.get("EXPECT_UPDATE"):
        return update(path, lambda: found_by(tskc, path, options))
    found = found_by(tskc, path, options)
    faults = []
    for item in expected_in(path):
        match = next((f for f in found if agrees(item, f)), None)
        if match:
            found.remove(match)
        else:
            faults.append("not reported: " + show(item))
    faults += ["not expected: " + show(item) for item in found if item[3] != "note"]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
