"""Random C++ statements of a body."""
from expressions import INTEGERS, Expressions, Variable
from tree import Node


class Statements(Expressions):
    """Needs self.counter; writes claims whose numbers are unique in the program."""

    def fresh(self, prefix="v"):
        self.counter += 1
        return f"{prefix}{self.counter}"

    def number(self):
        self.counter += 1
        return self.counter

    def whole(self):
        """As an initialiser in braces."""
        return f"int({self.value(2)})"

    def loops(self, *more):
        return "".join(f", {loop}" for loop in [*self.around, *more])

    def declare(self, variable):
        self.scopes[-1].append(variable)

    def block(self, depth, count=None, first=()):
        self.scopes.append([])
        nodes = list(first)
        for _ in range(count if count is not None else self.random.randint(1, 4)):
            nodes += self.statement(depth + 1)
        self.scopes.pop()
        return nodes

    # ---- Declarations --------------------------------------------------------------------------

    def declaration(self):
        name = self.fresh()
        ints = [v.name for v in self.variables("int") if not v.is_fixed]
        kind = self.random.randrange(22)
        made, text = None, None
        if kind < 5:
            made, text = Variable(name, "int"), f"int {name} = {self.value(1)};"
        elif kind < 6:
            chosen = self.random.choice(INTEGERS)  # C++ does not count with bool
            made, text = Variable(name, "other", fixed=chosen == "bool"), f"{chosen} {name} = {self.value(1)};"
        elif kind < 7:
            made, text = Variable(name, "int", fixed=True), f"const int {name} = {self.value(1)};"
        elif kind < 9:
            room = self.pick(2, 3, 4)
            values = ", ".join(self.whole() for _ in range(self.random.randint(0, room)))
            made, text = Variable(name, "array", room=room), f"int {name}[{room}] = {{{values}}};"
        elif kind < 10:
            made, text = Variable(name, "record"), f"record {name}{{{self.whole()}, {self.whole()}, {{{self.whole()}}}}};"
        elif kind < 11:
            made = Variable(name, "record")
            records = self.variables("record")
            text = f"record {name} = {self.random.choice(records).name};" if records else f"record {name}{{}};"
        elif kind < 12 and ints:
            made = Variable(name, "outer")
            text = f"outer {name}{{{{{self.whole()}, 1, {{}}}}, {self.address()}, {self.whole()}}};"
        elif kind < 13 and ints:
            made, text = Variable(name, "view"), f"view {name}{{{self.random.choice(ints)}, {self.whole()}}};"
        elif kind < 16 and ints:
            made, text = Variable(name, "pointer"), f"int *{name} = {self.address()};"
        elif kind < 17:
            arrays = self.variables("array")
            if arrays:
                chosen = self.random.choice(arrays)
                made = Variable(name, "pointer", room=chosen.room)
                text = f"int *{name} = {self.pick(chosen.name, f'&{chosen.name}[0]', f'{chosen.name} + 0')};"
            else:
                made, text = Variable(name, "pointer", room=32), f"int *{name} = {self.wide_field_address()};"
        elif kind < 18:
            pointers = [v for v in self.variables("pointer") if v.room == 1]
            if pointers:
                made, text = Variable(name, "pointer2"), f"int **{name} = &{self.random.choice(pointers).name};"
        elif kind < 19:
            records = self.variables("record")
            if records:
                made, text = Variable(name, "record_pointer"), f"record *{name} = &{self.random.choice(records).name};"
        elif kind < 20:
            made, text = Variable(name, "union"), f"mixed {name}; {name}.i = {self.value(2)};"
        else:
            place = self.int_place()
            if place:
                made, text = Variable(name, "int", reference=True), f"{self.pick('int', 'auto')} &{name} = {place};"
        if not made:
            return self.assignment()
        self.declare(made)
        return [Node(text, declares=[name])]

    def int_place(self):
        """An lvalue of type int, of memory too."""
        ints = [v.name for v in self.variables("int") if not v.is_fixed]
        options = ints * 2
        options += [f"{v.name}[{self.index(v.room, 1)}]" for v in self.variables("array")]
        options += [f"*{v.name}" for v in self.variables("pointer")]
        options += [f"{v.name}.{self.pick('x', 'y', 'z[1]')}" for v in self.variables("record")]
        options += [self.field(*self.random.choice(list(self.written_objects.items())), 1)]
        if len(ints) > 1:
            options.append(f"({self.condition(2)} ? {ints[0]} : {ints[-1]})")
        return self.random.choice(options)

    def wide_field_address(self):
        if "dst" not in self.written_objects:
            return self.pick("b.data()", "&b(1)", "b.data() + 16")
        return self.pick("b.data()", "&b(0)", "dst.data()", "reinterpret_cast<int *>(c.data())", "b.data() + 32",
                         "(int *)((unsigned long long)b.data() + 4 * (i & 15))", "&dst(tsk::lane())")

    def address(self):
        place = self.int_place()
        other = self.int_place()
        options = [f"&{place}"] * 4 + [f"({self.condition(2)} ? &{place} : &{other})"]
        options += [v.name for v in self.variables("pointer")]
        options += [f"&b({self.index(64, 1)})", f"b.data() + {self.index(64, 1)}", f"at(&{place}, 0)"]
        return self.random.choice(options)

    # ---- Effects -------------------------------------------------------------------------------

    def written(self):
        name = self.random.choice(list(self.written_objects))
        return self.field(name, self.written_objects[name])

    def assignment(self):
        place = self.place() or "*b.data()"
        kind = self.random.randrange(15)
        if kind < 5:
            text = f"{place} = {self.value()};"
        elif kind < 7:
            text = f"{place} {self.pick('+=', '-=', '*=', '&=', '|=', '^=')} {self.value(1)};"
        elif kind < 8:
            text = self.pick(f"++({place});", f"--({place});", f"({place})++;", f"({place})--;")
        elif kind < 9:
            text = f"{place} = {self.place() or 'b(0)'} = {self.value(1)};"
        elif kind < 10:
            text = f"({place} = {self.value(1)}) += {self.value(2)};"
        elif kind < 12:
            text = f"if ({self.acting_condition()}) {place} = {self.value(1)};"
        elif kind < 13:
            text = f"{place} = ({self.acting_condition()} ? {self.value(1)} : {self.value(1)});"
        elif kind < 14:
            text = f"(void)({self.condition(1)} && ({place} = {self.value(1)}));"
        else:
            text = self.pointer_move() or f"{place} = 0;"
        return [Node(text)]

    def pointer_move(self):
        pointers = [v for v in self.variables("pointer") if v.room == 1 and not v.is_fixed]
        if not pointers:
            return None
        chosen = self.random.choice(pointers).name
        return self.pick(f"{chosen} = {self.address()};", f"if ({self.condition(1)}) {chosen} = {self.address()};",
                         f"*{chosen} = {self.value(1)};")

    def memory(self):
        kind = self.random.randrange(10)
        if kind < 4:
            text = f"{self.written()} = {self.value(1)};"
        elif kind < 5:
            text = f"{self.written()} += {self.value(1)};"
        elif kind < 6:
            text = f"if ({self.condition()}) {self.written()} = {self.value(1)};"
        elif kind < 7:
            text = f"atomicAdd(&{self.written()}, {self.value(2)});"
        elif kind < 8:
            text = f"{self.place() or 'b(1)'} = {self.read(1)};"
        elif kind < 9:
            text = f"b.data()[{self.index(64)}] = {self.value(2)};"
        else:
            text = f"*reinterpret_cast<unsigned *>(&{self.written()}) = {self.value(2)};"
        return [Node(text)]

    def odd(self):
        """Casts, bytes of other types, calls by reference."""
        ints = [v.name for v in self.variables("int") if not v.is_fixed]
        if not ints:
            return self.declaration()
        x, y = self.random.choice(ints), self.random.choice(ints)
        target = self.int_place()
        kind = self.random.randrange(15)
        texts = [f"*reinterpret_cast<unsigned *>(&{x}) = {self.value(2)};",
                 f"reinterpret_cast<short *>(&{x})[{self.pick(0, 1)}] = {self.value(2)};",
                 f"*(unsigned char *)&{x} = {self.value(2)};",
                 f"set({target}, {self.value(2)});", f"CALL({self.number()}, bump({target}){self.loops()});",
                 f"exchange({x}, {target});", f"put(&{target}, {self.value(2)});",
                 f"choose({self.condition(2)}, {x}, {y}) = {self.value(2)};",
                 f"{{ adder g{{{x}, {self.whole()}}}; {self.place()} = {self.value(2)}; }}",
                 f"every<{self.pick(1, 3)}>([&](int k) {{ {target} += k; }});",
                 f"{x} = sum_of({self.pick(1, 2, 3)}, {y}, {self.value(2)});",
                 f"deep({x}, {self.pick(0, 1, 2)});",
                 f"*(int *)((unsigned long long)&{target} + 0) = {self.value(2)};",
                 f"itself({x}) = itself({y}) + 1;",
                 f"{{ int *q = &{target}; int **qq = &q; **qq = {self.value(2)}; *qq = &{x}; *q = {self.leaf()}; }}"]
        records = self.variables("record")
        if records and self.chance(50):
            r = self.random.choice(records).name
            texts += [f"{r}.grow({self.value(2)});", f"(&{r}.x)[1] = {self.value(2)};",
                      f"*(&{r}.x + {self.index(2, 1)}) = {self.value(2)};", f"{r} = record{{{self.whole()}, 2, {{}}}};",
                      f"reinterpret_cast<int *>(&{r})[{self.index(4, 1)}] = {self.value(2)};", f"{r}.z[{self.index(4)}]++;"]
            kind = self.random.randrange(len(texts))
        return [Node(texts[kind])]

    def claim(self):
        options = [v for v in self.variables("int", "other", "pointer")] * 2
        if options and self.chance(70):
            text = self.random.choice(options).name
        else:
            text = self.pick(self.place(0, changeable=False) or "i", self.value(1), self.condition(1), self.leaf())
        return [Node(f"CLAIM({self.number()}, {text}{self.loops()});")]
