"""Checks each pair of schedules that the CHECK lines of tensor-rounds.test name, and says what came of it: two tasks, of
which the first writes elements of a tensor and the second reads some."""
import pathlib
import re
import subprocess
import sys

KERNEL = """kernel k(inout x: tensor<i32>[rows, cols], n: i32, m: i32) {{
  requires n > 0, m > 0;
  grid (1);
  resource token : smem {{ pipeline async -> async stages 1; }}
  resource t : gmem of x {{
    produce put(i: i32, j: i32) by leader {{ x(i, j) = 1; }}
    consume get(i: i32, j: i32) -> (v: i32) by leader {{ return x(i, j); }}
  }}
  schedule write {{ {write} }}
  schedule read {{ {read} }}
  task Write on 1 warps runs write;
  task Read on 1 warps runs read;
}}
"""
WORDS = {"sync": "cta.sync();", "put": "t.put", "get": "t.get", "give": "token.acquire(); token.commit();",
         "take": "token.wait(); token.release();"}


def main():
    tskc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    cases = pathlib.Path(__file__).with_name("tensor-rounds.test").read_text()
    for line in re.findall(r"^# CHECK: (.*): \w+$", cases, re.M):
        write, read = (re.sub(r"\b(sync|put|get|give|take)\b", lambda word: WORDS[word[1]], each)
                       for each in line.split(" | "))
        path = folder / "k.tsk"
        path.write_text(KERNEL.format(write=write, read=read))
        run = subprocess.run([tskc, "check", str(path)], capture_output=True, text=True)
        codes = re.findall(r"error: .*\[(TSK\d+)", run.stderr)
        said = "proved" if "proved in every interleaving" in run.stdout else ", ".join(codes)
        print(f"{line}: {said}")


main()
