"""The words that the language page and the grammar call taken are those of the compiler: `reserved_words.py ROOT`."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])


def words(file, macro):
    return re.findall(rf'^{macro}\((?:\w+, )?"(\w+)"', (root / file).read_text(encoding="utf-8"), re.M)


def expect(what, found, wanted):
    if sorted(found) != sorted(wanted):
        sys.exit(f"{what}: missing {sorted(set(wanted) - set(found))}, too many {sorted(set(found) - set(wanted))}")


keywords = words("compiler/syntax/TokenKinds.def", "TSK_KEYWORD")
reserved = words("compiler/sema/ReservedNames.def", "TSK_RESERVED")
of_works = words("compiler/sema/ReservedNames.def", "TSK_RESERVED_WORK")

page = (root / "docs/language.md").read_text(encoding="utf-8").split("\n## Words\n")[1].split("\n## ")[0]
for start, wanted in (("- as the grammar's keywords", keywords), ("- as what the language", reserved),
                      ("Works are not called", of_works)):
    line = next(line for line in page.split("\n") if line.startswith(start))
    expect(f"docs/language.md: {start}", re.findall(r"`(\w+)`", line.split(" either.")[0]), wanted)

grammar = (root / "lang/grammar.ebnf").read_text(encoding="utf-8")
listed = grammar.split("no declaration may introduce them.\n")[1].split(".\n")[0]
expect("lang/grammar.ebnf", re.findall(r"\w+", listed), reserved)
print(len(keywords + reserved + of_works), "words are listed in both")
