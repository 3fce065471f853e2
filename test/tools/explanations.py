"""Checks the examples of an explanations page: `explanations.py PAGE TSKC TSK_OPT WORK`.

Under a heading `## TSK2001` two fenced blocks are an example that is rejected with this code and the same mended, which
is right. ```plan blocks are the items of a plan, ```tsk blocks those of a kernel that has a ring `r` of two stages, an
`output` and a tensor `buf` to read and write; a schedule `fill` or `drain` that a block does not have walks over the ring once,
and the grid is one CTA if it does not say another.
"""
import pathlib
import re
import subprocess
import sys

KERNEL = """kernel k(out dst: tensor<f32>[n], inout buf: tensor<f32>[n]) {
  grid (1);
  resource r : smem {
    x : f32[32];
    pipeline async -> async stages 2;
    produce put() { x(tsk::task_thread()) = 1; }
    consume get() -> (v: f32) { return x(tsk::task_thread()); }
  }
  resource output : gmem of dst {
    produce store(i: i32, v: f32) { dst(i + tsk::task_thread()) = v; }
  }
%s
  task P on warps 0 .. 1 runs fill;
  task C on warps 1 .. 2 runs drain;
}
"""
SCHEDULES = {"fill": "schedule fill { r.acquire(); r.put(); r.commit(); }",
             "drain": "schedule drain { r.wait(); output.store(0, r.get()); r.release(); }"}


def judge(kind, text, tskc, tsk_opt, work):
    if kind == "plan":
        path = work / "example.plan"
        path.write_text("plan example {\n" + text + "}\n", encoding="utf-8")
        command = [tsk_opt, path, "--verify", "--no-timelines"]
    else:
        path = work / "example.tsk"
        others = "".join(f"  {schedule}\n" for name, schedule in SCHEDULES.items() if f"schedule {name}" not in text)
        frame = re.sub(r"  grid .*\n", "", KERNEL) if "grid (" in text else KERNEL
        path.write_text(frame % (text + others), encoding="utf-8")
        command = [tskc, "check", path]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return result.returncode, result.stdout


def main(page, tskc, tsk_opt, work):
    folder = pathlib.Path(work)
    folder.mkdir(parents=True, exist_ok=True)
    failures, examples = [], 0
    text = pathlib.Path(page).read_text(encoding="utf-8")
    for code, section in re.findall(r"^## TSK(\d+)\n(.*?)(?=^## |\Z)", text, re.M | re.S):
        blocks = re.findall(r"^```(plan|tsk)\n(.*?)^```$", section, re.M | re.S)
        if not blocks:
            continue
        examples += 1
        if len(blocks) != 2:
            failures.append(f"TSK{code}: {len(blocks)} blocks, not a wrong one and a right one")
            continue
        status, output = judge(*blocks[0], tskc, tsk_opt, folder)
        first = re.search(r"error: .*\[TSK(\d+)\]", output)
        if status != 1 or not first or first.group(1) != code:
            failures.append(f"TSK{code}: the wrong example is not rejected with it:\n{output}")
        status, output = judge(*blocks[1], tskc, tsk_opt, folder)
        if status != 0 or "error:" in output:
            failures.append(f"TSK{code}: the right example is not right:\n{output}")
    print("\n".join(failures))
    print(f"{examples} examples, {len(failures)} failures")
    return 1 if failures or not examples else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
