"""Random expressions of schedules, each with its text and its value by C++'s rules.

An expression is built together with a function that computes it in Python's integers. What C++
leaves undefined raises Undefined: a kernel that would do it is thrown away.
"""
import math
import struct

BITS = {"i32": (32, True), "u32": (32, False), "i64": (64, True), "u64": (64, False)}
SUFFIX = {"i32": "", "u32": "u", "i64": "L", "u64": "uL", "f32": "f", "f64": ""}
REALS = ("f32", "f64")


class Undefined(Exception):
    pass


def common(a, b):
    """The type in which C++ computes with both."""
    for real in ("f64", "f32"):
        if real in (a, b):
            return real
    (bits_a, signed_a), (bits_b, signed_b) = BITS[a], BITS[b]
    if bits_a == bits_b:
        return a if not signed_a else b
    return a if bits_a > bits_b else b


def convert(value, to):
    if to == "bool":
        return bool(value)
    if to == "f32":
        return struct.unpack("f", struct.pack("f", value))[0]
    if to == "f64":
        return float(value)
    bits, signed = BITS[to]
    if not signed:
        return value % (1 << bits)
    if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
        raise Undefined("overflow")
    return value


def quotient(a, b):
    if b == 0:
        raise Undefined("division by zero")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a, b):
    return a - quotient(a, b) * b


def ceil_div(a, b):
    rest = remainder(a, b)
    return quotient(a, b) + (rest != 0 and (rest > 0) == (b > 0))


ARITHMETIC = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "/": quotient, "%": remainder, "^": lambda a, b: a ^ b,
}
COMPARISONS = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
}
FUNCTIONS = {"min": min, "max": max, "ceil_div": ceil_div}


class Expr:
    def __init__(self, kind, text, value, is_constant=False):
        self.type, self.text, self.value, self.is_constant = kind, text, value, is_constant


def constant(value, kind):
    if kind == "bool":
        return Expr(kind, "true" if value else "false", lambda env: value, True)
    text = f"{abs(value)}{SUFFIX[kind]}"
    return Expr(kind, f"(-{text})" if value < 0 else text, lambda env: value, True)


def name(text, kind):
    return Expr(kind, text, lambda env: env[text])


def binary(op, a, b):
    kind = common(a.type, b.type)
    compute = ARITHMETIC.get(op) or COMPARISONS.get(op) or FUNCTIONS[op]

    def value(env):
        result = compute(convert(a.value(env), kind), convert(b.value(env), kind))
        return bool(result) if op in COMPARISONS else convert(result, kind)
    text = f"{op}({a.text}, {b.text})" if op in FUNCTIONS else f"({a.text} {op} {b.text})"
    return Expr("bool" if op in COMPARISONS else kind, text, value)


def both(op, a, b):
    if op == "&&":
        return Expr("bool", f"({a.text} && {b.text})", lambda env: a.value(env) and b.value(env))
    return Expr("bool", f"({a.text} || {b.text})", lambda env: a.value(env) or b.value(env))


def negation(a):
    return Expr("bool", f"!({a.text})", lambda env: not a.value(env))


def minus(a):
    return Expr(a.type, f"(-{a.text})", lambda env: convert(-a.value(env), a.type))


def choice(condition, a, b):
    kind = a.type if a.type == b.type else common(a.type, b.type)
    return Expr(kind, f"({condition.text} ? {a.text} : {b.text})",
                lambda env: convert((a if condition.value(env) else b).value(env), kind))


class Expressions:
    """Draws expressions of the names in scope, a list of Expr."""

    def __init__(self, random):
        self.random = random

    def number(self, scope, depth=3):
        r = self.random
        names = [item for item in scope if item.type in BITS]
        if depth == 0 or r.random() < 0.2:
            return r.choice(names)
        a = self.number(scope, depth - 1)
        kind = r.random()
        if kind < 0.1:
            return choice(self.condition(scope, depth - 1), a, self.beside(a, scope, depth - 1))
        if kind < 0.15:
            return minus(a)
        if kind < 0.3:
            return binary("*", a, constant(r.randint(2, 9), "i32"))
        if kind < 0.5:
            return binary(r.choice(["/", "%", "ceil_div"]), a, constant(r.randint(1, 9), "i32"))
        op = r.choice(["+", "-", "^", "min", "max", "+", "-"])
        if r.random() < 0.4:
            return binary(op, a, constant(r.randint(0, 99), "i32"))
        return binary(op, a, self.beside(a, scope, depth - 1))

    def beside(self, a, scope, depth):
        """An operand for `a`. A negative number as one of 64 unsigned bits is nothing that a launcher
        could compute, and so nothing to look for here."""
        while True:
            b = self.number(scope, depth)
            if a.type == b.type or common(a.type, b.type) != "u64":
                return b

    def condition(self, scope, depth=2):
        r = self.random
        flags = [item for item in scope if item.type == "bool"]
        if flags and r.random() < 0.35:
            return r.choice(flags)
        if depth > 0 and r.random() < 0.25:
            return both(r.choice(["&&", "||"]), self.condition(scope, depth - 1),
                        self.condition(scope, depth - 1))
        if depth > 0 and r.random() < 0.2:
            return negation(self.condition(scope, depth - 1))
        a = self.number(scope, max(depth - 1, 0))
        if r.random() < 0.5:
            return binary(r.choice(list(COMPARISONS)), a, constant(r.randint(0, 40), "i32"))
        return binary(r.choice(list(COMPARISONS)), a, self.beside(a, scope, max(depth - 1, 0)))

    def real(self, scope, depth=2):
        """Sums and products of few bits."""
        r = self.random
        names = [item for item in scope if item.type in REALS]
        if depth == 0 or r.random() < 0.3:
            return r.choice(names)
        a = self.real(scope, depth - 1)
        if r.random() < 0.4:
            return binary(r.choice("+-*"), a, constant(r.choice([0.5, 1.25, 3.0]), "f32"))
        return binary(r.choice(["+", "-", "min", "max"]), a, self.real(scope, depth - 1))


def whole(value):
    """As C++ truncates a small real."""
    return math.trunc(value)
