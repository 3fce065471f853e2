# How the text tests run. A test is a file with RUN lines; see docs/adding/diagnostic.md.
import os
import re
import shutil
import subprocess
import sys

import lit.formats

config.name = "tskc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".tsk", ".test", ".ir", ".plan"]
config.excludes = ["Inputs", "inputs", "CMakeLists.txt", "consumer", "corpus"]
config.test_source_root = os.path.dirname(__file__)

# Tests must not depend on the caller's environment; these few name tools and places.
kept = ("PATH", "HOME", "TMPDIR", "CUDA_HOME", "CCACHE_DIR", "ASAN_OPTIONS", "UBSAN_OPTIONS",
        "TSK_RANDOM_KERNELS")
config.environment = {name: os.environ[name] for name in kept if name in os.environ}
config.environment["LC_ALL"] = "C.UTF-8"
# Built test programs are kept between runs, apart from the user's own.
config.environment["TSK_CACHE_DIR"] = os.path.join(config.tsk_build_root, "test", "cache")


def ours(name):
    return os.path.join(config.tsk_tools, name)


def llvms(name):
    return os.path.join(config.tsk_llvm_tools, name)


def word(name):
    """Where `name` is called, not where it is quoted or a part of another word."""
    return rf"(?<![-\w\"./]){name}(?=\s|$)"


config.substitutions += [
    ("%tskc", ours("tskc")),
    ("%tsk_opt", ours("tsk-opt")),
    ("%expect", f"{sys.executable} {config.tsk_source_root}/test/tools/expect.py {ours('tskc')}"),
    ("%tsk_syntax", ours("tsk-syntax")),
    ("%source_root", config.tsk_source_root),
    ("%build_root", config.tsk_build_root),
    ("%cxx", config.tsk_cxx),
    ("%python", sys.executable),
    (word("FileCheck"), llvms("FileCheck") + " --dump-input-filter=error"),
    (word("not"), llvms("not")),
    (word("count"), llvms("count")),
    ("%python", sys.executable),
    (word("split-file"), llvms("split-file")),
]

# Clang's libraries were there when tskc was built.
if os.path.exists(ours("tskc-bodies")):
    config.available_features.add("body-reader")

# The toolkit's usual folder counts even when PATH lacks it.
cuda_path = os.pathsep.join(
    [os.environ.get("PATH", "")]
    + ([os.path.join(os.environ["CUDA_HOME"], "bin")] if "CUDA_HOME" in os.environ else [])
    + ["/usr/local/cuda/bin"]
)
for feature in ("nvcc", "ptxas", "cuobjdump"):
    path = shutil.which(feature, path=cuda_path)
    if path:
        config.available_features.add(feature)
        config.substitutions.append(("%" + feature, path))
        if feature == "nvcc":
            # nvcc says where its toolkit is; the nvcc of PATH may be a script that calls another.
            said = subprocess.run([path, "--dryrun", "x.cu"], capture_output=True, text=True).stderr
            top = re.search(r"^#\$ TOP=(.*)$", said, re.MULTILINE)
            toolkit = os.path.realpath(top.group(1).strip())
            config.substitutions.append(("%cuda_include", os.path.join(toolkit, "include")))
for feature in ("g++", "clang++-19", "dot", "spin", "ninja", "make"):
    if shutil.which(feature):
        config.available_features.add(feature.replace("+", "x"))  # gxx, clangxx-19
