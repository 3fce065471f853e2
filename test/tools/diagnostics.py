"""Every diagnostic has a test and an explanation: `diagnostics.py SOURCE_ROOT`.

The registry is compiler/*/*Diagnostics.def. A test names the code as users see it (`TSK1101`) or, in
a unit test, the kind (`kind::UnknownName`). An explanation is a section `## TSK1101` of the
phase's page beside the .def file.
"""
import pathlib
import re
import sys

REGISTRY_LINE = re.compile(r"^TSK_DIAGNOSTIC\((\w+),\s*(\d+),\s*(\w+),\s*\"([a-z0-9-]+)\"\)", re.M)
TESTS = {".tsk", ".test", ".ir", ".plan", ".cpp", ".py", ".h"}


def read(path):
    return path.read_text(encoding="utf-8", errors="replace")


def main(root):
    root = pathlib.Path(root)
    registry = []
    explained = {}
    for definition in sorted(root.glob("compiler/*/*Diagnostics.def")):
        lines = [l for l in read(definition).splitlines() if l.startswith("TSK_DIAGNOSTIC")]
        found = REGISTRY_LINE.findall(read(definition))
        if len(lines) != len(found):
            print(f"{definition.relative_to(root)}: a line is not of the registry's form")
            return 1
        registry += [(int(code), name, definition, flag) for name, code, _, flag in found]
        page = definition.with_suffix(".md")
        for section in re.split(r"^## ", read(page), flags=re.M)[1:] if page.exists() else []:
            heading, _, text = section.partition("\n")
            explained[heading] = len(text.strip()) > 30

    tests = "\n".join(
        read(path)
        for path in sorted((root / "test").rglob("*"))
        if path.suffix in TESTS and path.is_file()
    )
    tested = set(re.findall(r"TSK(\d{4})", tests))
    tested_kinds = set(re.findall(r"kind::(\w+)", tests))

    faults = []
    for column, what in ((0, "number"), (1, "kind"), (3, "flag")):
        values = [entry[column] for entry in registry]
        for entry in registry:
            if values.count(entry[column]) > 1:
                faults.append(f"TSK{entry[0]:04} {entry[1]}: its {what} {entry[column]!r} stands in the registry twice")
    for code, name, *_ in sorted(registry):
        if f"{code:04}" not in tested and name not in tested_kinds:
            faults.append(f"TSK{code:04} {name}: no test shows it")
        if not explained.pop(f"TSK{code:04}", False):
            faults.append(f"TSK{code:04} {name}: no explanation")
    faults += [f"{heading}: explained, but not in the registry" for heading in sorted(explained)]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
