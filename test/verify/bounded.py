"""Deep and long inputs, on which the work of one part of the verifier once doubled with each level:
bounded.py TSKC TSK_OPT FOLDER. Prints what came of each; one that takes more than its share of time
or memory is stopped, and that is printed."""
import pathlib
import re
import resource
import subprocess
import sys

SECONDS, BYTES = 120, 4 << 30  # for one input: far more than any of them needs


def registers_in_loops():
    """What is in flight at the heads of loops, each in another."""
    body = "fence wgmma; call mma() writes acc by wgmma; commit_group wgmma;"
    for level in range(60):
        body = f"wait_group wgmma 0 defines acc; for k{level} in 0 .. n {{ {body} }}"
    return f"""plan p {{
      scalar n : i32;
      task A warps 0 .. 4 {{
        fence wgmma; call mma() writes acc by wgmma; commit_group wgmma;
        {body}
        wait_group wgmma 0 defines acc;
      }} }}"""


def kernel(fill, drain="", requires="", parameters=""):
    """A pipeline of tokens between two tasks; the statement `T` is one turn of it."""
    turns = ((fill, "token.acquire(); token.commit();"), (drain or fill, "token.wait(); token.release();"))
    fill, drain = (re.sub(r"\bT\b", turn, text) for text, turn in turns)
    return f"""kernel k(out dst: tensor<i32>[rows, cols], n: i32, m: i32{parameters}) {{
      {requires}
      grid (1);
      resource token : smem {{ pipeline async -> async stages 2; }}
      resource o : gmem of dst {{ produce put(i: i32) {{ dst(i, 0) = 1; }} }}
      schedule fill {{ {fill} }}
      schedule drain {{ {drain} o.put(n); }}
      task Fill on 1 warps runs fill;
      task Drain on 1 warps runs drain;
    }}"""


def lets(first, each, count):
    return f"let a0 = {first}; " + "".join(
        f"let a{i + 1} = {each.format(a=f'a{i}')}; " for i in range(count))


def bounds_of_lets():
    """A launch's number from a chain of `let`s, each used twice; the second task waits once more."""
    values = lets("n", "max({a}, min({a}, m))", 40)
    return kernel(f"{values} for i in 0 .. a40 {{ T }}", f"{values} for i in 0 .. a40 {{ T }} if (a40 > 0) {{ T }}")


def bounds_of_a_long_chain():
    return kernel(lets("n", "max({a}, m)", 3000) + "for i in 0 .. a3000 { T }")


def bounds_of_a_longer_chain():
    return kernel(lets("n", "min({a} * m, 7)", 24000) + "for i in 0 .. a24000 { T }")


def launches_of_a_long_chain():
    """Each number that is tried is computed through all of it; the second task waits once more."""
    values = lets("n", "max({a}, m)", 3000)
    return kernel(f"{values} for i in 0 .. a3000 {{ T }}", f"{values} for i in 0 .. a3000 {{ T }} if (a3000 > 0) {{ T }}")


def ctas_of_a_long_chain():
    """What is written follows from all of it, in each CTA."""
    return kernel("for i in 0 .. n { T }", f"for i in 0 .. n {{ T }} {lets('m', 'max({a}, n)', 3000)} o.put(a3000);").replace(
        "grid (1);", "grid (rows);").replace("o.put(n);", "")


def ctas_under_conditions():
    """Conditions on a loop's round, each made of the one before twice."""
    conditions = "let a0 = every(j, 3) || n < 0; " + "".join(
        f"let a{i} = (a{i - 1} || n < -{i}) && (a{i - 1} || n < -{i + 100}); " for i in range(1, 40))
    return f"""kernel k(out y: tensor<i32>[n]) {{
      grid (ceil_div(n, 256));
      resource o : gmem of y {{ produce put(j: i32) {{ if (tsk::task_thread() == 0) y(j) = 1; }} }}
      schedule all {{ for j in 0 .. n {{ {conditions} if (a39) {{ o.put(block.x * 256 + 0 * j); }} }} }}
      task T on 8 warps runs all;
    }}"""


