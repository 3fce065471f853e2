#!/usr/bin/env python3
"""Writes docs/verifier-cases.md from test/verify/corpus: run it after changing a case.

With --check it only says whether the page is what it would write. Either way every case of the
collections must have a program of the corpus, or a line of `coverage.txt` that names another test
(file and words that stand in it) or says why there is none."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]
corpus = root / "test/verify/corpus"


def numbers(letter, text):
    """'B', '1-3 7' -> B1 B2 B3 B7; two digits where the collection has them."""
    found = []
    for part in text.split():
        first, _, last = part.partition("-")
        for n in range(int(first), int(last or first) + 1):
            found.append(f"{letter}{n:02d}" if letter in "BVIwcrt" else f"{letter}{n}")
    return found


COLLECTIONS = [
    ("Real faults", numbers("B", "1-48")),
    ("Real faults of one line each", numbers("E", "2126 2162 2626 2267 8311 9871 7293 4342 11411 3420 1173 1678 3492 4524 871 4611 4474 4573 1853 1852 9786 15265")),
    ("Accepted by the inventory's checker, wrong", numbers("U", "1 3 5-7 9-11 13 15 17-19 21 23-25 28 30")),
    ("Rejected by it, right", numbers("F", "1-2 4 6 8-9 11-12")),
    ("Valid", numbers("V", "1-17")),
    ("Invalid", numbers("I", "1-3 5-8 10-13 15 18-20")),
    ("Probes: kernels", ["t01", "t02", "t04", "t07-01", "t07-02", "t07-03", "t07-04", "fmha5", "fmha6"]),
    ("Probes: wrong", numbers("w", "1 3 5 7 9 11 13 15 17 19 21 23 25 27 29") + ["w09b", "w13b"]),
    ("Probes: more of them", numbers("c", "1-3 5 7 19 26-27 30-36") + ["c03b"]),
    ("Probes: right", numbers("r", "1 3 5 7 9 11 13 15 17 19")),
]

HEAD = """# Cases of the verifier

Written by `test/verify/cases.py`; the test `verifier-cases` fails if it is not up to date or if a case of the collections has neither a test nor a reason.

A case is a protocol program with the verdict that its source gives it. The engine must give that verdict (unit test `verify-protocol`), and so must every interleaving
of its smallest scenario, or of counts 0, 1 and 2 where it is proved. Where a fault of the collection is called a race and the verdict here is one of V3 (or the reverse), the
program has both: the first along the run is reported. A *twin* is the smallest right schedule beside a fault, a *trap* a repair that does not help.
"""


def programs():
    for file in sorted(corpus.glob("*.proto")):
        for line in file.read_text().splitlines():
            match = re.match(r"== (.*?): (.*)$", line)
            if match:
                yield match.group(1), match.group(2), file.name


def covered_elsewhere():
    """Lines `B36 | test/plan/errors.test | TSK4307 | reason`; the file may be absent."""
    lines = {}
    for line in (root / "test/verify/coverage.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        case, file, words, reason = (part.strip() for part in line.split("|"))
        if file and words not in (root / file).read_text():
            sys.exit(f"coverage.txt: {case}: {file} does not hold `{words}`")
        lines.setdefault(case, []).append((file, words, reason))
    return lines


def coverage(cases):
    elsewhere = covered_elsewhere()
    out, missing = "", []
    for title, wanted in COLLECTIONS:
        out += f"\n### {title}\n\n| case | programs | elsewhere |\n|---|---|---|\n"
        for case in wanted:
            own = [(name, verdict, file) for name, verdict, file in cases
                   if re.match(re.escape(case) + r"(?![0-9a-z-])", name)]
            others = elsewhere.pop(case, [])
            if not own and not others:
                missing.append(case)
            good = sum(verdict == "proved" for _, verdict, _ in own)
            files = ", ".join(sorted({f"`{file}`" for _, _, file in own}))
            said = f"{files}: {len(own) - good} rejected, {good} proved" if own else "none"
            notes = "; ".join((f"`{file}` ({words}): " if file else "") + reason
                              for file, words, reason in others)
            out += f"| {case} | {said} | {notes} |\n"
    if missing:
        sys.exit("neither a program nor a line of coverage.txt: " + " ".join(missing))
    rules = elsewhere
    out += "\n### The inventory's checks, by group\n\n| checks | what tskc has |\n|---|---|\n"
    for case, others in rules.items():
        notes = "; ".join((f"`{file}` ({words}): " if file else "") + reason
                          for file, words, reason in others)
        out += f"| {case} | {notes} |\n"
    return out


def check_holes():
    """Files in the table of `docs/verifier.md` exist, and the programs named behind one stand in it."""
    page = (root / "docs/verifier.md").read_text()
    table = page[page.index("### What the theory had left open") : page.index("## Evidence")]
    rows = [row for row in table.splitlines() if row.startswith("| ")][1:]
    text = ""
    for name, said in re.findall(r'`([^`]+)`|"([^"]+)"', "\n".join(rows)):
        if name.endswith((".proto", ".test")):
            file = (corpus if name.endswith(".proto") else corpus.parent) / name
            if not file.exists():
                sys.exit(f"docs/verifier.md: there is no {name}")
            text = file.read_text()
        elif said and not said.endswith("*") and said not in text:
            sys.exit(f"docs/verifier.md: `{said}` does not stand in the file named before it")


def main():
    check_holes()
    cases = list(programs())
    out = HEAD + "\n## Where each case of the collections is\n" + coverage(cases)
    out += "\n## Programs\n\n| program | verdict | file |\n|---|---|---|\n"
    for name, verdict, file in cases:
        out += f"| {name} | {verdict} | `{file}` |\n"
    page = root / "docs/verifier-cases.md"
    if "--check" not in sys.argv:
        page.write_text(out)
    elif page.read_text() != out:
        sys.exit("docs/verifier-cases.md is out of date: run test/verify/cases.py")


main()
