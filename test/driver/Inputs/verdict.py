"""Reads the lines of `tskc check --diagnostics-format=json` and shows them; members that the page does not name are refused."""
import json
import pathlib
import sys

page = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")


def check(value):
    if isinstance(value, dict):
        for member, inner in value.items():
            if f"`{member}`" not in page:
                sys.exit(f"{sys.argv[1]} does not name `{member}`")
            check(inner)
    if isinstance(value, list):
        for inner in value:
            check(inner)


for line in sys.stdin:
    found = json.loads(line)
    check(found)
    if "severity" in found:
        print(found["severity"], found["code"])
        continue
    print(f"{found['kernel']} for {found['target']}: {found['verdict']}")
    for item in found.get("proved", []):
        print(f"{item['id']} {item['name']}: {item['sentence']}")
    for text in found.get("ranges", []):
        print("for every", text)
    for text in found.get("assumptions", []):
        print("assuming", text)
    if "table" in found:
        plan, run = found["table"]["plan"], found["table"]["run"]
        assert run["tasks"] == [task["name"] for task in plan["tasks"]]
        assert {step["task"] for step in run["steps"]} == set(range(len(run["tasks"])))
        print(f"table: {plan['sharedBytes']} bytes; {', '.join(run['tasks'])}; {len(run['steps'])} steps")
