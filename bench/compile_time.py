"""How long tskc takes and how much memory: `compile_time.py TSKC FILE…`. A measurement, not a test."""
import os
import statistics
import sys
import time

RUNS = 50


def run(command):
    """Seconds and peak KiB of one run, its output thrown away."""
    start = time.perf_counter()
    child = os.posix_spawn(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed")
    return time.perf_counter() - start, usage.ru_maxrss


def main(tskc, files):
    print(f"{RUNS} runs each: median [slowest], peak memory")
    for arguments in [["--version"], *([file, "-o", "-"] for file in files)]:
        runs = [run([tskc, *arguments]) for _ in range(RUNS)]
        times = [1e3 * seconds for seconds, _ in runs]
        print(f"  {statistics.median(times):6.1f} ms [{max(times):6.1f}]  "
              f"{max(kib for _, kib in runs) / 1024:5.1f} MiB  tskc {' '.join(arguments)}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
