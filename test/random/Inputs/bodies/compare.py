"""Reads and runs bodies, and holds what the reader says against what the run did."""
import json
import re
import subprocess

from tree import smaller_ones

HERE = __import__("pathlib").Path(__file__).parent
ACCESS = re.compile(r"  (read|write)( by \S+)?( store)? ([\w.]+)(.*?)  // (\d+):\d+$")
CLAIM = re.compile(r"  claim (\d+): reached by (\w+)( perhaps)?, value by (\w+)(?: from (-?\d+))?(?: to (-?\d+))?( taken)?"
                   r"(?: one of (\w+))?(?: as (\w+))?((?: (?:into \S+|lost|outside))*)$")
TIMES = re.compile(r"(\d+) \.\. (\d*) times|(\d+) times")
RANKS = {"constant": 0, "task": 1, "warpgroup": 1, "warp": 2, "thread": 3}
HEAD = """cpp {
#define CLAIM(number, value, ...) ::tsk::reading::claim(number, value)
#define LOOP(number)
#define ROUND(number)
#define CALL(site, text, ...) text
"""
KERNEL = """}
kernel k(in src: tensor<i32>[n], out dst: tensor<i32>[n], u: i32) {
  grid (1);
  resource who : gmem of src { consume me() -> (v: i32) { return tsk::task_thread(); } }
  resource box : smem {
    a : i32[4][16];
    b : i32[64];
    c : i32[8][8];
"""
PROGRAM = """#include "recorder.h"
namespace bodies {
TSK_TASK(1, 2)
int a_words[64], b_words[64], c_words[64], src_words[64], dst_words[64];
const ::tsk::smem_tile<int, 4, 16> a{a_words};
const ::tsk::smem_tile<int, 64> b{b_words};
const ::tsk::smem_tile<int, 8, 8> c{c_words};
const ::tsk::tensor<int, 1> src{src_words, {64}}, dst{dst_words, {64}};
"""


class Result:
    def __init__(self):
        self.faults, self.checked = [], 0
        self.is_judged = self.is_given_up = False

    def check(self, holds, text):
        self.checked += 1
        if not holds:
            self.faults.append(text)


class Facts:
    """What the reader says of one body."""

    def __init__(self):
        self.accesses = {}  # (line, object, is_write) -> [(issuer, least, most)]
        self.claims = {}
        self.is_given_up, self.is_pure = False, False


