# Checks each kernel that the CHECK lines of conditions.test name, and says what came of it.
import pathlib
import re
import subprocess
import sys

KERNEL = """kernel k(out dst: tensor<i32>[n_rows], m: i32{params}) {{
  {requires}
  grid (1);
  resource token : smem {{ pipeline async -> async stages 2; }}
  resource o : gmem of dst {{ produce put(i: i32) {{ dst(i) = 1; }} }}
  schedule fill {{ for i in 0 .. m {{ if ({fill}) {{ token.acquire(); token.commit(); }} }} }}
  schedule drain {{ for i in 0 .. m {{ if ({drain}) {{ token.wait(); token.release(); }} o.put(i); }} }}
  task Fill on 1 warps runs fill;
  task Drain on 1 warps runs drain;
}}
"""


def main():
    tskc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    cases = pathlib.Path(__file__).with_name("conditions.test").read_text()
    for line in re.findall(r"^# CHECK: (.*): \w+$", cases, re.M):
        fill, drain, rest = line.split(" | ")
        params, _, requires = rest.partition("; ")
        names = "".join(", {1}: {0}".format(*param.split()) for param in params.split(", "))
        text = KERNEL.format(params=names, fill=fill, drain=drain,
                             requires=f"requires {requires};" if requires else "")
        path = folder / "k.tsk"
        path.write_text(text)
        run = subprocess.run([tskc, "check", str(path)], capture_output=True, text=True)
        codes = re.findall(r"error: .*\[(TSK\d+)", run.stderr)
        said = "proved" if "proved in every interleaving" in run.stdout else ", ".join(codes)
        print(f"{line}: {said}")


main()
