# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The module that a script under `python -m eft run` imports as `triton`. It offers Eft's functions
and classes under Triton's names.

After `eft.triton.install()`, `import triton` in this process imports this module, `import
triton.language` imports `eft.language`, and so on. docs/triton.md describes what is the same as in
Triton and what differs.
"""

from __future__ import annotations

from eft.triton import environment, lazy
from eft.triton.finder import install  # noqa: F401 (programs call it)
from eft.version import __version__ as _version

__all__ = [
    "AsyncCompileMode",
    "CompilationError",
    "Config",
    "FutureKernel",
    "InterpreterError",
    "JITFunction",
    "KernelInterface",
    "MockTensor",
    "OutOfResources",
    "TensorWrapper",
    "TritonError",
    "autotune",
    "cdiv",
    "compile",
    "constexpr_function",
    "heuristics",
    "jit",
    "language",
    "must_use_result",
    "next_power_of_2",
    "reinterpret",
    "runtime",
    "set_allocator",
    "testing",
    "tools",
]

#: The version of Triton's language that Eft follows, for scripts that check it, and Eft's version.
__version__ = f"3.6.0+eft{_version}"

_PLACES = {
    **dict.fromkeys(
        ("JITFunction", "KernelInterface", "MockTensor", "cdiv", "constexpr_function", "jit",
         "next_power_of_2"), "eft"),
    **dict.fromkeys(("InterpreterError", "OutOfResources"), "eft.triton.runtime.errors"),
    **dict.fromkeys(("TensorWrapper", "reinterpret"), "eft.triton.runtime.jit"),
    **dict.fromkeys(("AsyncCompileMode", "FutureKernel"), "eft.triton.runtime._async_compile"),
    **dict.fromkeys(("Config", "autotune", "heuristics"), "eft.tuning"),
    "CompilationError": "eft.errors",
    "TritonError": "eft.triton.errors",
    "aggregate": "eft.language.aggregates",
    "backends": "eft.triton.backends",
    "compile": "eft.triton.compiler.compiler",
    "compiler": "eft.triton.compiler",
    "errors": "eft.triton.errors",
    "knobs": "eft.triton.knobs",
    "language": "eft.language",
    "must_use_result": "eft.language.core",
    "profiler": "eft.triton.profiler",
    "runtime": "eft.triton.runtime",
    "set_allocator": "eft.triton.runtime._allocation",
    "testing": "eft.testing",
    "tools": "eft.triton.tools",
}  # fmt: skip

__getattr__ = lazy.attributes(__name__, _PLACES)

environment.adopt()