def ctas_in_nests():
    """In each CTA 64 calls are compared, each of which touches many parts."""
    return """kernel k(out y: tensor<f32>[k, m, n]) {
      requires n % 256 == 0, k > 8, m > 200;
      grid (n / 256);
      resource o : gmem of y { produce put(a: i32, b: i32, c: i32) {
        y(a, b + c, tsk::block_x() * 256 + tsk::task_thread()) = 1.0f;
      } }
      schedule all { for a in 0 .. 4 { for b in 0 .. 100 { for c in 0 .. 100 { o.put(0, 0, 0); } } } }
      task T on 8 warps runs all;
    }"""


def negations():
    return kernel("let a0 = n > 0; " + "".join(f"let a{i + 1} = !a{i}; " for i in range(6000)) +
                  "for i in 0 .. n { if (a6000) { T } }")


def conditions_of_lets():
    """Conditions of 2^30 parts, if they are taken apart."""
    values = "let b0 = n > 0; " + "".join(
        f"let b{i + 1} = (b{i} && m != {i}) || (b{i} && n != {i}); " for i in range(30))
    return kernel(f"for i in 0 .. n {{ {values} if (b30) {{ T }} }}")


def iterations_of_lets():
    """What an iteration's copy computes from its number."""
    values = lets("i", "max({a}, min({a}, 7))", 40)
    return kernel(f"for i in 0 .. 8 {{ {values} if (a40 < 4) {{ T }} }}", "for i in 0 .. 4 { T }")


def copies_of_copies():
    """Loops of 32 copies in each other, in which nothing happens: no square is 3 modulo 7."""
    inner = "if (k5 * k5 % 7 == 3) { T }"
    for level in reversed(range(6)):
        inner = f"for k{level} in 0 .. 32 {{ if (k{level} * k{level} % 7 != 3) {{ {inner} }} }}"
    return kernel(inner)


def bounds_of_bounds():
    """Loops that run as often as the number of the round around them says, which runs 60 times."""
    loops = "".join(f"for k{level} in 0 .. k{level - 1} + 1 {{ " for level in range(1, 10))
    return kernel("for k0 in 0 .. 60 { " + loops + "T" + "}" * 10)


def many_steps():
    return kernel("T " * 200)


def many_loops():
    return kernel("for i in 0 .. n { T } " * 300)


def nest():
    return kernel("".join(f"for k{level} in 0 .. n {{ T " for level in range(24)) + "}" * 24)


def no_small_launch():
    """No launch runs a loop less than 3200 times."""
    return kernel("for i in 0 .. cols { T }", "for i in 0 .. cols { T } if (cols > 0) { T }",
                  "requires cols % 100 == 0 && cols % 128 == 0;")


def remainders():
    return kernel("for i in 0 .. cols { T }", "for i in 0 .. cols { T } if (cols > 0) { T }",
                  "requires cols % 96 == 95 && cols % 7 == 3;")


def ranks_of_lets():
    """What the CTAs of a cluster compute, each another number."""
    values = lets("cluster.rank + n", "max({a}, min({a}, m))", 40)
    return kernel(f"{values} for i in 0 .. a40 {{ T }}").replace("grid (1);", "target sm_90a; grid (2); cluster (2);")


def slices_of_lets():
    """Where the CTAs of a cluster load slices of one tile."""
    text = pathlib.Path(__file__).with_name("other-tile.test").read_text().split("#--- k.tsk\n")[1]
    values = lets("r", "max({a}, min({a}, rows))", 40)
    return text.replace("box.acquire(); box.load(r,", f"{values} box.acquire(); box.load(a40,")


def slices_of_a_long_chain():
    return slices_of_lets().replace("a40", "a6000").replace(
        lets("r", "max({a}, min({a}, rows))", 40).replace("a40", "a6000"), lets("r", "max({a}, rows)", 6000))


