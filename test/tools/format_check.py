#!/usr/bin/env python3
"""Formats every .tsk file that has no syntax errors, twice.

    format_check.py TSK_SYNTAX FILE_OR_FOLDER...

Formatting must change white space only, and formatting the result must change nothing.
"""
import pathlib
import subprocess
import sys
import tempfile


def formatted(tsk_syntax, path):
    result = subprocess.run([tsk_syntax, "fmt", path], capture_output=True)
    assert result.returncode in (0, 1), f"{path}: tsk-syntax ended with {result.returncode}"
    assert result.returncode == 0 or not result.stdout, f"{path}: output in spite of errors"
    return result.stdout if result.returncode == 0 else None


def check(tsk_syntax, path, again):
    once = formatted(tsk_syntax, path)
    if once is None:
        return None
    if b"".join(once.split()) != b"".join(path.read_bytes().removeprefix(b"\xef\xbb\xbf").split()):
        return "more than white space was changed"
    again.write_bytes(once)
    return "" if formatted(tsk_syntax, again) == once else "formatting it again changes it"


def main():
    tsk_syntax = sys.argv[1]
    count = failures = 0
    with tempfile.TemporaryDirectory() as folder:
        again = pathlib.Path(folder) / "again.tsk"
        for argument in map(pathlib.Path, sys.argv[2:]):
            for path in sorted(argument.rglob("*.tsk")) if argument.is_dir() else [argument]:
                problem = check(tsk_syntax, path, again)
                count += problem is not None
                if problem:
                    failures += 1
                    print(f"{path}: {problem}")
    print(f"{count} files formatted")
    return 1 if failures or count == 0 else 0


sys.exit(main())
