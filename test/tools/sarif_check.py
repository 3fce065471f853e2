"""Reads a SARIF document from standard input and checks its structure against the parts of SARIF 2.1.0 that tskc writes.

Every property has to be known and of its type; what the standard requires has to be there; indices have to lead somewhere.
Prints one line a result, its code flows below it, for FileCheck.
"""
import json
import re
import sys
from urllib.parse import unquote


class Wrong(Exception):
    pass


def require(condition, where, what):
    if not condition:
        raise Wrong(f"{where}: {what}")


def one_of(*values):
    def check(value, where):
        require(value in values, where, f"{value!r} is none of {values}")
    return check


def text(value, where):
    require(isinstance(value, str), where, "not a string")


def boolean(value, where):
    require(isinstance(value, bool), where, "not a boolean")


def number(least):
    def check(value, where):
        require(isinstance(value, int) and not isinstance(value, bool), where, "not an integer")
        require(value >= least, where, f"{value} is less than {least}")
    return check


def uri(value, where):
    text(value, where)
    require(re.fullmatch(r"(?:[A-Za-z0-9/._~!$&'()*+,;=:@-]|%[0-9A-F]{2})+", value), where, f"{value!r} is no URI")


def array(check, least=0):
    def checks(value, where):
        require(isinstance(value, list), where, "not an array")
        require(len(value) >= least, where, f"fewer than {least} elements")
        for i, each in enumerate(value):
            check(each, f"{where}[{i}]")
    return checks


def thing(required, optional=None):
    optional = optional or {}

    def check(value, where):
        require(isinstance(value, dict), where, "not an object")
        for name in required:
            require(name in value, where, f"`{name}` is missing")
        for name, each in value.items():
            known = required.get(name) or optional.get(name)
            require(known, where, f"`{name}` is no property of it")
            known(each, f"{where}.{name}")
    return check


def region(value, where):
    thing({"startLine": number(1)},
          {"startColumn": number(1), "endLine": number(1), "endColumn": number(1)})(value, where)
    begin = (value["startLine"], value.get("startColumn", 1))
    end = (value.get("endLine", begin[0]), value.get("endColumn", begin[1]))
    require(begin <= end, where, "ends before it begins")


MESSAGE = thing({"text": text})
ARTIFACT = thing({"uri": uri})
PHYSICAL = thing({"artifactLocation": ARTIFACT}, {"region": region})
LOCATION = thing({}, {"id": number(0), "physicalLocation": PHYSICAL, "message": MESSAGE})
LEVEL = one_of("none", "note", "warning", "error")
REPLACEMENT = thing({"deletedRegion": region}, {"insertedContent": thing({"text": text})})
CHANGE = thing({"artifactLocation": ARTIFACT, "replacements": array(REPLACEMENT, 1)})
STEP = thing({}, {"location": LOCATION, "executionOrder": number(0),
                  "importance": one_of("important", "essential", "unimportant")})
FLOW = thing({"threadFlows": array(thing({"locations": array(STEP, 1)}, {"id": text}), 1)}, {"message": MESSAGE})
RESULT = thing({"message": MESSAGE},
               {"ruleId": text, "ruleIndex": number(0), "level": LEVEL, "locations": array(LOCATION),
                "relatedLocations": array(LOCATION), "codeFlows": array(FLOW),
                "fixes": array(thing({"artifactChanges": array(CHANGE, 1)}, {"description": MESSAGE}))})
RULE = thing({"id": text}, {"name": text, "fullDescription": MESSAGE, "defaultConfiguration": thing({}, {"level": LEVEL})})


def anything(value, where):
    pass


# What `check` says of a kernel, in a property bag; test/driver/check-json.test knows its members.
VERDICT = thing({"kernel": text, "target": text, "verdict": one_of("proved", "fault", "unknown", "rejected")},
                {"proved": array(anything), "ranges": array(text), "assumptions": array(text), "table": anything})
RUN = thing({"tool": thing({"driver": thing({"name": text}, {"version": text, "rules": array(RULE)})})},
            {"columnKind": one_of("utf16CodeUnits", "unicodeCodePoints"), "results": array(RESULT),
             "invocations": array(thing({"executionSuccessful": boolean})),
             "properties": thing({}, {"verdicts": array(VERDICT, 1)})})
DOCUMENT = thing({"version": one_of("2.1.0"), "runs": array(RUN, 1)}, {"$schema": uri})


def check_run(run, where):
    rules = run["tool"]["driver"].get("rules", [])
    ids = [rule["id"] for rule in rules]
    require(len(set(ids)) == len(ids), where, "two rules with one id")
    for result in run.get("results", []):
        require(ids[result["ruleIndex"]] == result["ruleId"], where, "a rule's index leads to another rule")
        numbers = [each["id"] for each in result.get("relatedLocations", [])]
        require(len(set(numbers)) == len(numbers), where, "two related locations with one id")
        for flow in result.get("codeFlows", []):
            for thread in flow["threadFlows"]:
                orders = [step["executionOrder"] for step in thread["locations"]]
                require(orders == sorted(orders), where, "a thread flow goes back in time")
    failed = any(result.get("level") == "error" for result in run.get("results", []))
    require(run["invocations"][0]["executionSuccessful"] != failed, where, "says of itself that it went well")


def place(location):
    physical = location.get("physicalLocation")
    if not physical:
        return "-"
    at = physical["region"]
    return f"{unquote(physical['artifactLocation']['uri']).rsplit('/', 1)[-1]}:{at['startLine']}:{at['startColumn']}-{at['endColumn']}"


def show(run):
    for verdict in run.get("properties", {}).get("verdicts", []):
        print("verdict", verdict["kernel"], verdict["verdict"])
    for result in run["results"]:
        where = place(result["locations"][0]) if result["locations"] else "-"
        print(f"{where} {result['level']} {result['ruleId']} {json.dumps(result['message']['text'])}")
        for each in result["relatedLocations"]:
            print(f"  {place(each)} {each['message']['text']}")
        for fix in result.get("fixes", []):
            print(f"  fix {fix['description']['text']}")
        for flow in result.get("codeFlows", []):
            for thread in flow["threadFlows"]:
                for step in thread["locations"]:
                    mark = " essential" if step["importance"] == "essential" else ""
                    print(f"  {step['executionOrder']} {thread['id']}: {place(step['location'])} "
                          f"{step['location']['message']['text']}{mark}")


def main():
    try:
        document = json.loads(sys.stdin.buffer.read().decode("utf-8"))
        DOCUMENT(document, "document")
        for i, run in enumerate(document["runs"]):
            check_run(run, f"document.runs[{i}]")
    except (ValueError, Wrong) as wrong:
        return f"not a SARIF document: {wrong}"
    for run in document["runs"]:
        show(run)


if __name__ == "__main__":
    sys.exit(main())
