# Checks a kernel without its second `cta.sync()` for each loop that the CHECK lines of
# wanted-launch.test name, and says what came of it.
import pathlib
import re
import subprocess
import sys

KERNEL = """kernel k(in src: tensor<f32>[rows, cols], out dst: tensor<f32>[rows], n: i32) {{
  {requires}
  requires n >= n - 1 && cols > 0;
  grid {grid};
  resource part : smem {{
    value : f32[64];
    produce put() {{ value(tsk::task_thread()) = 1; }}
    consume get() -> (s: f32) {{ return value(63 - tsk::task_thread()); }}
  }}
  resource output : gmem of dst {{ produce store(row: i32, s: f32) by leader {{ dst(row) = s; }} }}
  schedule all {{
    for r in {loop} {{
      part.put();
      cta.sync();
      output.store(r, part.get());
    }}
  }}
  task All on 2 warps runs all;
  depends {{ output <- part; }}
}}
"""


def main():
    tskc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    cases = pathlib.Path(__file__).with_name("wanted-launch.test").read_text()
    for line in re.findall(r"^# CHECK: (.*): \w+$", cases, re.M):
        head, _, requires = line.partition("; ")
        grid, loop = re.fullmatch(r"grid (\(.*\)): (.*)", head).groups()
        path = folder / "k.tsk"
        path.write_text(KERNEL.format(grid=grid, loop=loop,
                                      requires=f"requires {requires};" if requires else ""))
        run = subprocess.run([tskc, "check", str(path)], capture_output=True, text=True)
        codes = re.findall(r"error: .*\[(TSK\d+)", run.stderr)
        said = "proved" if "proved in every interleaving" in run.stdout else ", ".join(codes)
        print(f"{line}: {said}")


main()
