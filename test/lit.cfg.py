# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The configuration of lit for the tests of the compiler and of the C++ package. The tests are
.mlir and .test files, whose RUN lines call the tools.
"""

import os
import shutil
import sysconfig
from glob import glob

import lit.formats

config.name = "eft"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.eft_build, "test")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.eft_build, "bin"), config.llvm_tools, os.environ["PATH"]]
)
config.substitutions.append(("%eft_build", config.eft_build))
# The compiler for programs that use the C++ package.
config.substitutions.append(("%cxx", config.cxx_compiler))
config.substitutions.append(
    ("%sanitize", f"-fsanitize={config.sanitize}" if config.sanitize else "")
)

# `%ptxas` is NVIDIA's assembler, from a CUDA toolkit or from the package nvidia-cuda-nvcc in the
# environment of lit. Without it, tests that need it are skipped.
folders = ["/usr/local/cuda/bin", *glob(f"{sysconfig.get_path('purelib')}/nvidia/*/bin")]
ptxas = shutil.which("ptxas") or shutil.which("ptxas", path=os.pathsep.join(folders))
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))

if "avx512f" in open("/proc/cpuinfo").read():
    config.available_features.add("avx512")
