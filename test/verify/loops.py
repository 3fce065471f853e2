# Checks each pair of schedules that the CHECK lines of loops.test name, and says what came of it.
# T is one turn of a pipeline, in which the first fills and the second drains.
import pathlib
import re
import subprocess
import sys

KERNEL = """kernel k(out dst: tensor<i32>[rows], n: i32, m: i32, q: i32) {{
  {requires}
  requires q >= q - 1;
  grid (1);
  resource token : smem {{ pipeline async -> async stages 2; }}
  resource o : gmem of dst {{ produce put(i: i32) {{ dst(i) = 1; }} }}
  schedule fill {{ {fill} }}
  schedule drain {{ {drain} o.put(n); }}
  task Fill on 1 warps runs fill;
  task Drain on 1 warps runs drain;
}}
"""
FILL = "token.acquire(); token.commit();"
DRAIN = "token.wait(); token.release();"


def main():
    tskc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    cases = pathlib.Path(__file__).with_name("loops.test").read_text()
    for line in re.findall(r"^# CHECK: (.*): \w+$", cases, re.M):
        schedules, _, requires = line.partition("; ")
        fill, drain = schedules.split(" | ")
        path = folder / "k.tsk"
        path.write_text(KERNEL.format(fill=re.sub(r"\bT\b", FILL, fill),
                                      drain=re.sub(r"\bT\b", DRAIN, drain),
                                      requires=f"requires {requires};" if requires else ""))
        run = subprocess.run([tskc, "check", str(path)], capture_output=True, text=True)
        codes = re.findall(r"error: .*\[(TSK\d+)", run.stderr)
        said = "proved" if "proved in every interleaving" in run.stdout else ", ".join(codes)
        print(f"{line}: {said}")


main()
