"""The text of a random body as a tree, so that a failing one can be made smaller."""
import re

WORD = re.compile(r"[A-Za-z_]\w*")


class Node:
    """A line, or a block: lines around children. `declares`: names that vanish with it."""

    def __init__(self, head, children=None, tail="", declares=()):
        self.head, self.children, self.tail, self.declares = head, children, tail, tuple(declares)

    def lines(self, depth=0):
        indent = "  " * depth
        if self.head:
            yield indent + self.head
        for child in self.children or []:
            yield from child.lines(depth + 1)
        if self.tail:
            yield indent + self.tail

    def copy(self):
        children = None if self.children is None else [child.copy() for child in self.children]
        return Node(self.head, children, self.tail, self.declares)

    def count(self):
        return 1 + sum(child.count() for child in self.children or [])


class Program:
    """One body with the functions that it calls."""

    def __init__(self, functions, body, by_leader):
        self.functions, self.body, self.by_leader = functions, body, by_leader

    def copy(self):
        return Program([f.copy() for f in self.functions], self.body.copy(), self.by_leader)

    def size(self):
        return self.body.count() + sum(f.count() for f in self.functions)


def _parents(node):
    for child in node.children or []:
        yield node
        yield from _parents(child)


def _is_needed(program, node):
    """Whether a name that goes with the node stands elsewhere."""
    inside = list(node.lines())
    words = {}
    for part in [*program.functions, program.body]:
        for line in part.lines():
            for word in WORD.findall(line):
                words[word] = words.get(word, 0) + 1
    for line in inside:
        for word in WORD.findall(line):
            words[word] -= 1
    declared = set(node.declares)
    stack = list(node.children or [])
    while stack:
        inner = stack.pop()
        declared.update(inner.declares)
        stack.extend(inner.children or [])
    return any(words.get(name, 0) for name in declared)


def _without(program, path):
    """The program without the node at the path; or with its children instead of it."""
    smaller = program.copy()
    group, steps = path
    node = smaller.body if group is None else smaller.functions[group]
    for step in steps[:-1]:
        node = node.children[step]
    return smaller, node


def _paths(node, prefix=()):
    for i, child in enumerate(node.children or []):
        yield (*prefix, i)
        yield from _paths(child, (*prefix, i))


def smaller_ones(program):
    """Programs with one node less."""
    groups = [(None, program.body)] + list(enumerate(program.functions))
    for i, function in enumerate(program.functions):
        if not _is_needed(program, function):
            without = program.copy()
            del without.functions[i]
            yield without
    for group, root in groups:
        for steps in _paths(root):
            smaller, parent = _without(program, (group, steps))
            node = parent.children[steps[-1]]
            if not _is_needed(smaller, node):
                del parent.children[steps[-1]]
                yield smaller
            if node.children is None or not node.tail:
                continue
            lifted, parent = _without(program, (group, steps))
            node = parent.children[steps[-1]]
            text = "\n".join(line for child in node.children for line in child.lines())
            own = set(WORD.findall(node.head)) & set(node.declares)
            if re.search(r"\b(break|continue|case|default|return|ROUND|else)\b", text) or own & set(WORD.findall(text)):
                continue
            parent.children[steps[-1]:steps[-1] + 1] = node.children
            yield lifted
