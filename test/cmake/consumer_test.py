"""Uses tskc from a project of its own: `consumer_test.py BUILD GENERATOR WORK simulator|gpu`.

Installs the build tree, configures test/cmake/consumer against the installation, builds it, edits it
and counts what each build makes: too little is a stale program, too much is wasted time. With `gpu`
the kernels are compiled by nvcc and the program is linked, not run.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

STEPS = {
    "kernel": r"Compiling kernel (\S+)",
    "compile": r"Building (?:CXX|CUDA) object \S*?([^/\s]+)\.o\b",
    "link": r"Linking \S+ (?:executable|shared library) (\S+)",
}


REFUSED = [
    ("two sources of one name are refused", "add_tsk_kernel(app SOURCES shared/scale.tsk ${simulator})",
     "two sources are called `scale.tsk`"),
    ("several architectures are refused", "add_tsk_kernel(app SOURCES kernels/scale.tsk ARCHITECTURES 90a 100a ${simulator})",
     "a kernel is made for one architecture"),
    ("an architecture with `sm_` is refused", "add_tsk_kernel(app SOURCES kernels/scale.tsk ARCHITECTURES sm_90a ${simulator})",
     "`sm_90a` is no architecture; they are written as in CMAKE_CUDA_ARCHITECTURES"),
    ("a misspelt keyword is refused", "add_tsk_kernel(app SOURCES kernels/scale.tsk SIMULATR)",
     "`SIMULATR` is no keyword; they are SOURCES, ARCHITECTURES"),
    ("a source that is not there is refused", "add_tsk_kernel(app SOURCES nothere.tsk ${simulator})",
     "there is no file `nothere.tsk`"),
    ("a target without code is refused", "add_library(i INTERFACE)\nadd_tsk_kernel(i SOURCES kernels/scale.tsk ${simulator})",
     "`i` compiles nothing"),
    ("an alias is refused", "add_executable(an::alias ALIAS app)\nadd_tsk_kernel(an::alias SOURCES kernels/scale.tsk ${simulator})",
     "`an::alias` compiles nothing"),
    ("kernels of one target in two folders are refused", "add_subdirectory(elsewhere)",
     "all kernels of a target are added in one folder"),
    ("a toolkit that is too old is refused", "_tsk_check_toolkit(app 90a 12.6)",
     "need CUDA 12.8 or later; this toolkit is 12.6"),
    ("a toolkit without the architecture is refused", "_tsk_check_toolkit(app 103a 12.8)",
     "kernels for 103a need CUDA 12.9 or later"),
]


class Project:
    def __init__(self, build, generator, work, options):
        self.work = pathlib.Path(work)
        self.source, self.build = self.work / "source", self.work / "build"
        self.is_ninja = generator == "Ninja"
        shutil.rmtree(self.work, ignore_errors=True)
        prefix = self.work / "prefix"
        self.run("cmake", "--install", build, "--prefix", prefix)
        # A name with a blank: generated rules must quote.
        self.source = self.work / "a source"
        shutil.copytree(HERE / "consumer", self.source)
        self.run("cmake", "-S", self.source, "-B", self.build, "-G", generator,
                 f"-DCMAKE_PREFIX_PATH={prefix}", *options)

    def run(self, *command, fails=False):
        result = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, env={**os.environ, "LC_ALL": "C"})
        if (result.returncode != 0) != fails:
            sys.exit(f"{' '.join(map(str, command))}: exit status {result.returncode}\n{result.stdout}")
        return result.stdout

    def make(self, why, fails=False, **expected):
        """Builds; what was made must be exactly `expected`, a list of names for each kind of step."""
        output = self.run("cmake", "--build", self.build, *([] if self.is_ninja else ["-j2"]), fails=fails)
        for kind, pattern in STEPS.items():
            made = sorted(re.findall(pattern, output))
            if made != sorted(expected.get(kind, [])):
                sys.exit(f"{why}: {kind} made {made}, expected {expected.get(kind, [])}\n{output}")
        print(f"ok: {why}")
        return output

    def edit(self, name, before, after):
        path = self.source / name
        text = path.read_text()
        if before not in text:
            sys.exit(f"{name} has no {before!r} to edit")
        path.write_text(text.replace(before, after))


def main(build, generator, work, mode):
    on_gpu = mode == "gpu"
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if on_gpu and not nvcc:
        print("skipped: no nvcc")
        sys.exit(77)
    project = Project(build, generator, work, [f"-DON_GPU=ON", f"-DCMAKE_CUDA_COMPILER={nvcc}"] if on_gpu else [])
    tma, scale = "tma_copy.tsk.cu", "scale.tsk.cu"
    header = "with_header.tsk.cu"
    everything = [tma, scale, header, "main.cpp", "other.cpp", "scaling.cpp"]
    # Make sees that the header was written again, not that it is the same.
    includer = [] if project.is_ninja else ["main.cpp"]

    project.make("the first build makes everything",
                 kernel=["tma_copy.tsk", "kernels/scale.tsk", "kernels/with_header.tsk"], compile=everything,
                 link=["app", "libscaling.so"])
    if not on_gpu:
        print(project.run(project.build / "app").strip())
    project.make("the second build makes nothing")

    project.edit("kernels/scale.tsk", "grid (4);", "grid (2);")
    project.make("an edited kernel is compiled again, alone",
                 kernel=["kernels/scale.tsk"], compile=[scale, *includer], link=["app"])
    project.make("and then nothing more")

    project.edit("shared/shape.tsk", "BOX = 64", "BOX = 32")
    project.make("an edited import recompiles the kernel that imports it",
                 kernel=["tma_copy.tsk"], compile=[tma, *includer], link=["app"])
    project.make("and then nothing more")
    if not on_gpu:
        print(project.run(project.build / "app").strip())

    project.edit("kernels/scale.tsk", "factor: f32)", "factor: f32, offset: f32)")
    project.edit("main.cpp", ".factor = factor(),", ".factor = factor(), .offset = 0,")
    project.make("a changed launcher recompiles its caller",
                 kernel=["kernels/scale.tsk"], compile=[scale, "main.cpp"], link=["app"])

    project.edit("kernels/factor.h", "2.0f", "(1.0f + 1.0f)")
    project.make("an edited header recompiles the kernel that includes it", kernel=["kernels/with_header.tsk"],
                 compile=[header, *(["scaling.cpp"] if not project.is_ninja else [])],
                 link=["libscaling.so", "app"])

    same = {} if project.is_ninja else {"compile": [tma, *includer], "link": ["app"]}
    project.edit("shared/shape.tsk", "const COLS = 128;", "const COLS = 128; // columns")
    project.make("an edit that changes no code stops there, with Ninja",
                 kernel=["tma_copy.tsk"], **same)

    project.edit("tma_copy.tsk", "grid (cols / COLS);", "grid (cols / COLZ);")
    project.make("an error stops the build", fails=True, kernel=["tma_copy.tsk"])
    project.make("and does so again", fails=True, kernel=["tma_copy.tsk"])
    project.edit("tma_copy.tsk", "grid (cols / COLZ);", "grid (cols / COLS);")
    project.make("until it is mended", kernel=["tma_copy.tsk"], **same)

    for why, call, expected in REFUSED:
        project.edit("CMakeLists.txt", "# refused here", call)
        output = project.run("cmake", "-S", project.source, "-B", project.build, fails=True)
        if expected not in " ".join(output.split()):
            sys.exit(f"{why}: expected {expected!r}\n{output}")
        print(f"ok: {why}")
        project.edit("CMakeLists.txt", call, "# refused here")
    project.run("cmake", "-S", project.source, "-B", project.build)

    project.run("cmake", "--build", project.build, "--target", "clean")
    if list(project.build.rglob("*.tsk.cu")):
        sys.exit("`clean` leaves generated code")
    print("ok: clean removes generated code")


if __name__ == "__main__":
    main(*sys.argv[1:])
