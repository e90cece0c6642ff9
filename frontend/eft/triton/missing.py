# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Triton has beside its language and Eft does not have, so that a script which uses it gets an
error that says so. A script that only imports it runs."""

from __future__ import annotations

from eft.version import __version__

_NAMES = {
    "triton": {
        "AsyncCompileMode", "FutureKernel", "InterpreterError", "KernelInterface", "OutOfResources",
        "TensorWrapper", "TritonError", "aggregate", "backends", "compile", "errors", "knobs",
        "must_use_result", "reinterpret", "set_allocator", "tools",
    },
    "triton.compiler": {"ASTSource", "AttrsDescriptor", "compile", "make_backend"},
    "triton.runtime": {
        "InterpreterError", "KernelInterface", "OutOfResources", "TensorWrapper", "redis",
        "reinterpret", "set_allocator",
    },
    "triton.testing": {
        "cublas", "cuda_graph_without_gc", "cuda_memcheck", "do_bench_cudagraph",
        "do_bench_cudagraph_proton", "do_bench_proton", "get_dram_gbps", "get_max_simd_tflops",
        "get_max_tensorcore_tflops", "nvsmi", "set_gpu_clock",
    },
}  # fmt: skip


class Missing:
    """Stands for something of Triton's. Using it is an error that names it."""

    def __init__(self, name: str):
        self._name = name

    def __repr__(self):
        return f"<{self._name}, which Eft does not have>"

    def _fail(self, *args, **kwargs):
        raise NotImplementedError(f"Eft {__version__} does not have {self._name}")

    __call__ = __getitem__ = __enter__ = __iter__ = _fail

    def __getattr__(self, name: str):
        if name.startswith("__"):  # what Python itself asks for
            raise AttributeError(name)
        self._fail()


def is_missing(module: str, name: str) -> bool:
    """Whether Triton has `module.name`, and Eft does not."""
    return name in _NAMES.get(module, ())


def attribute(module: str, name: str):
    """What `module.name` is where Eft has nothing of that name."""
    if is_missing(module, name):
        return Missing(f"{module}.{name}")
    raise AttributeError(f"Eft {__version__} has nothing named {module}.{name}")
