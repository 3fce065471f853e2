"""Random C++ expressions of a body: values, conditions, places."""

INTEGERS = ["int", "unsigned", "short", "signed char", "unsigned char", "long long", "bool"]
READ_OBJECTS = {"a": (4, 16), "src": (64,)}  # as the reader names them: box.a, src
WRITTEN_OBJECTS = {"b": (64,), "c": (8, 8), "dst": (64,)}


class Variable:
    def __init__(self, name, kind, **more):
        self.name, self.kind = name, kind  # kind: of the table in Expressions.places
        self.is_fixed = more.get("fixed", False)  # nobody assigns to it
        self.room = more.get("room", 1)  # elements of an array, or behind a pointer
        self.range = more.get("range")  # of a counter that nobody changes
        self.is_reference = more.get("reference", False)


class Expressions:
    """Needs self.random, self.scopes (lists of variables), self.read_objects, self.written_objects."""

    def variables(self, *kinds):
        return [v for scope in self.scopes for v in scope if v.kind in kinds]

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, percent):
        return self.random.randrange(100) < percent

    # ---- Places of type int --------------------------------------------------------------------

    def place(self, depth=0, changeable=True):
        """An lvalue of some integer type."""
        index = lambda room: self.index(room, depth + 1)
        options = []  # functions: each makes many names
        for v in self.variables("int", "other"):
            if not (changeable and v.is_fixed):
                options += [lambda v=v: v.name] * 4
        for v in self.variables("array"):
            options += [lambda v=v: f"{v.name}[{index(v.room)}]"] * 2
        for v in self.variables("pointer"):
            options.append(lambda v=v: f"(*{v.name})" if v.room == 1 else
                           self.pick(f"{v.name}[{index(v.room)}]", f"(*({v.name} + {index(v.room)}))"))
        for v in self.variables("pointer2"):
            options.append(lambda v=v: f"(**{v.name})")
        for v in self.variables("record", "record_pointer"):
            dot = v.name + ("." if v.kind == "record" else "->")
            options += [lambda dot=dot: self.pick(f"{dot}x", f"{dot}y", f"{dot}z[{index(4)}]")] * 2
        for v in self.variables("outer"):
            options.append(lambda v=v: self.pick(f"{v.name}.in.x", f"{v.name}.in.z[{index(4)}]", f"*{v.name}.p",
                                                 f"{v.name}.w"))
        for v in self.variables("view", "union"):
            options.append(lambda v=v: v.name + (self.pick(".r", ".k") if v.kind == "view" else self.pick(".i", ".u")))
        if not options:
            return None
        found = self.random.choice(options)()
        if depth < 2 and self.chance(12):
            ints = [v.name for v in self.variables("int") if not v.is_fixed]
            if len(ints) >= 2:
                x, y = self.random.sample(ints, 2)
                found = self.pick(f"({self.condition(depth + 1)} ? {x} : {y})",
                                  f"choose({self.condition(depth + 1)}, {x}, {y})", f"itself({x})", f"*&{x}",
                                  f"(({self.place(depth + 2)}) = 1, {x})" if changeable else f"{x}",
                                  f"*at(&{x}, 0)")
        return found

    def index(self, count, depth=0):
        counters = [v for v in self.variables("int") if v.range and v.range[0] >= 0 and v.range[1] < count]
        if counters and self.chance(60):
            return self.random.choice(counters).name
        if self.chance(35) or depth > 2:
            return str(self.random.randrange(count))
        text = self.value(depth + 2)
        if count & (count - 1) == 0 and self.chance(70):
            return f"(({text}) & {count - 1})"
        return f"(unsigned({text}) % {count}u)"

    def field(self, name, dims, depth=0):
        return f"{name}({', '.join(self.index(n, depth + 1) for n in dims)})"

    # ---- Values --------------------------------------------------------------------------------

    def leaf(self, depth=0):
        options = [str(self.random.choice([0, 1, 2, 3, 5, 7, 16, 31, 32, -1]))] * 3
        options += ["i", "t", "tsk::lane()", "tsk::task_thread()"]
        options += ["tsk::task_warp()", "tsk::block_thread()"] if self.chance(20) else []
        if depth < 4 and self.chance(55) and (place := self.place(depth + 1, changeable=False)):
            return place
        return self.random.choice(options)

    def read(self, depth):
        name = self.random.choice(list(self.read_objects) * 3 + list(self.written_objects))
        return self.field(name, {**self.read_objects, **self.written_objects}[name], depth)

    def value(self, depth=0):
        """An integer, without side effects."""
        if depth > 3 or self.chance(30):
            return self.leaf(depth)
        kind = self.random.randrange(20)
        if kind < 8:
            left, right = self.value(depth + 1), self.value(depth + 1)
            return f"({left} {self.pick('+', '-', '*', '&', '|', '^', '+', '-')} {right})"
        if kind < 10:
            return f"({self.value(depth + 1)} {self.pick('/', '%')} {self.pick(2, 3, 4, 8, 32, 7)})"
        if kind < 11:
            return f"({self.value(depth + 1)} {self.pick('<<', '>>')} {self.pick(0, 1, 2, 5)})"
        if kind < 12:
            return f"({self.pick('-', '~', '!', '+')}({self.leaf(depth + 1)}))"
        if kind < 14:
            return f"({self.condition(depth + 1)} ? {self.value(depth + 1)} : {self.value(depth + 1)})"
        if kind < 15:
            return f"{self.pick('(short)', 'unsigned', '(signed char)', '(long long)', 'bool', '(unsigned char)', 'int')}" \
                   f"({self.value(depth + 1)})"
        if kind < 17:
            return self.read(depth)
        if kind < 18:
            return self.pick(f"twice({self.value(depth + 1)})", f"least({self.value(depth + 1)}, {self.value(depth + 1)})",
                             f"add<{self.pick(0, 1, 4, 32)}>({self.value(depth + 1)})",
                             f"recurse({self.value(depth + 2)}, {self.pick(0, 1, 2, 3)})")
        return self.leaf(depth)

    # ---- Conditions ----------------------------------------------------------------------------

    def condition(self, depth=0):
        kind = self.random.randrange(17)
        if depth > 3:
            kind = self.random.randrange(7)
        if kind < 2:
            return f"{self.leaf(depth + 1)} {self.pick('<', '<=', '>', '>=', '==', '!=')} {self.pick(0, 1, 3, 8, 31, 40)}"
        if kind < 4:
            return self.pick("tsk::lane() < 5", "tsk::lane() == 3", "(tsk::lane() & 3) == 1", "tsk::task_thread() == 0",
                             "tsk::task_warp() == 1", "tsk::task_warp() == 0", "tsk::task_thread() >= 32",
                             "tsk::task_thread() / 32 == 1", "tsk::task_thread() % 32 == 0", "tsk::block_thread() == 0",
                             "tsk::block_thread() == 32", "(tsk::task_thread() & 31) == 7", "tsk::task_thread() < 70")
        if kind < 6:
            return self.pick("i", "i > 0", "t > 3", "i == 5", "i < t", "true", "false", "i <= 5")
        if kind < 8:
            return f"{self.leaf(depth + 1)} {self.pick('<', '>', '==', '!=')} {self.leaf(depth + 1)}"
        if kind < 10:
            return f"{self.value(depth + 1)} {self.pick('<', '>=', '==')} {self.value(depth + 1)}"
        if kind < 11:
            return f"({self.value(depth + 1)}) & {self.pick(1, 2, 4)}"
        if kind < 12:
            return f"!({self.condition(depth + 1)})"
        if kind < 13:
            return self.read(depth + 1)
        return f"({self.condition(depth + 1)} {self.pick('&&', '||')} {self.condition(depth + 1)})"

    def acting_condition(self, depth=0):
        """A condition that changes something on its way, in an order that C++ fixes."""
        def act():
            place = self.place(2)
            if not place:
                return self.condition(2)
            written = self.field(*self.random.choice(list(self.written_objects.items())), 2)
            return self.pick(f"({place})++ < {self.pick(0, 3, 9)}", f"({place} = {self.value(2)}) > 1",
                             f"--({place}) != 0", f"({place} += {self.leaf(2)}, {self.condition(3)})",
                             f"({written} = {self.leaf(2)}) > 2", f"(set({place}, {self.leaf(2)}), {self.condition(3)})")
        left = act() if self.chance(50) else self.condition(2)
        return f"({left} {self.pick('&&', '||')} {act()})" if self.chance(75) else left
