"""A kernel with a nest of loops: nested_loops.py DEPTH [meet]; `meet`: at each level all lanes write, one reads."""
import sys

depth, meet = int(sys.argv[1]), len(sys.argv) > 2
print("""kernel k(n: i32) {
  grid (1);
  resource t : smem {
    f : i32[64];
    produce write(v: i32) { f(tsk::lane()) = v; }
    consume read() -> (v: i32) by leader { return f(1); }
  }
  schedule s {""")
for i in range(depth):
    print(f"for a{i} in 0 .. n {{ {f't.write({i});' if meet else ''}")
print("t.write(99);")
for i in range(depth):
    print(f"{f't.read();' if meet else ''} }}")
print("  }\n  task C on 1 warps runs s;\n}")
