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


PLANS = [registers_in_loops]
KERNELS = []


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
            print(f"{case.__name__}: {verdict([*command, str(path)])}", flush=True)


main()
