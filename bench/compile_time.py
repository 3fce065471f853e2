"""How long tskc takes and how much memory: `compile_time.py TSKC FILE…`. A measurement, not a test.

Each file is compiled without Clang, with Clang's answer from the cache, and with Clang.
"""
import os
import statistics
import sys
import tempfile
import time

RUNS = 50


def run(command, environment):
    """Seconds and peak KiB of one run, its output thrown away."""
    start = time.perf_counter()
    child = os.posix_spawn(command[0], command, environment, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed")
    return time.perf_counter() - start, usage.ru_maxrss


def measure(what, command, environment):
    runs = [run(command, environment) for _ in range(RUNS)]
    times = [1e3 * seconds for seconds, _ in runs]
    print(f"  {statistics.median(times):6.1f} ms [{max(times):6.1f}]  "
          f"{max(kib for _, kib in runs) / 1024:5.1f} MiB  {what}")


def main(tskc, files):
    caches = ("TSK_CACHE_DIR", "XDG_CACHE_HOME", "HOME")
    without = {name: value for name, value in os.environ.items() if name not in caches}
    print(f"{RUNS} runs each: median [slowest], peak memory of tskc itself")
    measure("tskc --version", [tskc, "--version"], without)
    for file in files:
        measure(f"tskc fmt --check {file}", [tskc, "fmt", "--check", file], without)
        command = [tskc, file, "-o", "-"]
        measure(f"tskc --no-body-analysis {file}", [*command, "--no-body-analysis"], without)
        with tempfile.TemporaryDirectory() as cache:
            warm = {**without, "TSK_CACHE_DIR": cache}
            run(command, warm)
            measure(f"tskc {file}, bodies from the cache", command, warm)
        measure(f"tskc {file}, bodies read by Clang", command, without)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
