"""Random constant expressions, judged three times: by tskc, by g++ and by the rules written here.

    constants_agree.py TSKC RUNTIME_INCLUDE FOLDER SEED COUNT

What tskc computes must have the type and the bits that g++ asserts. What it refuses must be refused
by the rules below, and where C++ leaves it undefined, g++ must not take it for a constant either.
"""
import json
import os
import random
import re
import struct
import subprocess
import sys
from fractions import Fraction

CPP = {"i32": "int", "u32": "unsigned", "i64": "long", "u64": "unsigned long", "f32": "float",
       "f64": "double", "bool": "bool", "i8": "signed char", "u8": "unsigned char",
       "i16": "short", "u16": "unsigned short"}
BITS = {"i8": 8, "u8": 8, "i16": 16, "u16": 16, "i32": 32, "u32": 32, "i64": 64, "u64": 64}
NAMED = {"a8": ("i8", -5), "b8": ("u8", 200), "a16": ("i16", -300), "b16": ("u16", 65535),
         "a32": ("i32", -2147483648), "b32": ("u32", 4294967295), "a64": ("i64", -(1 << 63)),
         "half": ("f32", 0.5), "tenth": ("f64", 0.1), "yes": ("bool", True)}


class Refused(Exception):
    """kind: undefined (by C++), wraps (defined, and hardly meant), infinite"""

    def __init__(self, kind):
        super().__init__(kind)
        self.kind = kind


def is_integer(kind):
    return kind in BITS


def common(a, b):
    for kind in ("f64", "f32"):
        if kind in (a, b):
            return kind
    for kind in ("u64", "i64", "u32"):
        if kind in (a, b):
            return kind
    return "i32"


def nearest_single(value):
    """The float nearest to a number, ties to even, in one step."""
    exact = Fraction(value)
    if exact == 0:
        return value if isinstance(value, float) else 0.0
    sign, exact = (-1, -exact) if exact < 0 else (1, exact)
    exponent = max(exact.numerator.bit_length() - exact.denominator.bit_length() - 24, -149)
    while exact / Fraction(2) ** exponent >= 1 << 24:
        exponent += 1
    scaled = exact / Fraction(2) ** exponent
    whole = scaled.numerator // scaled.denominator
    rest = scaled - whole
    whole += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1)
    if whole * Fraction(2) ** exponent >= Fraction(2) ** 128:
        raise Refused("infinite")
    return sign * float(whole * Fraction(2) ** exponent)


def to_integer(value, kind):
    low = 0 if kind[0] == "u" else -(1 << (BITS[kind] - 1))
    high = (1 << (BITS[kind] - (kind[0] == "i"))) - 1
    if low <= value <= high:
        return value
    raise Refused("wraps" if kind[0] == "u" else "undefined")


def to_real(value, kind):
    if isinstance(value, float) and abs(value) == float("inf"):
        raise Refused("infinite")
    return nearest_single(value) if kind == "f32" else float(value)


def promoted(value, kind):
    return to_integer(value, kind) if is_integer(kind) else to_real(value, kind)