def tensor_accesses():
    """Each access may meet each other one."""
    pairs = " ".join(f"let v{i} = o.get(n + {i}, i); o.put(m + {i}, i); cta.sync();" for i in range(60))
    return f"""kernel k(inout dst: tensor<i32>[rows, cols], n: i32, m: i32) {{
      grid (1);
      resource o : gmem of dst {{
        consume get(i: i32, j: i32) -> (v: i32) {{ return dst(i, j); }}
        produce put(i: i32, j: i32) {{ dst(i, j) = 1; }}
      }}
      schedule s {{ for i in 0 .. cols {{ {pairs} }} }}
      schedule t {{ for i in 0 .. cols {{ {pairs} }} }}
      task T on 4 warps runs s;
      task U on 4 warps runs t;
    }}"""


def schedules_in_each_other():
    """Arguments that are used twice, on each level."""
    schedules = "schedule s0(x: i32) { for i in 0 .. x { token.acquire(); token.commit(); } }"
    for level in range(30):
        schedules += f" schedule s{level + 1}(x: i32) {{ s{level}(x + x); }}"
    return kernel("s30(n);", "for i in 0 .. n { T }").replace("schedule fill", f"{schedules} schedule fill")


def body(statements, extents="[64][128]"):
    return f"""kernel k(in src: tensor<f32>[rows, cols], out dst: tensor<f32>[rows, cols]) {{
      requires cols == 128;
      grid (1);
      resource input : gmem of src {{ consume get(row: i32) -> (v: f32) {{ return src(row, tsk::task_thread()); }} }}
      resource box : smem {{
        data : f32{extents};
        pipeline async -> async stages 1;
        produce put(row: i32, v: f32) {{ {statements} }}
        consume take() -> (v: f32) {{ return data(0, tsk::task_thread()); }}
      }}
      resource output : gmem of dst {{ produce store(row: i32, v: f32) {{ dst(row, tsk::task_thread()) = v; }} }}
      schedule fill {{ for r in 0 .. rows {{ let v = input.get(r); box.acquire(); box.put(r, v); box.commit(); }} }}
      schedule drain {{ for r in 0 .. rows {{ box.wait(); let v = box.take(); box.release(); output.store(r, v); }} }}
      task Fill on warps 0 .. 4 runs fill;
      task Drain on warps 4 .. 8 runs drain;
    }}"""


def loops_of_a_body():
    """Each of the loops may meet each other one."""
    return body("for (int i = 0; i < 64; ++i) data(i, tsk::task_thread()) = v; " * 250)


def loops_that_nobody_runs():
    return body("for (int i = 0; i < 64; ++i) data(i, tsk::task_thread()) = v; for (int i = 0; i < 1000000000; ++i) "
                "for (int j = 0; j < tsk::task_thread() / 127; ++j) data(1, i + j) = v;")


PLANS = [registers_in_loops]
KERNELS = [bounds_of_lets, bounds_of_a_long_chain, bounds_of_a_longer_chain,
           launches_of_a_long_chain, ctas_of_a_long_chain, ctas_under_conditions, ctas_in_nests, negations, conditions_of_lets, iterations_of_lets, copies_of_copies,
           bounds_of_bounds, many_steps, many_loops, nest, no_small_launch, remainders,
           ranks_of_lets, slices_of_lets, slices_of_a_long_chain, tensor_accesses, schedules_in_each_other, loops_of_a_body, loops_that_nobody_runs]


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


def verdict(command):
    run = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    if run.returncode < 0:
        return f"stopped by signal {-run.returncode}"
    if "proved in every interleaving" in run.stdout:
        return "proved"
    return ", ".join(sorted(set(re.findall(r"error: (.*)", run.stderr)))) or run.stdout


def main():
    tskc, tsk_opt, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    for cases, suffix, command in ((PLANS, "plan", [tsk_opt, "--verify"]), (KERNELS, "tsk", [tskc, "check"])):
        for case in cases:
            path = folder / f"{case.__name__}.{suffix}"
            path.write_text(case())
            print(f"{case.__name__}: {verdict([*command, str(path)])[:400]}", flush=True)


main()
