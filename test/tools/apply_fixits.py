#!/usr/bin/env python3
"""Every fix that tskc offers is applied, and must help: `apply_fixits.py TSKC FILE_OR_FOLDER...`.

A fix is a fix-it of a diagnostic or a statement that a note asks for (`say so: `requires …;``). After
it the diagnostic is gone from its line, and the fix brought no diagnostic of its own: no error of the
syntax, of names or of what a requirement may say. Files of several errors are tried fix by fix.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ADVICE = re.compile(r"say so: `(requires [^`]*;)`")
# What a fix may bring to light: findings of later phases, which the mended error kept from running, and what
# is said of a name once it is known what it names.
LATER = re.compile(r"TSK(2\d|30|40|39)\d\d|TSK(1206|1232|1329|1338|1418)")


def diagnose(tskc, path):
    command = [tskc, "check", "--diagnostics-format=json", "--error-limit=0", path.name]
    run = subprocess.run(command, capture_output=True, cwd=path.parent)
    assert run.returncode in (0, 1), f"{path}: exit status {run.returncode}\n{run.stderr.decode()}"
    lines = run.stderr.decode(errors="replace").splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def counts(reports):
    return collections.Counter((r["code"], r["message"]) for r in reports)


def by_code(reports):
    return collections.Counter(r["code"] for r in reports)


def offset(lines, line, column):
    return sum(len(text) for text in lines[: line - 1]) + column - 1


def fixes(report, name, text):
    """The texts of the file after each fix of the report, with what was done."""
    lines = text.splitlines(keepends=True)
    for fix in report["fixits"]:
        if fix["file"] != name:
            continue
        begin = offset(lines, fix["line"], fix["column"])
        end = offset(lines, fix["endLine"], fix["endColumn"])
        yield fix["title"], text[:begin] + fix["replacement"].encode() + text[end:]
    for note in report["notes"]:
        for statement in ADVICE.findall(note["message"]):
            kernel = re.search(rb"^kernel [^{]*\{", text, re.M)
            yield statement, text[: kernel.end()] + statement.encode() + text[kernel.end() :]


def check(tskc, path, folder):
    tried, failures = 0, []
    text = path.read_bytes()
    # In the file's own folder, for its imports.
    before = diagnose(tskc, path)
    for report in before:
        for title, mended in fixes(report, path.name, text):
            tried += 1
            copy = path.parent / f"{path.stem}.fixed{path.suffix}"
            copy.write_bytes(mended)
            after = diagnose(tskc, copy)
            copy.unlink()
            key = (report["code"], report["message"])
            more = by_code(after) - by_code(before)
            bad = [code for code in more if not LATER.fullmatch(code)]
            if counts(after)[key] >= counts(before)[key] or bad:
                failures.append(f"{path}:{report['line']}: {report['message']}\n  {title}\n  brings {bad}")
    return tried, failures


def main(tskc, *places):
    tried, failures = 0, []
    for place in map(pathlib.Path, places):
        files = [place] if place.is_file() else sorted(place.rglob("*.tsk"))
        for path in files:
            count, wrong = check(tskc, path, path.parent)
            tried += count
            failures += wrong
    print("\n".join([*failures, f"{tried} fixes tried, {len(failures)} do not help"]))
    return 1 if failures or not tried else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
