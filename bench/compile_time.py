"""How long tskc takes and how much memory: `compile_time.py TSKC FILE…`. A measurement, not a test.

Each file is compiled without Clang, with Clang's answer from the cache, and with Clang; and so is
one with ten bodies. Processor time stands beside time passed, which other programs lengthen.
"""
import os
import statistics
import sys
import tempfile
import time

RUNS = 50


def run(command, environment):
    """Seconds, seconds of processors and peak KiB of one run, its output thrown away."""
    start = time.perf_counter()
    child = os.posix_spawn(command[0], command, environment, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed")
    # With those of the programs that it has started.
    processors = usage.ru_utime + usage.ru_stime
    return time.perf_counter() - start, processors, usage.ru_maxrss


def measure(what, command, environment):
    runs = [run(command, environment) for _ in range(RUNS)]
    times = [1e3 * seconds for seconds, _, _ in runs]
    processors = 1e3 * statistics.median(seconds for _, seconds, _ in runs)
    print(f"  {statistics.median(times):6.1f} ms [{max(times):6.1f}]  {processors:5.1f} ms  "
          f"{max(kib for _, _, kib in runs) / 1024:5.1f} MiB  {what}")


def ten_bodies():
    """A kernel with ten bodies, none like another."""
    works = "".join(f"""
    update work_{i}(n: i32) {{
      tsk::array<float, {i + 2}> v;
      for (int i = 0; i < {i + 2}; ++i)
        v[i] = apply<{i}>(dst(n, tsk::lane())) + sqrtf(fmaxf(dst(n, 0), {i}.0f));
      for (int step = 16; step > 0; step /= 2)
        v[1] += __shfl_xor_sync(0xffffffff, v[1], step);
      tsk::warp_sync();
      dst(n, tsk::lane()) = v[{i + 1}] + v[1];
    }}""" for i in range(10))
    calls = " task.sync(); ".join(f"output.work_{i}({i});" for i in range(10))
    return f"""cpp {{
  template <int N> __device__ float apply(float x) {{ return x * N + __expf(x); }}
}}
kernel ten(inout dst: tensor<f32>[rows, 32]) {{
  grid (1);
  resource output : gmem of dst {{{works}
  }}
  schedule s {{ {calls} }}
  task T on 1 warps runs s;
}}
"""


def main(tskc, files):
    caches = ("TSK_CACHE_DIR", "XDG_CACHE_HOME", "HOME")
    without = {name: value for name, value in os.environ.items() if name not in caches}
    print(f"{RUNS} runs each: median [slowest], processor time, peak memory of tskc itself")
    measure("tskc --version", [tskc, "--version"], without)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ten-bodies.tsk")
        with open(path, "w", encoding="utf-8") as file:
            file.write(ten_bodies())
        measure_files(tskc, [*files, path], without)


def measure_files(tskc, files, without):
    for file in files:
        measure(f"tskc fmt {file}", [tskc, "fmt", file], without)
        command = [tskc, file, "-o", "-"]
        measure(f"tskc --no-body-analysis {file}", [*command, "--no-body-analysis"], without)
        with tempfile.TemporaryDirectory() as cache:
            warm = {**without, "TSK_CACHE_DIR": cache}
            run(command, warm)
            measure(f"tskc {file}, bodies from the cache", command, warm)
        measure(f"tskc {file}, bodies read by Clang", command, without)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
