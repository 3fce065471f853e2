"""Kernels of several tasks that pass values on through pipelines.

One skeleton of loops and conditions is drawn for all tasks; its leaves are transfers. Each task runs
the skeleton with its own part of each transfer, so that the tasks agree, and what a consumer sees
is what the skeleton, run once, says.
"""
from expressions import BITS, Expressions, Undefined, binary, constant, convert, name
from plain import arguments, literal, ordinals

RECORDS = 12  # a consumer writes, each of all its threads
MOST_STEPS = 600
SMALL = ["i8", "u8", "i16", "u16", "f16", "bf16", "i32", "u32", "f32", "i64", "f64"]
BYTES = {"i8": 1, "u8": 1, "i16": 2, "u16": 2, "f16": 2, "bf16": 2, "i32": 4, "u32": 4, "f32": 4,
         "i64": 8, "f64": 8}


class Pipeline:
    def __init__(self, index, random, producer, consumers, threads, is_tma):
        self.name, self.producer, self.consumers = f"ring{index}", producer, consumers
        self.threads, self.is_tma = threads, is_tma
        self.element = random.choice(SMALL)
        self.stages = random.choice([1, 2, 2, 3, 4])
        row = 16 // BYTES[self.element]
        self.box = (random.choice([1, 2, 4, 8]), row * random.choice([1, 2, 3]))
        # Of the tensor that TMA reads.
        self.extents = (random.randint(1, 12), row * random.randint(1, 4))

    @property
    def source(self):
        return self.name + "_source"

    def resource(self):
        take = "return (long long)(float(data(tsk::task_thread())));"
        produce = (f"    produce fill(v: i64) {{\n"
                   f"      data(tsk::task_thread()) = tsk::{self.element}(float(int((v % 50 + 50) % 50) + "
                   f"tsk::task_thread() % 40));\n    }}")
        field, kind = f"{self.element}[{self.threads}]", "async"
        if self.is_tma:
            rows, cols = self.box
            field, kind = f"{self.element}[{rows}][{cols}] of {self.source}", "tma"
            produce = "    produce fill(r: i32, c: i32) by leader { tsk::tma_load(data, r, c); }"
            take = f"return (long long)(float(data.flat(tsk::task_thread() % {rows * cols})));"
        return (f"  resource {self.name} : smem {{\n    data : {field};\n"
                f"    pipeline {kind} -> async stages {self.stages};\n{produce}\n"
                f"    consume take() -> (v: i64) {{ {take} }}\n  }}\n")

    def filled(self, value):
        """What each thread finds."""
        return [value % 50 + thread % 40 for thread in range(self.threads)]

    def loaded(self, row, column):
        def at(r, c):
            inside = 0 <= r < self.extents[0] and 0 <= c < self.extents[1]
            return (r * self.extents[1] + c) % 50 if inside else 0
        rows, cols = self.box
        places = [thread % (rows * cols) for thread in range(self.threads)]
        return [at(row + place // cols, column + place % cols) for place in places]


class Pipes:
    def __init__(self, random, number):
        self.random, self.kernel = random, f"pipes{number}"
        self.draw = Expressions(random)
        self.count = self.steps = 0
        self.ctas = random.choice([1, 1, 2, 3])
        self.warps = random.choice([1, 1, 2])
        self.arguments = arguments(random)
        self.tasks = random.choice([2, 2, 3])
        self.pipelines = []
        for index in range(random.choice([1, 1, 2, 3])):
            producer = random.randrange(self.tasks - 1)
            later = range(producer + 1, self.tasks)
            consumers = random.sample(later, random.randint(1, len(later)))
            self.pipelines.append(Pipeline(index, random, producer, sorted(consumers), 32 * self.warps,
                                           random.random() < 0.4))

    def fresh(self, stem):
        self.count += 1
        return f"{stem}{self.count}"

    # ---- The skeleton: for each task its lines, and what it does ----

    def block(self, scope, depth):
        parts = [self.statement(list(scope), depth) for _ in range(self.random.randint(1, 3))]
        lines = [["  " + line for part, _ in parts for line in part[task]] for task in range(self.tasks)]

        def run(env):
            for _, act in parts:
                self.steps += 1
                if self.steps > MOST_STEPS:
                    raise Undefined("too long")
                act(env)
        return lines, run

    def statement(self, scope, depth):
        kinds = ["transfer", "transfer"] + ["loop", "loop", "branch"] * (depth > 0)
        return getattr(self, self.random.choice(kinds))(scope, depth)

    def around(self, head, inner):
        """Nothing where nothing is inside."""
        return [[head, *lines, "}"] if lines else [] for lines in inner]

    def loop(self, scope, depth):
        r = self.random
        high = r.choice([constant(r.randint(1, 5), "i32"), name("b", "i32"), self.bound(scope)])
        low = r.choice([constant(0, "i32"), constant(0, "i32"), constant(r.randint(0, 3), "i32"),
                        name("block.x", "i32")])
        step = r.choice([1, 1, 1, 2, 3])
        backwards = r.random() < 0.15
        text = self.fresh("at")
        key = "ordinal of " + text
        inner, act = self.block([*scope, name(text, "i32"), *ordinals(r, text)], depth - 1)
        head = (f"for {text} in {'reversed ' if backwards else ''}{low.text} .. {high.text}"
                f"{f' step {step}' if step > 1 else ''} {{")

        def run(env):
            values = list(range(low.value(env), high.value(env), step))
            for ordinal, value in enumerate(reversed(values) if backwards else values):
                env[text], env[key] = value, (ordinal, len(values))
                act(env)
        return self.around(head, inner), run

    def bound(self, scope):
        value = self.draw.number([name("a", "i32"), name("block.x", "i32")], 1)
        return binary("min", binary("max", value, constant(0, "i32")), constant(4, "i32"))

    def branch(self, scope, depth):
        condition = self.draw.condition([item for item in scope if item.type in ("i32", "bool")], 1)
        then, run_then = self.block(scope, depth - 1)
        lines, run_else = self.around(f"if ({condition.text}) {{", then), None
        if self.random.random() < 0.3:
            other, run_else = self.block(scope, depth - 1)
            lines = [[*first[:-1], "} else {", *second, "}"] if first and second else
                     first or self.around(f"if (!({condition.text})) {{", [second])[0]
                     for first, second in zip(lines, other)]

        def run(env):
            if condition.value(env):
                run_then(env)
            elif run_else:
                run_else(env)
        return lines, run

    # ---- Transfers ----

    def transfer(self, scope, depth):
        pipeline = self.random.choice(self.pipelines)
        count = 2 if pipeline.stages > 1 and self.random.random() < 0.25 else 1
        items = [self.filling(pipeline, scope) for _ in range(count)]
        ring = pipeline.name
        lines = [[] for _ in range(self.tasks)]
        produced = [[f"{ring}.acquire();", text] for text, _ in items]
        lines[pipeline.producer] = sum(produced, []) + [f"{ring}.commit();"] * count
        for task in pipeline.consumers:
            for _ in items:
                value = self.fresh("v")
                lines[task] += [f"{ring}.wait();", f"let {value} = {ring}.take();"]
                if count == 1:
                    lines[task] += [f"{ring}.release();"]
                lines[task] += [f"output{task}.put(block.x * {RECORDS} + k, {value});", "k = k + 1;"]
            if count > 1:
                lines[task] += [f"{ring}.release();"] * count

        def run(env):
            for _, values in items:
                found = values(env)
                for task in pipeline.consumers:
                    env["written"][task].append(found)
                    if len(env["written"][task]) > RECORDS:
                        raise Undefined("too much")
        return lines, run

    def filling(self, pipeline, scope):
        """A statement that fills a stage, and what its consumers' threads find there."""
        def place(extent):
            value = self.draw.number([item for item in scope if item.type == "i32"], 1)
            return binary("-", binary("%", value, constant(extent + 3, "i32")), constant(2, "i32"))
        if pipeline.is_tma:
            row, column = (place(extent) for extent in pipeline.extents)
            return (f"{pipeline.name}.fill({row.text}, {column.text});",
                    lambda env: pipeline.loaded(row.value(env), column.value(env)))
        value = self.draw.number([item for item in scope if item.type in ("i32", "i64", "u32")], 2)
        return (f"{pipeline.name}.fill({value.text});",
                lambda env: pipeline.filled(value.value(env)))

    # ---- The kernel ----

    def generate(self):
        scope = [name(text, kind) for text, (kind, _) in self.arguments.items() if kind in BITS]
        scope += [name("block.x", "i32"), name("grid.x", "i32")]
        lines, act = self.block(scope, 3)
        written = [[[] for _ in range(self.ctas)] for _ in range(self.tasks)]
        for cta in range(self.ctas):
            env = {text: value for text, (_, value) in self.arguments.items()}
            env |= {"block.x": cta, "grid.x": self.ctas, "written": [records[cta] for records in written]}
            act(env)
        self.outputs = [task for task in range(self.tasks) if any(written[task])]
        if not self.outputs:
            raise Undefined("nothing to see")
        used = {pipeline.name for pipeline in self.pipelines if f"{pipeline.name}." in repr(lines)}
        self.pipelines = [pipeline for pipeline in self.pipelines if pipeline.name in used]
        self.outputs = sorted({task for pipeline in self.pipelines for task in pipeline.consumers})
        self.expected = {task: self.table(written[task]) for task in self.outputs}
        return self.text(lines)

    def table(self, records):
        threads = 32 * self.warps
        rows = [row for cta in records for row in cta + [[0] * threads] * (RECORDS - len(cta))]
        return [value for row in rows for value in row]

    def text(self, lines):
        threads, rows = 32 * self.warps, self.ctas * RECORDS
        sources = [f"in {p.source}: tensor<{p.element}>[{p.extents[0]}, {p.extents[1]}]"
                   for p in self.pipelines if p.is_tma]
        outputs = [f"out y{task}: tensor<i64>[{rows}, {threads}]" for task in self.outputs]
        scalars = [f"{text}: {kind}" for text, (kind, _) in self.arguments.items()]
        text = f"\nkernel {self.kernel}({', '.join(sources + outputs + scalars)}) {{\n  grid ({self.ctas});\n"
        text += "".join(pipeline.resource() for pipeline in self.pipelines)
        for task in self.outputs:
            text += (f"  resource output{task} : gmem of y{task} {{\n"
                     f"    produce put(k: i32, v: i64) {{ y{task}(k, tsk::task_thread()) = v; }}\n  }}\n")
        for task in range(self.tasks):
            if not lines[task]:
                continue
            counter = ["    var k : i32 = 0;"] if task in self.outputs else []
            body = "\n".join(counter + ["  " + line for line in lines[task]])
            text += f"  schedule run{task} {{\n{body}\n  }}\n"
        for task in range(self.tasks):
            if lines[task]:
                text += f"  task Task{task} on {self.warps} warps runs run{task};\n"
        return text + self.test() + "}\n"

    def test(self):
        values = ", ".join(f"{text} = {value}" for text, (_, value) in self.arguments.items())
        text = f"\n  test of_{self.kernel}({values}) {{\n"
        for pipeline in self.pipelines:
            if pipeline.is_tma:
                rows, cols = pipeline.extents
                text += (f"    cpp {{\n      for (int i = 0; i < {rows * cols}; ++i)\n"
                         f"        {pipeline.source}(i / {cols}, i % {cols}) = tsk::{pipeline.element}(float(i % 50));\n"
                         f"    }}\n")
        text += "".join(f"    y{task}.fill(0);\n" for task in self.outputs) + "    run;\n"
        for task in self.outputs:
            size, threads = len(self.expected[task]), 32 * self.warps
            text += (f"    want{task} : tensor<i64>[{size // threads}, {threads}];\n    cpp {{\n"
                     f"      static const long long values[] = {{{', '.join(map(literal, self.expected[task]))}}};\n"
                     f"      for (int i = 0; i < {size}; ++i)\n        want{task}(i / {threads}, i % {threads}) = values[i];\n    }}\n"
                     f"    expect y{task} == want{task};\n")
        return text + "  }\n"
