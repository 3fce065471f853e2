"""Two tables: counters of the simulator beside Nsight Compute's, times of the model beside measured ones.

compare.py GENERATED OUTPUT: GENERATED has NAME.counts.json and models.json, OUTPUT the programs test_NAME and times.txt.
"""
import csv
import json
import pathlib
import statistics
import subprocess
import sys

# What stands in a row of the table: Nsight Compute's metric, and the sum over the simulator's rows that it is.
def accesses(memory, is_store, what):
    return lambda run: sum(row[what] for row in run["accesses"]
                           if row["memory"] == memory and row["isStore"] == is_store)


COUNTERS = {
    "global loads, instructions": ("smsp__inst_executed_op_global_ld.sum", accesses("global", False, "instructions")),
    "global loads, sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", accesses("global", False, "sectors")),
    "global stores, instructions": ("smsp__inst_executed_op_global_st.sum", accesses("global", True, "instructions")),
    "global stores, sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", accesses("global", True, "sectors")),
    "shared loads, instructions": ("smsp__inst_executed_op_shared_ld.sum", accesses("shared", False, "instructions")),
    "shared loads, wavefronts": ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                                 accesses("shared", False, "wavefronts")),
    "shared stores, instructions": ("smsp__inst_executed_op_shared_st.sum", accesses("shared", True, "instructions")),
    "shared stores, wavefronts": ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                                  accesses("shared", True, "wavefronts")),
    "multiply-adds": ("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
                      lambda run: sum(row["operations"] for row in run["arithmetic"] if row["kind"] == "fma")),
}


def simulated(path):
    rows = (json.loads(line) for line in path.read_text().splitlines())
    return [row for row in rows if "accesses" in row]


def measured(program, metrics):
    """A dictionary of metrics for each launch of a kernel, in order."""
    text = subprocess.run(["ncu", "--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base",
                           "-k", "regex:_kernel", "--metrics", ",".join(metrics), str(program)],
                          stdout=subprocess.PIPE, text=True, check=False).stdout
    lines = [line for line in text.splitlines() if line.startswith('"')]
    rows = list(csv.DictReader(lines))[1:]  # the first has the units
    return [{metric: float(row[metric].replace(",", "")) for metric in metrics} for row in rows]


def counters(generated, output):
    print("| kernel | test | counter | simulator | Nsight Compute | ratio |\n|---|---|---|---|---|---|")
    for path in sorted(generated.glob("*.counts.json")):
        name = path.name.split(".")[0]
        ours, theirs = simulated(path), measured(output / f"test_{name}", [metric for metric, _ in COUNTERS.values()])
        if len(ours) != len(theirs):
            sys.exit(f"{name}: {len(ours)} launches on the simulator, {len(theirs)} under ncu")
        for run, hardware in zip(ours, theirs):
            for counter, (metric, of) in COUNTERS.items():
                mine, real = of(run), hardware[metric]
                if mine or real:
                    ratio = f"{mine / real:.3f}" if real else "-"
                    print(f"| {name} | {run['test']} | {counter} | {mine:,} | {real:,.0f} | {ratio} |")


def patterns(_, output):
    """Single instructions of shared memory: only those are listed whose wavefronts the simulator counts otherwise."""
    expected = subprocess.run([str(output / "patterns")], stdout=subprocess.PIPE, text=True, check=True).stdout
    metric = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
    kinds = {"load": metric.format("ld"), "store": metric.format("st")}
    rows = [line.split(",") for line in expected.splitlines()]
    real = measured(output / "patterns", list(kinds.values()))
    if len(rows) != len(real):
        sys.exit(f"patterns: {len(rows)} launches, {len(real)} under ncu")
    different = 0
    for (kind, size, name, wavefronts), hardware in zip(rows, real):
        if hardware[kinds[kind]] != int(wavefronts):
            different += 1
            print(f"{kind} of {size} bytes, {name}: {wavefronts} on the simulator, {hardware[kinds[kind]]:.0f} measured")
    print(f"{len(rows)} patterns of single shared-memory instructions, {different} with other wavefronts than measured")


def times(generated, output):
    lines = (line.split() for line in (output / "times.txt").read_text().splitlines())
    real = {name: float(ms) for name, ms in lines}
    errors = []
    print("\n| kernel | measured, ms | model, ms | error of the speed | bound by |\n|---|---|---|---|---|")
    for model in json.loads((generated / "models.json").read_text()):
        error = real[model["name"]] / model["ms"] - 1
        errors.append(abs(error))
        print(f"| {model['name']} | {real[model['name']]:.3f} | {model['ms']:.3f} | {100 * error:+.0f} % | {model['bound']} |")
    print(f"\nmedian error {100 * statistics.median(errors):.0f} %; cuBLAS on the ladder's problem: "
          f"{real['cublas_sgemm']:.3f} ms")


if __name__ == "__main__":
    folders = [pathlib.Path(word) for word in sys.argv[1:]]
    times(*folders)
    print()
    counters(*folders)
    print()
    patterns(*folders)
