"""Generated kernels have no more machine instructions than hand-written ones of the same schedule.

compare_sass.py TSKC NVCC INCLUDE SOURCE_ROOT WORK
"""
import pathlib
import subprocess
import sys

tskc, nvcc, include, root, work = sys.argv[1:]
sys.path.insert(0, str(pathlib.Path(root) / "bench"))
import sass_count  # noqa: E402

work = pathlib.Path(work)
work.mkdir(parents=True, exist_ok=True)


def cubin(source, *flags):
    output = work / (pathlib.Path(source).name + ".cubin")
    subprocess.run([nvcc, "-std=c++17", "-O3", "-gencode=arch=compute_90a,code=sm_90a", "-cubin",
                    *flags, str(source), "-o", str(output)], check=True)
    return sass_count.kernels(output)


def only(kernels, part):
    found = [count for name, count in kernels.items() if part in name]
    assert len(found) == 1, f"{part}: {sorted(kernels)}"
    return found[0]


failed = False
for sample, stages in (("tma_copy", 4), ("copy_ws", 4)):
    cuda = work / f"{sample}.tsk.cu"
    subprocess.run([tskc, f"samples/{sample}/{sample}.tsk", "-D", f"DEEP={stages}", "-o", str(cuda)],
                   check=True, cwd=root)
    generated = only(cubin(cuda, f"-I{include}"), f"{sample}_kernel")
    by_hand = only(cubin(f"{root}/bench/hand/{sample}.cu"), f"k_{sample}ILi{stages}E")
    verdict = "ok" if 0 < generated <= by_hand else "TOO MANY"
    failed |= verdict != "ok"
    print(f"{sample}, {stages} stages: {generated} generated, {by_hand} by hand: {verdict}")
sys.exit(failed)