def quotient(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def compute(op, a, b, kind):
    if op in ("/", "%", "ceil_div") and b == 0:
        raise Refused("infinite" if kind[0] == "f" else "undefined")
    if op in ("min", "max"):
        return (b if b < a else a) if op == "min" else (b if a < b else a)
    if kind[0] == "f":
        if op == "/":
            result = a / b
        else:
            result = {"+": a + b, "-": a - b, "*": a * b}[op]
        return to_real(result, kind)
    if op == "%":
        to_integer(quotient(a, b), kind)
        return a - b * quotient(a, b)
    if op == "ceil_div":
        return to_integer(-(-a // b), kind)
    if op == "^":  # of equal widths
        return a ^ b
    return to_integer({"+": a + b, "-": a - b, "*": a * b, "/": b and quotient(a, b)}[op], kind)


# ---- Expressions: their spelling in both languages, type and value ------------------------------

LEVEL = {"?:": 1, "||": 2, "&&": 3, "==": 4, "!=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4,
         "^": 5, "+": 6, "-": 6, "*": 7, "/": 7, "%": 7}


class Expr:
    def __init__(self, kind, text, cpp, value, level=9):
        self.kind, self.text, self.cpp, self.value, self.level = kind, text, cpp, value, level

    def at(self, level):
        return self.text if self.level >= level else f"({self.text})"


def leaf_literal(rng):
    if rng.random() < 0.25:
        text = rng.choice(["0.5", "1.5e3", "0.1", "16777217.0", "1e-3", "3.0e38", "0x1.8p3", "2."])
        single = rng.random() < 0.5
        value = float.fromhex(text) if text.startswith("0x") else float(text)
        spelled = text + (rng.choice("fF") if single else "")
        exact = Fraction(text) if not text.startswith("0x") and text != "2." else Fraction(value)
        return Expr("f32" if single else "f64", spelled, spelled,
                    lambda: nearest_single(exact) if single else value)
    value = rng.choice([0, 1, 2, 3, 5, 7, 31, 64, 255, 65536, 16777217, (1 << 31) - 1, 1 << 31,
                        (1 << 32) - 1, 1 << 32, (1 << 53) + 1, (1 << 63) - 1, rng.getrandbits(40)])
    suffix = rng.choice(["", "", "", "u", "U", "l", "L", "ul", "Lu", "ll", "LL", "ull", "z", "uz"])
    base = rng.choice(["{}", "{}", "{:#x}", "0{:o}", "{:#b}"])
    digits = base.format(value)
    if base == "{}" and len(digits) > 3 and rng.random() < 0.3:
        digits = digits[:-3] + "'" + digits[-3:]
    unsigned, long = "u" in suffix.lower(), re.search("[lz]", suffix.lower())
    fits = [("i32", not long and not unsigned, (1 << 31) - 1),
            ("u32", not long and (unsigned or base != "{}"), (1 << 32) - 1),
            ("i64", not unsigned, (1 << 63) - 1), ("u64", True, (1 << 64) - 1)]
    kind = next(kind for kind, allowed, most in fits if allowed and value <= most)
    return Expr(kind, digits + suffix, digits + suffix, lambda: value)


def leaf(rng, wants_bool):
    if wants_bool:
        text = rng.choice(["true", "false", "yes"])
        return Expr("bool", text, text, lambda: text != "false")
    if rng.random() < 0.25:
        name = rng.choice([n for n, (kind, _) in NAMED.items() if kind != "bool"])
        return Expr(NAMED[name][0], name, name, lambda: NAMED[name][1])
    return leaf_literal(rng)


def conditional(rng, depth, wants_bool):
    test, yes, no = (make(rng, depth - 1, b) for b in (True, wants_bool, wants_bool))
    kind = yes.kind if yes.kind == no.kind else common(yes.kind, no.kind)

    def value():
        chosen = yes if test.value() else no
        return chosen.value() if yes.kind == no.kind else promoted(chosen.value(), kind)
    return Expr(kind, f"{test.at(2)} ? {yes.at(1)} : {no.at(1)}",
                f"({test.cpp} ? {yes.cpp} : {no.cpp})", value, 1)


def unary(rng, depth):
    inner = make(rng, depth - 1, False)
    op = rng.choice("-~") if is_integer(inner.kind) else "-"
    kind = common(inner.kind, inner.kind)

    def value():
        v = promoted(inner.value(), kind)
        if op == "~":
            return ~v if kind[0] == "i" else (1 << BITS[kind]) - 1 - v
        return -v if kind[0] == "f" else to_integer(-v, kind)
    return Expr(kind, op + inner.at(9), f"({op}{inner.cpp})", value, 8)


def arithmetic(rng, depth):
    a, b = make(rng, depth - 1, False), make(rng, depth - 1, False)
    ops = ["+", "-", "*", "/", "min", "max"]
    if is_integer(a.kind) and is_integer(b.kind):
        ops += ["%", "^", "ceil_div"]
    op, kind = rng.choice(ops), common(a.kind, b.kind)

    def value():
        return compute(op, promoted(a.value(), kind), promoted(b.value(), kind), kind)
    if op in ("min", "max", "ceil_div"):
        return Expr(kind, f"{op}({a.text}, {b.text})", f"(+tsk::{op}({a.cpp}, {b.cpp}))", value)
    level = LEVEL[op]
    return Expr(kind, f"{a.at(level)} {op} {b.at(level + 1)}", f"({a.cpp} {op} {b.cpp})", value,
                level)


def comparison(rng, depth):
    on_bools = rng.random() < 0.15
    a, b = make(rng, depth - 1, on_bools), make(rng, depth - 1, on_bools)
    op = rng.choice(["==", "!="] if on_bools else ["==", "!=", "<", "<=", ">", ">="])
    kind = "bool" if on_bools else common(a.kind, b.kind)

    def value():
        x, y = a.value(), b.value()
        if not on_bools:
            integers = [v for v, e in ((x, a), (y, b)) if is_integer(e.kind)]
            x, y = promoted(x, kind), promoted(y, kind)
            if any(Fraction(promoted(v, kind)) != v for v in integers):
                raise Refused("wraps")
        return {"==": x == y, "!=": x != y, "<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[op]
    return Expr("bool", f"{a.at(5)} {op} {b.at(5)}", f"({a.cpp} {op} {b.cpp})", value, 4)


def logical(rng, depth):
    a, b = make(rng, depth - 1, True), make(rng, depth - 1, True)
    if rng.random() < 0.2:
        return Expr("bool", "!" + a.at(9), f"(!{a.cpp})", lambda: not a.value(), 8)
    op = rng.choice(["&&", "||"])
    level = LEVEL[op]
    return Expr("bool", f"{a.at(level)} {op} {b.at(level + 1)}", f"({a.cpp} {op} {b.cpp})",
                lambda: a.value() and b.value() if op == "&&" else a.value() or b.value(), level)


def make(rng, depth, wants_bool):
    if depth == 0 or rng.random() < 0.15:
        return leaf(rng, wants_bool)
    if rng.random() < 0.15:
        return conditional(rng, depth, wants_bool)
    if wants_bool:
        return (comparison if rng.random() < 0.6 else logical)(rng, depth)
    return (unary if rng.random() < 0.2 else arithmetic)(rng, depth)


# ---- The three judges ---------------------------------------------------------------------------

def judge_here(expr):
    try:
        return "", expr.value()
    except Refused as why:
        return why.kind, None


def write_tsk(path, exprs):
    with open(path, "w") as file:
        for name, (kind, value) in NAMED.items():
            shown = {"a64": "-9223372036854775807 - 1", "yes": "true"}.get(name, value)
            file.write(f"const {name} : {kind} = {shown};\n")
        file.write("kernel k() {\n")
        for i, expr in exprs:
            file.write(f"  const C{i} = {expr.text};\n")
        file.write("  grid (1);\n  schedule s { }\n  task T on 1 warps runs s;\n}\n")
    return len(NAMED) + 2  # the line of the first constant


def run_tskc(tskc, path, arguments):
    return subprocess.run([tskc, "--emit=ir", "-o", "-", path, *arguments], capture_output=True,
                          text=True)


def refused_by_tskc(tskc, path, exprs):
    first = write_tsk(path, exprs)
    run = run_tskc(tskc, path, ["--diagnostics-format=json", "--error-limit=0"])
    lines = set()
    for text in run.stderr.splitlines():
        report = json.loads(text)
        if report["severity"] != "error":
            continue
        if report["code"] not in ("TSK1230", "TSK1231", "TSK1232", "TSK1246"):
            sys.exit(f"unexpected: {report['message']} at line {report.get('line')} of {path}")
        lines.add(report["line"] - first)
    return lines


def computed_by_tskc(tskc, path, exprs):
    write_tsk(path, exprs)
    run = run_tskc(tskc, path, [])
    if run.returncode != 0:
        sys.exit(f"tskc fails on what it took before:\n{run.stderr}")
    return dict(re.findall(r"const C(\d+) = (.*);", run.stdout))


def cpp_constant(text):
    """The printed constant as C++ of the same type."""
    if text in ("-2147483648", "-9223372036854775808L"):
        return {"-2147483648": "(-2147483647 - 1)"}.get(text, "(-9223372036854775807L - 1)")
    named = re.fullmatch(r"([iu]\d+)\((.*)\)", text)
    return f"static_cast<{CPP[named[1]]}>({named[2]})" if named else text


PRELUDE = """#include <tsk/math.h>
#include <bit>
#include <type_traits>
template <typename T> constexpr bool same(T a, T b) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<unsigned>(a) == std::bit_cast<unsigned>(b);
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<unsigned long>(a) == std::bit_cast<unsigned long>(b);
  else
    return a == b;
}
// `long` and `long long` are one to us.
template <typename T, typename Spelled, typename U = std::remove_cvref_t<Spelled>>
constexpr bool is_a = sizeof(T) == sizeof(U) && std::is_signed_v<T> == std::is_signed_v<U> &&
                      std::is_integral_v<T> == std::is_integral_v<U> &&
                      std::is_same_v<T, bool> == std::is_same_v<U, bool>;
template <typename F, auto = (F{}(), 0)> constexpr bool is_constant(F) { return true; }
constexpr bool is_constant(...) { return false; }
"""


def judge_by_cxx(include, path, asserts):
    with open(path, "w") as file:
        file.write(PRELUDE)
        for name, (kind, value) in NAMED.items():
            shown = {"a64": "-9223372036854775807 - 1", "yes": "true"}.get(name, value)
            file.write(f"constexpr {CPP[kind]} {name} = {shown};\n")
        file.writelines(asserts)
    command = ["g++", "-std=c++23", "-w", "-fsyntax-only", "-fmax-errors=20", "-I", include, path]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"g++ disagrees:\n{run.stderr[:4000]}")


def main(tskc, include, folder, seed, count):
    rng = random.Random(int(seed))
    exprs = []
    while len(exprs) < int(count):
        exprs.append((len(exprs), make(rng, rng.randint(1, 4), rng.random() < 0.3)))
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "constants.tsk")
    refused = refused_by_tskc(tskc, path, exprs)
    asserts, kinds = [], {}
    for i, expr in exprs:
        why, value = judge_here(expr)
        kinds[why] = kinds.get(why, 0) + 1
        if bool(why) != (i in refused):
            sys.exit(f"tskc {'takes' if why else 'refuses'} `{expr.text}`, which is {why or value}")
        if why == "undefined":
            asserts.append(f"static_assert(!is_constant([] {{ return {expr.cpp}; }}));"
                           f" // {expr.text}\n")
    taken = [(i, expr) for i, expr in exprs if i not in refused]
    computed = computed_by_tskc(tskc, path, taken)
    for i, expr in taken:
        constant = cpp_constant(computed[str(i)])
        kind = CPP[expr.kind]
        for cpp in (expr.cpp, constant):
            asserts.append(f"static_assert(is_a<{kind}, decltype({cpp})>); // {expr.text}\n")
        asserts.append(f"static_assert(same<{kind}>({expr.cpp}, {constant})); // {expr.text}\n")
    judge_by_cxx(include, os.path.join(folder, "constants.cpp"), asserts)
    print(f"{len(taken)} agree, refused: " +
          ", ".join(f"{n} {why}" for why, n in sorted(kinds.items()) if why))


if __name__ == "__main__":
    main(*sys.argv[1:])
