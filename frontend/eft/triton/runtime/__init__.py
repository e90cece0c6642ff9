# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.runtime`. Its most used name is `driver.active`, which scripts
ask for the device."""

from __future__ import annotations

from eft.triton import lazy
from eft.triton.runtime.driver import driver  # the object, not the module of the same name

__all__ = [
    "Autotuner",
    "Config",
    "Heuristics",
    "InterpreterError",
    "JITFunction",
    "KernelInterface",
    "MockTensor",
    "OutOfResources",
    "RedisRemoteCacheBackend",
    "RemoteCacheBackend",
    "TensorWrapper",
    "autotune",
    "driver",
    "heuristics",
    "reinterpret",
]

_PLACES = {
    **dict.fromkeys(("Autotuner", "Config", "Heuristics", "autotune", "heuristics"), "eft.tuning"),
    **dict.fromkeys(("InterpreterError", "OutOfResources"), "eft.triton.runtime.errors"),
    **dict.fromkeys(("JITFunction", "KernelInterface", "MockTensor"), "eft"),
    **dict.fromkeys(("TensorWrapper", "reinterpret"), "eft.triton.runtime.jit"),
    **dict.fromkeys(("RedisRemoteCacheBackend", "RemoteCacheBackend"), "eft.triton.runtime.cache"),
    **{
        name: f"eft.triton.runtime.{name}"
        for name in ("_allocation", "autotuner", "build", "cache", "errors", "interpreter", "jit")
    },
}

__getattr__ = lazy.attributes(__name__, _PLACES)
