"""Writes files with chains of so many links: chains.py FOLDER LINKS."""
import os
import sys

folder, links = sys.argv[1], int(sys.argv[2])
numbers = range(1, links + 1)


def kernel(items, schedule, members="produce put(i: i32, v: i32) { dst(i) = v; }"):
    return f"""kernel k<X = {links}>(out dst: tensor<i32>[n]) {{
  {items}
  grid (1);
  resource o : gmem of dst {{ {members} }}
  schedule s {{ {schedule} }}
  task T on warps 0 .. 4 runs s;
}}
"""


def write(name, text):
    with open(os.path.join(folder, name), "w") as out:
        out.write(text)


def if_chain(word, left, body):
    return f" else {word} ".join(f"({left} == {j}) {{ {body(j)} }}" for j in numbers)


put = "parallel for i in 0 .. n across grid { o.put(i, "
write("sum.tsk", kernel(
    "const A = " + " + ".join(["1"] * links) + "; const B = A > 0 && " +
    " && ".join(["true"] * links) + ";", put + "A); }"))
write("static-if.tsk", kernel(
    "static if " + if_chain("static if", "X", lambda j: f"const C = {j};"),
    "static if " + if_chain("static if", "X", lambda j: f"o.final({j});"),
    "static if " + if_chain("static if", "X",
                            lambda j: f"produce {'final' if j == links else 'other'}(v: i32) {{ dst(0) = v; }}")))
write("run-time.tsk", kernel(
    "requires " + " && ".join(["n > 0"] * links) + ";",
    put + " + ".join(["i"] * links) + "); }\n    if " +
    if_chain("if", "n", lambda j: put + f"{j}); }}")))
write("nonsense.tsk", kernel(
    "", f"""
    o{'.x' * links}();
    o{'[0]' * links}.put(0, 0);
    o.put(0, 0){'(1)' * links};
    o.put(0, o.put(0, 0){'.x' * links});
"""))