class Bench:
    def __init__(self, tskc, cxx, runtime, work):
        self.tskc, self.cxx, self.runtime, self.work = tskc, cxx, runtime, work
        work.mkdir(parents=True, exist_ok=True)
        self.options = ["-std=c++20", "-O0", "-g", "-no-pie", "-w", "-fwrapv", "-fno-strict-aliasing",
                        "-fno-omit-frame-pointer", f"-I{HERE}", f"-isystem{runtime}/runtime/sim/include",
                        f"-isystem{runtime}/runtime/include"]
        self.compile(["-c", str(HERE / "recorder.cpp"), "-o", str(work / "recorder.o")])

    def compile(self, words):
        run = subprocess.run([self.cxx, *self.options, *words], capture_output=True, text=True)
        if run.returncode:
            raise SystemExit(f"the bodies do not compile\n{run.stderr[:3000]}")

    # ---- Writing -------------------------------------------------------------------------------

    def lines_of(self, program):
        return [line for part in program.functions for line in part.lines()] + list(program.body.lines())

    def write(self, programs):
        """Both texts; a line of a body has the same number in each."""
        library = (HERE / "library.h").read_text().splitlines()
        text = HEAD.splitlines() + library
        code = PROGRAM.splitlines() + [f'#line {len(text) - len(library) + 1} "bodies.tsk"'] + library

        def both(lines):
            lines = list(lines)
            code.append(f'#line {len(text) + 1} "bodies.tsk"')
            code.extend(lines)
            text.extend(lines)

        for program in programs:
            for function in program.functions:
                both(function.lines())
        text += KERNEL.splitlines()
        starts = []
        for number, program in enumerate(programs):
            starts.append(len(text) + 1)
            text.append(f"    update w{number}(i: i32, t: i32) {'by leader ' if program.by_leader else ''}{{")
            code.append(f"void w{number}(int i, int t) {{")
            both(program.body.lines(2))
            text.append("    }")
            code.append("}")
        calls = " ".join(f"box.w{number}(u, v);" for number in range(len(programs)))
        text += ["  }", "  schedule z { }", f"  schedule s {{ let v = who.me(); {calls} }}",
                 "  task Z on 1 warps runs z;", "  task T on 2 warps runs s;", "}"]
        objects = ", ".join(f'{{"{name}", bodies::{name.split(".")[-1]}_words, 256}}'
                            for name in ["box.a", "box.b", "box.c", "src", "dst"])
        works = ", ".join(f"{{{n}, {'true' if p.by_leader else 'false'}, bodies::w{n}}}" for n, p in enumerate(programs))
        code += ["}", f"int main() {{ return recorder::run_all({{{objects}}}, {{{works}}}); }}"]
        (self.work / "bodies.tsk").write_text("\n".join(text) + "\n")
        (self.work / "bodies.cpp").write_text("\n".join(code) + "\n")
        return starts

    # ---- Reading -------------------------------------------------------------------------------

    def read(self, count, starts, results):
        run = subprocess.run([self.tskc, "check", str(self.work / "bodies.tsk"), "--print-after=read-bodies",
                              "--no-body-cache", "--error-limit=0", "--diagnostics-format=json"],
                             capture_output=True, text=True)
        facts = [Facts() for _ in range(count)]
        current = None
        for line in run.stdout.splitlines() + run.stderr.splitlines():
            if header := re.match(r"k, (\w+)\.(\w+)( in task \w+)?(, pure)?:$", line):
                current = facts[int(header[2][1:])] if header[1] == "box" else None
                if current:
                    current.is_pure = bool(header[4])
            elif current and line.startswith("  not followed"):
                current.is_given_up = True
            elif current and (found := ACCESS.match(line)):
                self.add_access(current, found)
            elif current and (found := CLAIM.match(line)):
                current.claims[int(found[1])] = found
            elif line.startswith("{"):
                self.add_message(json.loads(line), starts, results)
        return facts

    def add_access(self, facts, found):
        issuer = "task" if ", one thread of each warp" not in found[5] and ", one thread" in found[5] else \
            "warp" if ", one thread" in found[5] else "some" if ", some threads" in found[5] else "all"
        least, most = 1, 1
        if times := TIMES.search(found[5]):
            least = int(times[1] or times[3])
            most = int(times[2] or times[3]) if times[2] or times[3] else None
        key = (int(found[6]), found[4], found[1] == "write")
        facts.accesses.setdefault(key, []).append((issuer, least, most))

    def add_message(self, message, starts, results):
        code = message.get("code", "")
        if code in ("TSK3901", "TSK3900", "TSK0101"):
            raise SystemExit(f"a body does not compile: {message}")
        body = max((n for n, start in enumerate(starts) if start <= message.get("line", 0)), default=None)
        if code in ("TSK3019", "TSK3031", "TSK3018") and body is not None:
            results[body].faults.append(f"finding {code}: {message['line']}: {message['message']}")

    # ---- Running -------------------------------------------------------------------------------

    def run(self):
        self.compile(["-fsanitize=thread", "-c", str(self.work / "bodies.cpp"), "-o", str(self.work / "bodies.o")])
        program = str(self.work / "bodies")
        self.compile([str(self.work / "bodies.o"), str(self.work / "recorder.o"),
                      f"{self.tskc.rsplit('/bin/', 1)[0]}/lib/tskc/libtsksim.a", "-lpthread", "-o", program])
        run = subprocess.run([program], capture_output=True, text=True, timeout=300)
        if run.returncode:
            raise SystemExit(f"the bodies end with {run.returncode}\n{run.stdout[-300:]}{run.stderr[-2000:]}")
        lines = [line.split() for line in run.stdout.splitlines()]
        places = {place for line in lines if line[0] == "access" for place in line[4].split(",")}
        return lines, self.lines_at(sorted(places))

    def lines_at(self, places):
        """The lines of bodies.tsk that code addresses belong to."""
        known = [place for place in places if place.startswith("0x")]
        before = [hex(int(place, 16) - 1) for place in known]
        run = subprocess.run(["addr2line", "-e", str(self.work / "bodies")], input="\n".join(before),
                             capture_output=True, text=True, check=True)
        found = {}
        for place, answer in zip(known, run.stdout.splitlines()):
            if match := re.search(r"bodies\.tsk:(\d+)", answer):
                found[place] = int(match[1])
        return found

    # ---- Comparing -----------------------------------------------------------------------------

    def judge(self, programs):
        results = [Result() for _ in programs]
        starts = self.write(programs)
        self.facts = self.read(len(programs), starts, results)
        self.ran = self.run()
        return self.compare(programs, self.facts, results)

    def compare(self, programs, facts, results):
        lines, places = self.ran
        is_whole = [True] * len(programs)  # of the run at hand: to the end
        for number, result in enumerate(results):
            result.is_given_up = facts[number].is_given_up
            result.is_judged = not result.is_given_up
            if result.is_given_up:
                result.faults.clear()
        for line in lines:
            number = int(line[1])
            result = results[number]
            if line[0] == "run":
                is_whole[number] = True
            elif line[0] == "fault":
                is_whole[number] = False
                text = " ".join(line[2:])
                result.check(re.match("too (long|deep)", text), f"run: {text}")
            elif result.is_given_up:
                pass
            elif line[0] == "access":
                self.judge_access(facts[number], result, line, places, programs[number].by_leader, is_whole[number])
            elif line[0] == "claim":
                self.judge_claim(facts[number], result, line, programs[number].by_leader, is_whole[number])
            else:
                self.judge_constant(facts[number], result, line)
        return results

    def judge_claim(self, facts, result, line, by_leader, is_whole):
        claim, low, high = int(line[2]), int(line[3]), int(line[4])
        same_task, same_warp, whole_task, whole_warp, of_task, of_warp, as_lane, as_thread = (w == "1" for w in line[5:13])
        known = facts.claims.get(claim)
        result.check(known is not None, f"unreached: CLAIM({claim}) runs, and the reader thinks that nobody comes there")
        if known is None:
            return
        text = f"CLAIM({claim}):{known[0].split(':', 1)[1]}; it is {low} .. {high}"
        comes, level = RANKS[known[2]], RANKS[known[4]]
        all_came = is_whole and not by_leader
        result.check(comes > 2 or whole_warp or not all_came, f"come warp: {text}, and lanes of a warp part")
        result.check(comes > 1 or whole_task or not all_came, f"come task: {text}, and warps part")
        result.check(level > 2 or same_warp, f"value warp: {text}, and lanes of a warp differ")
        result.check(level > 1 or same_task, f"value task: {text}, and threads differ")
        names = line[13:]
        if not names:
            result.check(known[5] is None or int(known[5]) <= low, f"low: {text}")
            result.check(known[6] is None or high <= int(known[6]), f"high: {text}")
            if known[7] and not known[3] and all_came:
                result.check(int(known[5]) == low and int(known[6]) == high, f"taken: {text}")
        if known[8] and not known[3] and all_came:
            result.check(of_task if known[8] == "task" else of_warp, f"elects: {text}")
        if known[9]:
            result.check(as_lane if known[9] == "lane" else as_thread, f"form: {text}")
        for name in names:
            is_known = f"into {'locals' if name == 'local' else name}" in known[10] or "lost" in known[10]
            result.check(is_known or "outside" in known[10], f"leads: {text}, and it leads into {name}")

    def judge_constant(self, facts, result, line):
        known = facts.claims.get(int(line[2]))
        if known:
            result.check(known[4] != "constant" or line[3] == "1",
                         f"constant: CLAIM({line[2]}):{known[0].split(':', 1)[1]}, and it depends on what is given")

    def judge_access(self, facts, result, line, places, by_leader, is_whole):
        name, is_write = line[2], line[3] == "1"
        at = next((places[place] for place in line[4].split(",") if place in places), None)
        counts = [int(count) for count in line[5:]]
        word = "writes" if is_write else "reads"
        known = facts.accesses.get((at, name, is_write))
        result.check(known is not None, f"access: line {at} {word} {name}, and the reader does not know")
        if not known:
            return
        text = f"line {at} {word} {name}; the reader says {known}, the counts are {sorted(set(counts))}"
        if all(most is not None for _, _, most in known):
            result.check(max(counts) <= sum(most for _, _, most in known), f"most: {text}")
        if len(known) > 1 or by_leader or not is_whole:
            return
        issuer, least, _ = known[0]
        warps = [counts[:32], counts[32:]]
        ones = [sum(count > 0 for count in warp) for warp in warps]
        if issuer == "all":
            result.check(min(counts) >= least, f"least: {text}")
        elif issuer == "warp":
            result.check(max(ones) <= 1 and (least == 0 or min(max(warp) for warp in warps) >= least), f"issuer: {text}")
        elif issuer == "task":
            result.check(sum(ones) <= 1 and (least == 0 or max(counts) >= least), f"issuer: {text}")


