"""Random bodies: loops, conditions and functions around the statements of statements.py."""
import random

from expressions import READ_OBJECTS, WRITTEN_OBJECTS, Variable
from statements import Statements
from tree import Node, Program


def without_task(node):
    """Functions outside of a task know no task."""
    node.head = node.head.replace("tsk::task_thread", "tsk::block_thread").replace("tsk::task_warp", "tsk::warp_index")
    node.tail = node.tail.replace("tsk::task_thread", "tsk::block_thread").replace("tsk::task_warp", "tsk::warp_index")
    for child in node.children or []:
        without_task(child)


class Generator(Statements):
    def __init__(self, seed, number):
        self.random = random.Random(f"{seed}/{number}")
        self.prefix = f"f{number}_"
        self.counter = 0
        self.around = []  # loops
        self.scopes = []
        self.functions = []
        self.is_top = True  # all lanes are still there: collectives may stand here
        self.inside = []  # "loop", "switch": what break leaves
        self.may_return = True
        self.read_objects, self.written_objects = READ_OBJECTS, WRITTEN_OBJECTS
        self.made = []  # functions that exist: (name, kinds of parameters)

    # ---- Statements ----------------------------------------------------------------------------

    def statement(self, depth=0):
        kind = self.random.randrange(40 if depth < 4 else 25)
        if kind < 7:
            return self.declaration()
        if kind < 13:
            return self.assignment()
        if kind < 16:
            return self.memory()
        if kind < 19:
            return self.odd()
        if kind < 22:
            return self.claim()
        if kind < 23:
            return self.call()
        if kind < 25:
            return self.leave() if self.chance(60) else self.collective(depth)
        return self.branch(depth) if kind < 30 else self.loop(depth) if kind < 37 else \
            self.switch(depth) if kind < 38 else self.function_object(depth)

    def branch(self, depth):
        condition = self.acting_condition() if self.chance(30) else self.condition()
        head = f"if ({condition}) {{"
        declares = []
        scope = []
        if self.chance(10):
            name = self.fresh()
            head = f"if (int {name} = {self.value(1)}; {name} > {self.pick(0, 3)}) {{"
            scope, declares = [Variable(name, "int")], [name]
        self.scopes.append(scope)
        was_top, self.is_top = self.is_top, False
        inside = self.block(depth)
        if self.chance(40):
            inside += [Node("} else {"), *self.block(depth)]
        nodes = [Node(head, inside, "}", declares)]
        self.is_top = was_top
        self.scopes.pop()
        return nodes

    def leave(self):
        words = []
        if self.inside:
            words += ["break;"] * 3
        if "loop" in self.inside:
            words += ["continue;"] * 3
        if self.may_return and self.chance(40):
            words += ["return;"]
        if not words:
            return self.claim()
        word = self.random.choice(words)
        if word == "return;":
            self.is_top = False
        return [Node(f"if ({self.condition()}) {word}")]

    def collective(self, depth):
        """Where all lanes certainly come, a real one."""
        if not self.is_top or depth > 0:
            return self.claim()
        name = self.fresh()
        text = self.pick(f"int {name} = __shfl_sync(0xffffffff, {self.value(2)}, {self.pick(0, 3, 'i', 'tsk::lane() ^ 1')});",
                         f"int {name} = __shfl_xor_sync(0xffffffff, {self.value(2)}, {self.pick(1, 16)});",
                         f"unsigned {name} = __ballot_sync(0xffffffff, {self.condition(2)});",
                         f"int {name} = __any_sync(0xffffffff, {self.condition(2)});",
                         f"int {name} = __all_sync(0xffffffff, {self.condition(2)});",
                         f"bool {name} = tsk::elect_one();")
        self.declare(Variable(name, "int" if text.startswith("int") else "other", fixed=text.startswith("bool")))
        return [Node(text, declares=[name])]

    def loop(self, depth):
        number = self.number() % 250
        was_top, self.is_top = self.is_top, False
        self.inside.append("loop")
        self.scopes.append([])
        kind = self.random.randrange(12)
        make = self.counted if kind < 6 else self.open_loop if kind < 9 else self.over_array
        head, counters, tail, first, before = make(number)
        for counter in counters:
            self.declare(counter)
        self.around.append(number)
        body = [Node(f"ROUND({number});")] + first + self.block(depth)
        self.around.pop()
        self.scopes.pop()
        self.inside.pop()
        self.is_top = was_top
        names = [counter.name for counter in counters]
        pragma = [Node("#pragma unroll 1")] if self.chance(8) and not head.startswith("do") else []
        loop = Node("{", [Node(f"LOOP({number});"), *before, *pragma, Node(head, body, tail)], "}", names)
        return [loop]

    def counted(self, number):
        name = self.fresh()
        kind = self.random.choice(["int", "int", "int", "unsigned", "short", "long long", "unsigned char"])
        low = self.random.choice([0, 0, 0, 1, 2])
        high = self.random.choice([1, 2, 3, 4, 8, 16])
        step = self.random.choice([1, 1, 1, 2, 3])
        is_own = self.chance(65)
        own = {"fixed": is_own, "range": (low, high - 1) if is_own else None}
        made = Variable(name, "int" if kind == "int" else "other", **own)
        heads = [f"for ({kind} {name} = {low}; {name} < {high}; {self.pick('++' + name, name + '++')}) {{"] * 3
        heads += [f"for ({kind} {name} = {low}; {name} <= {high - 1}; {name} += {step}) {{"]
        heads += [f"for ({kind} {name} = {low}; {name} != {high}; {name} += 1) {{"] if low <= high else []
        if self.chance(45):
            made = Variable(name, "int" if kind == "int" else "other", fixed=is_own)
            start, limit = self.value(2), self.value(2)
            heads = [f"for (int {name} = {start}; {name} < {self.pick(4, 9)}; {name} += {step}) {{",
                     f"for (int {name} = {high}; {name} > {low}; {name} -= {step}) {{",
                     f"for (int {name} = {high}; {name}-- > 0;) {{",
                     f"for (int {name} = {low}; {name} < (({limit}) & 7); ++{name}) {{",
                     f"for (int {name} = tsk::lane() & 3; {name} < {high}; {name} += {step}) {{",
                     f"for (int {name} = tsk::lane(); {name} < 64; {name} += 32) {{",
                     f"for (int {name} = i; {name} < i + {high}; ++{name}) {{",
                     f"for (int {name} = 0; {self.acting_condition()} && {name} < 5; ++{name}) {{",
                     f"for (int {name} = 1; {name} < {high * 4}; {name} *= 2) {{",
                     f"for (int {name} = 0; {name} < 4; {name} = {name} + {step}) {{"]
            made.kind = "int"
        counters, first = [made], []
        if self.chance(12):
            second = self.fresh()
            heads = [f"for (int {name} = 0, {second} = {high}; {name} < {second}; ++{name}, --{second}) {{"]
            made.range = None
            made.kind = "int"
            counters.append(Variable(second, "int", fixed=is_own))
        if not is_own and made.kind == "int" and self.chance(50):
            alias = self.fresh()
            first = [Node(self.pick(f"int *{alias} = &{name};", f"int &{alias} = {name};"), declares=[alias])]
            counters.append(Variable(alias, "pointer" if "*" in first[0].head else "int", reference="&" in first[0].head))
        return self.random.choice(heads), counters, "}", first, []

    def open_loop(self, number):
        condition = self.acting_condition() if self.chance(60) else self.condition()
        kind = self.random.randrange(4)
        before = []
        if self.chance(75):
            fuel = self.fresh("n")
            before = [Node(f"int {fuel} = {self.pick(2, 5, 9)};", declares=[fuel])]
            condition = f"{fuel}-- {'<= 0 ||' if kind == 2 else '> 0 &&'} ({condition})"
        if kind == 0:
            return f"while ({condition}) {{", [], "}", [], before
        if kind == 1:
            return "do {", [], f"}} while ({condition});", [], before
        if kind == 2:
            return "for (;;) {", [], "}", [Node(f"if ({condition}) break;")], before
        name = self.fresh()
        head = f"for (int {name} = {self.pick(0, 'i', 't')}; {condition}; ++{name}) {{"
        return head, [Variable(name, "int")], "}", [], before

    def over_array(self, number):
        arrays = self.variables("array")
        if not arrays:
            return self.counted(number)
        chosen, name = self.random.choice(arrays), self.fresh()
        if self.chance(40):
            return (f"for (int *{name} = {chosen.name}; {name} != {chosen.name} + {chosen.room}; ++{name}) {{",
                    [Variable(name, "pointer", fixed=True)], "}", [], [])
        kind = self.pick("int", "int &", "const int &", "auto &&")
        return f"for ({kind} {name} : {chosen.name}) {{", [Variable(name, "int", fixed="const" in kind, reference="&" in kind)], "}", [], []

    def switch(self, depth):
        was_top, self.is_top = self.is_top, False
        self.inside.append("switch")
        nodes = []
        labels = self.random.sample([0, 1, 2, 3, 5], self.random.randint(1, 4))
        default = self.random.randrange(len(labels) + 2)
        for i, label in enumerate(labels):
            nodes.append(Node(f"case {label}:" + (" default:" if i == default else "")))
            nodes.append(Node("{", self.block(depth, self.random.randint(1, 2)), "}"))
            if self.chance(60):
                nodes.append(Node("break;"))
        self.inside.pop()
        self.is_top = was_top
        chosen = self.pick(self.value(1), "i", "t", f"({self.value(1)}) & 3", "tsk::task_warp()", self.leaf())
        return [Node(f"switch (int({chosen})) {{", nodes, "}")]

    # ---- Functions -----------------------------------------------------------------------------

    def inner(self, parameters, depth):
        """A function's statements: nothing around it counts there but what its scope names."""
        saved = self.around, self.inside, self.is_top, self.may_return
        self.around, self.inside, self.is_top, self.may_return = [], [], False, False
        self.scopes.append(parameters)
        nodes = self.block(depth + 1, self.random.randint(1, 4))
        result = self.value(1)
        self.scopes.pop()
        self.around, self.inside, self.is_top, self.may_return = saved
        return nodes + [Node(f"return {result};")]

    def function_object(self, depth):
        name, given = self.fresh("g"), self.fresh()
        capture = self.pick("[&]", "[&]", "[=]")
        kind = self.pick("int", "int", "auto")
        parameter = Variable(given, "other" if kind == "auto" else "int")
        scopes = self.scopes
        if capture == "[=]":  # no pointers into what is copied, no changes of it
            copied = [Variable(v.name, v.kind, fixed=True) for v in self.variables("int", "other")
                      if not v.is_reference]
            self.scopes = [copied]
        nodes = self.inner([parameter], depth)
        self.scopes = scopes
        self.declare(Variable(name, "lambda"))
        made = Node(f"auto {name} = {capture}({kind} {given}) -> int {{", nodes, "};", [name, given])
        return [made, *(call for _ in range(self.random.randint(1, 2)) for call in self.call(name))]

    def call(self, name=None):
        target = self.place() or "b(2)"
        lambdas = [v.name for v in self.variables("lambda")]
        if not name and lambdas and self.chance(50):
            name = self.random.choice(lambdas)
        if name:
            text = f"{name}(+({self.value(2)}))"
        elif self.made:
            function, kinds = self.random.choice(self.made)
            made = {"int": lambda: self.value(2), "int &": self.int_place, "int *": self.address,
                    "const int &": self.int_place}
            text = f"{function}({', '.join(['b', 'i', 't'] + [made[kind]() for kind in kinds])})"
        else:
            return self.odd()
        return [Node(f"{target} = CALL({self.number()}, {text}{self.loops()});")]

    def function(self):
        name = self.prefix + self.fresh("h")
        kinds = [self.pick("int", "int &", "int &", "int *", "const int &") for _ in range(self.random.randint(1, 3))]
        names = [self.fresh() for _ in kinds]
        variables = [Variable(n, "pointer" if k == "int *" else "int", fixed=k.startswith("const"), reference="&" in k)
                     for n, k in zip(names, kinds)]
        parameters = ", ".join(["Tile b", "int i", "int t"] + [f"{k}{' ' if k[-1].isalpha() else ''}{n}"
                                                               for n, k in zip(names, kinds)])
        self.read_objects, self.written_objects = {}, {"b": (64,)}  # the one that it is given
        nodes = self.inner(variables, 0)
        self.read_objects, self.written_objects = READ_OBJECTS, WRITTEN_OBJECTS
        self.made.append((name, kinds))
        made = Node(f"template <typename Tile> __device__ inline int {name}({parameters}) {{", nodes, "}", [name, *names])
        without_task(made)
        return made

    def program(self):
        by_leader = self.chance(6)
        self.is_top = not by_leader
        for _ in range(self.random.randint(0, 2)):
            self.scopes = []
            self.functions.append(self.function())
        self.scopes = [[Variable("i", "int", fixed=True), Variable("t", "int", fixed=True)]]
        nodes = []
        for _ in range(self.random.randint(4, 10)):
            nodes += self.statement()
        for v in self.variables("int", "other", "pointer"):
            nodes.append(Node(f"CLAIM({self.number()}, {v.name});"))
        return Program(self.functions, Node("", nodes), by_leader)
