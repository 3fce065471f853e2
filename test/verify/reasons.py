# Finds the reasons in the engine's and the translation's text, and those without a way out.
import pathlib
import re
import sys


def main():
    folder = pathlib.Path(sys.argv[1])
    ways = re.findall(r'TSK_WAY_OUT\("([^"]*)"', (folder / "WaysOut.def").read_text())
    reasons = []
    for path in sorted((folder / "protocol").glob("*.cpp")) + [folder / "Findings.cpp"]:
        text = path.read_text()
        for start in re.finditer(r"\b(?:reason|unsupported|beyond) =[^=]|\breturn unknown\(", text):
            statement = text[start.end() : text.index(";", start.end())]
            literals = re.findall(r'"((?:[^"\\]|\\.)+)"', statement)
            # Alternatives of `? :` are reasons each; others are parts of one.
            parts = literals if "?" in statement else [" ".join(literals)]
            reasons += [part for part in parts if part.strip() and part[0] != " "]  # else the end of one
    missing = [each for each in reasons if not any(way in each for way in ways)]
    for path in sorted((folder / "proof").glob("*.cpp")):
        missing += re.findall(r'fail\([^;]*, ""\);', path.read_text())
    for each in missing:
        print("no way out:", each)
    if not missing:
        print(f"all of {len(reasons)} reasons have a way out")


main()
