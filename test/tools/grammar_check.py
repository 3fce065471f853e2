#!/usr/bin/env python3
"""Keeps lang/grammar.ebnf and the parser in step.

    grammar_check.py [--mutants=N] GRAMMAR TSK_SYNTAX TOKEN_KINDS FILE_OR_FOLDER...

Reads the grammar as a PEG, quite independently of the parser, and asks both about every .tsk file:
each must be accepted by both or rejected by both. So must N texts made from those files by moving
their tokens about, always the same ones. The words of the grammar must be those of TokenKinds.def.
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading

# What the parser finds wrong with a value, an encoding or a size is no matter of grammar.
VALUE_CODES = {"1001", "1002", "1009", "1010", "1011", "1012", "1015"}
LARGEST = 200_000  # bytes; a packrat parser in Python takes its time

FOREIGN_MARKS = ["++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "&", "|", "..."]


class Grammar:
    """Rules as nested tuples: ('alt'|'seq', [..]), ('rep'|'opt'|'&'|'!', x), ('lit'|'ref'|'re', s)."""

    def __init__(self, text):
        text = re.sub(r"\(\*.*?\*\)", "", text, flags=re.S)
        self.tokens = re.findall(r'`[^`]*`|"[^"]*"|[A-Za-z_]+|[=;|{}\[\]()&!-]', text)
        self.at = 0
        self.rules = {}
        self.excluded = {}
        while self.at < len(self.tokens):
            name = self.take()
            self.expect("=")
            self.rules[name] = self.alternatives()
            if self.peek() == "-":
                self.take()
                self.excluded[name] = self.take()
            self.expect(";")
        self.check_names()

    def peek(self):
        return self.tokens[self.at]

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, token):
        found = self.take()
        assert found == token, f"expected {token} near {self.tokens[max(0, self.at - 6):self.at]}"

    def alternatives(self):
        choices = [self.sequence()]
        while self.peek() == "|":
            self.take()
            choices.append(self.sequence())
        return ("alt", choices)

    def sequence(self):
        items = []
        while self.peek() not in ("|", ";", "}", "]", ")", "-"):
            items.append(self.item())
        return ("seq", items)

    def item(self):
        token = self.take()
        closing = {"{": "}", "[": "]", "(": ")"}.get(token)
        if closing:
            inner = self.alternatives()
            self.expect(closing)
            return {"{": ("rep", inner), "[": ("opt", inner), "(": inner}[token]
        if token in "&!":
            return (token, self.item())
        if token[0] == '"':
            return ("lit", token[1:-1])
        if token[0] == "`":
            return ("re", re.compile(token[1:-1]))
        return ("ref", token)

    def walk(self, node):
        yield node
        if node[0] in ("alt", "seq"):
            for child in node[1]:
                yield from self.walk(child)
        elif node[0] in ("rep", "opt", "&", "!"):
            yield from self.walk(node[1])

    def all_nodes(self):
        for rule in self.rules.values():
            yield from self.walk(rule)

    def check_names(self):
        used = {node[1] for node in self.all_nodes() if node[0] == "ref"}
        used |= set(self.excluded.values())
        undefined = used - set(self.rules) - {"BODY"}
        unused = set(self.rules) - used - {"file"}
        assert not undefined and not unused, f"undefined: {undefined}, unused: {unused}"

    def literals(self):
        return {node[1] for node in self.all_nodes() if node[0] == "lit"}


class Reader:
    """One text against the grammar, with memory (packrat)."""

    SPACE = re.compile(r"(?:[\s\0]+|//(?:[^\\\n]|\\\r?\n|\\)*|/\*.*?\*/)*", re.S)
    WORD = re.compile(r"\w+", re.A)
    # What hides braces in C++; the order matters.
    CPP = re.compile(
        r"//(?:[^\\\n]|\\\r?\n|\\)*|/\*.*?\*/"
        r"|(?<!\w)(?:u8|[uUL])?R\"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)\""
        r"|(?:\d|\.\d)(?:[eEpP][+-]|'\w|[\w.])*"
        # Not the prefix of a raw string that does not end.
        r"|(?!(?:u8|[uUL])?R\"[^()\\\s\"]{0,16}\()\w+"
        r"|\"(?:[^\"\\\n]|\\\r?\n|\\.)*\""
        r"|'(?:[^'\\\n]|\\\r?\n|\\.)*'"
        r"|(?P<directive>(?<=\n)[ \t]*#(?:[^\\\n{}/]|\\\r?\n|\\|/(?![/*]))*)"
        r"|/(?![/*])|[^/\"'\w]",
        re.S | re.A,
    )

    def __init__(self, grammar, text):
        self.grammar = grammar
        self.text = text
        self.memory = {}
        self.farthest = 0
        marks = {lit for lit in grammar.literals() if not re.match(r"\w", lit)} | set(FOREIGN_MARKS)
        marks.discard("<-")
        self.marks = sorted(marks, key=len, reverse=True)

    def accepts(self):
        start = 1 if self.text.startswith("\ufeff") else 0
        end = self.match(("ref", "file"), start)
        return self.skip(end) == len(self.text)

    def skip(self, at):
        return self.SPACE.match(self.text, at).end()

    def match(self, node, at):
        kind, inner = node
        if kind == "ref":
            key = (inner, at)
            if key not in self.memory:
                self.memory[key] = self.rule(inner, at)
            return self.memory[key]
        if kind == "lit":
            return self.literal(inner, self.skip(at))
        if kind == "re":
            found = inner.match(self.text, self.skip(at))
            return found.end() if found else None
        if kind == "seq":
            for child in inner:
                at = self.match(child, at)
                if at is None:
                    return None
            return at
        if kind == "alt":
            for child in inner:
                end = self.match(child, at)
                if end is not None:
                    return end
            return None
        if kind == "opt":
            end = self.match(inner, at)
            return at if end is None else end
        if kind == "rep":
            while True:
                end = self.match(inner, at)
                if end is None or end == at:
                    return at
                at = end
        found = self.match(inner, at) is not None
        return at if found == (kind == "&") else None

    def rule(self, name, at):
        if name == "BODY":
            return self.body(self.skip(at))
        end = self.match(self.grammar.rules[name], at)
        excluded = self.grammar.excluded.get(name)
        if end is not None and excluded and self.match(("ref", excluded), at) == end:
            return None
        if end is not None:
            self.farthest = max(self.farthest, end)
        return end

    def literal(self, literal, at):
        if re.match(r"\w", literal):
            word = self.WORD.match(self.text, at)
            return word.end() if word and word.group() == literal else None
        if not self.text.startswith(literal, at):
            return None
        longest = next((mark for mark in self.marks if self.text.startswith(mark, at)), "")
        return at + len(literal) if len(longest) <= len(literal) else None

    def body(self, at):
        if not self.text.startswith("{", at):
            return None
        depth = 0
        while at < len(self.text):
            token = self.CPP.match(self.text, at)
            if not token:
                return None  # an open comment, string or character literal
            depth += {"{": 1, "}": -1}.get(token.group(), 0)
            at = token.end()
            if depth == 0:
                return at
        return None


def declared_words(path):
    text = path.read_text()
    pattern = r'TSK_KEYWORD\(\w+, "(\w+)"\)|TSK_CONTEXTUAL\("(\w+)"\)'
    return {hard or soft for hard, soft in re.findall(pattern, text)}


def parser_accepts(tsk_syntax, path):
    result = subprocess.run([tsk_syntax, "check", path], capture_output=True, text=True, errors="replace")
    assert result.returncode in (0, 1), f"{path}: tsk-syntax ended with {result.returncode}"
    codes = re.findall(r"^\S+:\d+:\d+: error: .*\[TSK(\d+)\]$", result.stderr, re.M)
    assert bool(codes) == (result.returncode == 1), f"{path}: no error was read from {result.stderr}"
    return all(code in VALUE_CODES for code in codes)


def find(paths):
    for path in paths:
        yield from sorted(path.rglob("*.tsk")) if path.is_dir() else [path]


class Comparison:
    def __init__(self, grammar, tsk_syntax):
        self.grammar = grammar
        self.tsk_syntax = tsk_syntax
        self.verdicts = {True: 0, False: 0}
        self.problems = []

    def ask_both(self, path, label):
        reader = Reader(self.grammar, path.read_bytes().decode("utf-8", errors="replace"))
        ours, theirs = reader.accepts(), parser_accepts(self.tsk_syntax, path)
        self.verdicts[ours] += 1
        if ours != theirs:
            line = reader.text.count("\n", 0, reader.farthest) + 1
            says = {True: "accepts", False: "rejects"}
            self.problems.append(f"{label}: the grammar {says[ours]} it (read to line {line}), "
                                 f"the parser {says[theirs]} it")
        return ours == theirs


TOKEN = re.compile(r"\w+|//[^\n]*\n|\s+|[-<]>|<->|<-|[=!<>]=|&&|\|\||\.\.|::|.", re.S)


def mutate(text, random_numbers):
    """One to three of the tokens go, come twice, change places or are replaced by another one."""
    tokens = TOKEN.findall(text)
    places = [i for i, token in enumerate(tokens) if not token.isspace() and token[:2] != "//"]
    for _ in range(random_numbers.randint(1, 3)):
        one, other = random_numbers.choice(places), random_numbers.choice(places)
        action = random_numbers.randrange(4)
        if action == 0:
            tokens[one] = " "
        elif action == 1:
            tokens[one] += " " + tokens[one]
        elif action == 2:
            tokens[one], tokens[other] = tokens[other], tokens[one]
        else:
            tokens[one] = tokens[other]
    return "".join(tokens)


def compare_mutants(comparison, paths, count):
    """`count` mutants in all, as many of each file: what they are does not change with other files."""
    sources = [path for path in paths if path.stat().st_size < 6000]
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            source = sources[number % len(sources)]
            random_numbers = random.Random(f"{source.name} {number // len(sources)}")
            text = mutate(source.read_bytes().decode("utf-8", errors="replace"), random_numbers)
            mutant = pathlib.Path(folder) / "mutant.tsk"
            mutant.write_text(text)
            if not comparison.ask_both(mutant, f"mutant {number} of {source}"):
                comparison.problems.append(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mutants", type=int, default=0)
    parser.add_argument("grammar", type=pathlib.Path)
    parser.add_argument("tsk_syntax")
    parser.add_argument("token_kinds", type=pathlib.Path)
    parser.add_argument("paths", type=pathlib.Path, nargs="+")
    options = parser.parse_args()

    grammar = Grammar(options.grammar.read_text())
    comparison = Comparison(grammar, options.tsk_syntax)
    cppwords = {node[1] for node in grammar.walk(grammar.rules["cppword"]) if node[0] == "lit"}
    words = {lit for lit in grammar.literals() - cppwords if re.match(r"[A-Za-z_]", lit)}
    declared = declared_words(options.token_kinds)
    if words != declared:
        comparison.problems.append(f"words of one side only: {sorted(words ^ declared)}")

    paths = [path for path in find(options.paths) if path.stat().st_size <= LARGEST]
    for path in paths:
        comparison.ask_both(path, path)
    compare_mutants(comparison, paths, options.mutants)

    print("\n".join(comparison.problems))
    print("{} texts accepted by both, {} rejected".format(*(comparison.verdicts[v] for v in (True, False))))
    return 1 if comparison.problems else 0


if __name__ == "__main__":
    # Deep nesting in the input is deep recursion here.
    sys.setrecursionlimit(1_000_000)
    threading.stack_size(512 << 20)
    status = []
    worker = threading.Thread(target=lambda: status.append(main()))
    worker.start()
    worker.join()
    sys.exit(status[0] if status else 2)
