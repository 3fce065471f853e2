"""Kernels of one task: control flow, variables of every type, no pipeline. What they write one after
the other is compared."""
from expressions import (BITS, Expr, Expressions, Undefined, binary, common, constant, convert, minus, name,
                         whole)

CAPACITY = 96  # values that a CTA writes
MOST_STEPS = 4000


class State:
    def __init__(self, env):
        self.env, self.written, self.steps = dict(env), [], 0

    def step(self):
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise Undefined("too long")

    def put(self, value):
        self.written.append(value)
        if len(self.written) > CAPACITY:
            raise Undefined("too much")


def arguments(random):
    """Names, types and values of the scalar parameters."""
    return {
        "a": ("i32", random.randint(-20, 60)), "b": ("i32", random.randint(0, 9)),
        "u": ("u32", random.randint(0, 50)), "w": ("i64", random.randint(-30, 90)),
        "q": ("u64", random.randint(0, 70)), "f": ("f32", random.choice([0.5, 1.5, 2.25, 7.0])),
        "d": ("f64", random.choice([0.125, 3.5, 11.0])),
    }


class Plain:
    def __init__(self, random, number):
        self.random, self.kernel = random, f"plain{number}"
        self.draw = Expressions(random)
        self.count = 0
        self.ctas = random.choice([1, 1, 2, 3])
        self.arguments = arguments(random)

    def fresh(self, stem):
        self.count += 1
        return f"{stem}{self.count}"

    # ---- Statements: lines, and what they do ----

    def block(self, scope, variables, depth):
        """`scope`: what may be read; `variables`: what may be assigned."""
        scope, variables = list(scope), list(variables)
        parts = [self.statement(scope, variables, depth) for _ in range(self.random.randint(1, 4))]
        lines = ["  " + line for part, _ in parts for line in part]

        def run(state):
            for _, act in parts:
                state.step()
                act(state)
        return lines, run

    def statement(self, scope, variables, depth):
        kinds = ["put", "put", "let", "var"] + ["assign"] * bool(variables) + ["for", "for", "if"] * (depth > 0)
        return getattr(self, self.random.choice(kinds) + "_")(scope, variables, depth)

    def put_(self, scope, variables, depth):
        if self.random.random() < 0.15:
            value = self.draw.real(scope)
            value = binary("*", value, constant(8.0, "f32"))
        else:
            value = self.draw.number(scope)
        line = f"output.put_{value.type}(block.x * {CAPACITY} + k, {value.text});"

        def run(state):
            result = value.value(state.env)
            state.put(convert(whole(result), "i64") if value.type not in BITS else wrapped(result))
        return [line, "k = k + 1;"], run

    def let_(self, scope, variables, depth):
        value = self.draw.condition(scope) if self.random.random() < 0.2 else self.draw.number(scope)
        text = self.fresh("let")
        scope.append(name(text, value.type))
        return [f"let {text} = {value.text};"], store(text, value, value.type)

    def var_(self, scope, variables, depth):
        kind = self.random.choice(["i32", "u32", "i64", "u64"])
        value = constant(self.random.randint(0, 20), kind)
        text = self.fresh("var")
        item = name(text, kind)
        scope.append(item)
        variables.append(item)
        return [f"var {text} : {kind} = {value.text};"], store(text, value, kind)

    def assign_(self, scope, variables, depth):
        target = self.random.choice(variables)
        while True:
            value = self.draw.number(scope)
            if value.type == target.type:
                break
            # Narrower and of the same sort: C++ converts it and changes nothing.
            if (value.type, target.type) in (("i32", "i64"), ("u32", "u64"), ("u32", "i64")):
                break
            value = binary("+", value, target)
            if value.type == target.type:
                break
        if BITS[target.type][1]:
            value = binary("%", value, constant(1009, "i32"))
        return [f"{target.text} = {value.text};"], store(target.text, value, target.type)

    def if_(self, scope, variables, depth):
        condition = self.draw.condition(scope)
        then, run_then = self.block(scope, variables, depth - 1)
        lines = [f"if ({condition.text}) {{", *then]
        run_else = None
        if self.random.random() < 0.5:
            other, run_else = self.block(scope, variables, depth - 1)
            lines += ["} else {", *other]

        def run(state):
            if condition.value(state.env):
                run_then(state)
            elif run_else:
                run_else(state)
        return [*lines, "}"], run

    def for_(self, scope, variables, depth):
        r = self.random
        kind = r.choice(["i32", "i32", "u32", "i64"])
        low, high = self.bound(scope, kind, 0, 4), self.bound(scope, kind, 2, 12)
        step = r.choice([None, None, constant(r.randint(2, 4), kind), self.positive(scope, kind)])
        backwards = r.random() < 0.3
        text = self.fresh("at")
        variable = name(text, kind)
        inner = [*scope, variable, *ordinals(r, text)]
        body, act = self.block(inner, variables, depth - 1)
        head = (f"for {text} in {'reversed ' if backwards else ''}{low.text} .. {high.text}"
                f"{' step ' + step.text if step else ''} {{")

        def run(state):
            first, end = (convert(bound.value(state.env), kind) for bound in (low, high))
            by = convert(step.value(state.env), kind) if step else 1
            values = list(range(first, end, by))
            for ordinal, value in enumerate(reversed(values) if backwards else values):
                state.env[text] = value
                state.env["ordinal of " + text] = (ordinal, len(values))
                act(state)
        return [head, *body, "}"], run

    def bound(self, scope, kind, low, high):
        """Between `low` and `high`, whatever the names are; sometimes by way of a `var`."""
        r = self.random
        if r.random() < 0.4:
            return constant(r.randint(low, high), kind)
        fitting = [item for item in scope if item.type == kind]
        if not fitting:
            return constant(r.randint(low, high), kind)
        value = r.choice(fitting)
        return binary("min", binary("max", value, constant(low, kind)), constant(high, kind))

    def positive(self, scope, kind):
        fitting = [item for item in scope if item.type == kind]
        if not fitting:
            return constant(1, kind)
        return binary("max", binary("%", self.random.choice(fitting), constant(4, kind)), constant(1, kind))

    # ---- The kernel ----

    def generate(self):
        """Text and expected values, or Undefined."""
        scope = [name(text, kind) for text, (kind, _) in self.arguments.items()]
        scope += [name("block.x", "i32"), name("grid.x", "i32")]
        lines, act = self.block(scope, [], 3)
        self.expected = []
        for cta in range(self.ctas):
            state = State({text: value for text, (_, value) in self.arguments.items()})
            state.env |= {"block.x": cta, "grid.x": self.ctas}
            act(state)
            self.expected += state.written + [0] * (CAPACITY - len(state.written))
        if not any(self.expected):
            raise Undefined("nothing to see")
        return self.text(lines)

    def text(self, lines):
        params = ", ".join(f"{text}: {kind}" for text, (kind, _) in self.arguments.items())
        puts = "\n".join(f"    produce put_{kind}(k: i32, v: {kind}) by leader {{ y(k) = (long long)(v); }}"
                         for kind in (*BITS, "f32", "f64"))
        values = ", ".join(f"{text} = {value}" for text, (_, value) in self.arguments.items())
        size = self.ctas * CAPACITY
        body = "\n".join("  " + line for line in lines)
        return f"""
kernel {self.kernel}(out y: tensor<i64>[{size}], {params}) {{
  grid ({self.ctas});
  resource output : gmem of y {{
{puts}
  }}
  schedule work {{
    var k : i32 = 0;
{body}
  }}
  task Work on 1 warps runs work;

  test of_{self.kernel}({values}) {{
    y.fill(0);
    run;
    want : tensor<i64>[{size}];
    cpp {{
      static const long long values[] = {{{", ".join(map(literal, self.expected))}}};
      for (int i = 0; i < {size}; ++i)
        want(i) = values[i];
    }}
    expect y == want;
  }}
}}
"""


def wrapped(value):
    """As a 64-bit number with a sign."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


def literal(value):
    return f"{value}L" if value > -(1 << 63) else "(-9223372036854775807L - 1)"


def store(text, value, kind):
    def run(state):
        state.env[text] = convert(value.value(state.env), kind)
    return run


def ordinals(random, variable):
    """Conditions on which iteration it is."""
    key, period = "ordinal of " + variable, random.randint(2, 3)
    return [
        Expr("bool", f"first({variable})", lambda env: env[key][0] == 0),
        Expr("bool", f"last({variable})", lambda env: env[key][0] + 1 == env[key][1]),
        Expr("bool", f"every({variable}, {period})", lambda env: env[key][0] % period == 0),
    ]