def notices(bench, programs):
    """Whether a reader would be caught that knows no accesses, or whose claims are those of others."""
    def faults(change):
        facts = [Facts() for _ in programs]
        for changed, known in zip(facts, bench.facts):
            changed.accesses, changed.claims = known.accesses, known.claims
            change(changed)
        results = [Result() for _ in programs]
        return sum(len(result.faults) for result in bench.compare(programs, facts, results))

    def rotate(facts):
        numbers = list(facts.claims)
        facts.claims = dict(zip(numbers, (facts.claims[number] for number in numbers[1:] + numbers[:1])))

    return faults(lambda facts: setattr(facts, "accesses", {})) > 0 and faults(rotate) > 0


def judge_some(bench, programs):
    """Pairs of program and result; without those that are no programs."""
    try:
        return list(zip(programs, bench.judge(programs)))
    except (SystemExit, subprocess.TimeoutExpired):
        if len(programs) == 1:
            return []
        half = len(programs) // 2
        return judge_some(bench, programs[:half]) + judge_some(bench, programs[half:])


def shrink(bench, program, fault):
    """The smallest program found with a fault of the same kind."""
    kind = fault.split(":")[0]
    while True:
        candidates = sorted(smaller_ones(program), key=lambda one: one.size())
        for first in range(0, len(candidates), 30):
            found = [(one, next(f for f in result.faults if f.split(":")[0] == kind))
                     for one, result in judge_some(bench, candidates[first:first + 30])
                     if any(f.split(":")[0] == kind for f in result.faults)]
            if found:
                program, fault = found[0]
                break
        else:
            return program, fault
