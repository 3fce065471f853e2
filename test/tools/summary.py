"""Counts a test run: `summary.py ctest.xml lit.json`.

Each text test counts as one and each other ctest entry as one. The last line is
"N passed, N failed" with ", N skipped" behind it where tests were skipped.
"""
import collections
import json
import re
import sys
import xml.etree.ElementTree as ElementTree

LIT_VERDICTS = {
    "PASS": "passed",
    "FLAKYPASS": "passed",
    "XFAIL": "passed",
    "UNSUPPORTED": "skipped",
    "SKIPPED": "skipped",
    "EXCLUDED": None,
}


def read_ctest(path):
    """Yields (name, verdict, reason) of each ctest entry."""
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        skipped = case.find("skipped")
        if case.get("status") == "run":
            yield case.get("name"), "passed", ""
        elif skipped is not None or case.get("status") in ("notrun", "disabled"):
            output = case.findtext("system-out") or ""
            line = re.search(r"^skipped: .*$", output, re.MULTILINE)
            # An executable that is missing is "notrun" too: that is a failure.
            yield case.get("name"), "skipped" if line else "failed", line.group() if line else ""
        else:
            yield case.get("name"), "failed", ""


def read_lit(path):
    for test in json.load(open(path, encoding="utf-8"))["tests"]:
        verdict = LIT_VERDICTS.get(test["code"], "failed")
        missing = re.search(r"unavailable features: (.*)", test.get("output", ""))
        reason = f"skipped: no {missing.group(1).strip()}" if missing else ""
        if verdict:
            yield test["name"], verdict, reason


def main(ctest_path, lit_path):
    counts = collections.Counter()
    failed, reasons = [], collections.Counter()

    def count(name, verdict, reason):
        counts[verdict] += 1
        if verdict == "failed":
            failed.append(name)
        if verdict == "skipped":
            reasons[reason or "skipped"] += 1

    for name, verdict, reason in read_ctest(ctest_path):
        if name != "lit":
            count(name, verdict, reason)
            continue
        try:
            texts = list(read_lit(lit_path))
        except (OSError, ValueError) as error:
            print(f"no results of the text tests: {error}")
            texts = []
        for text in texts:
            count(*text)
        # Killed or broken before it could say which test is at fault.
        if verdict != "passed" and not any(v == "failed" for _, v, _ in texts) or not texts:
            count("lit", "failed", "")

    for reason, number in sorted(reasons.items()):
        print(f"{reason} ({number} test{'s' if number > 1 else ''})")
    for name in failed:
        print(f"failed: {name}")
    tail = f", {counts['skipped']} skipped" if counts["skipped"] else ""
    print(f"{counts['passed']} passed, {counts['failed']} failed{tail}")
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
