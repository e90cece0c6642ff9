"""How lit runs the tests of the compiler: .mlir files whose RUN lines call the tools."""

import os
import shutil

import lit.formats

config.name = "eft"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.eft_build, "test")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.eft_build, "bin"), config.llvm_tools, os.environ["PATH"]]
)

# `%assemble FILE.ptx ARCH` checks that PTX assembles. Without a ptxas it checks nothing, and says so.
ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
else:
    lit_config.note("no ptxas was found: PTX is not assembled")

if "avx512f" in open("/proc/cpuinfo").read():
    config.available_features.add("avx512")
