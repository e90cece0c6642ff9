# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.backends.driver`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Protocol

from eft.triton.runtime.driver import ActiveDriver

__all__ = ["Benchmarker", "DriverBase", "GPUDriver"]

_CPP = {
    "i1": "int8_t", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t",
    "u1": "uint8_t", "u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t",
    "fp16": "double", "bf16": "double", "fp32": "double", "f32": "double", "fp64": "double",
}  # fmt: skip


class Benchmarker(Protocol):
    """The type of a function that times another function."""

    def __call__(self, kernel_call: Callable, *, quantiles: list[float], **kwargs) -> Sequence: ...


class DriverBase(ABC):
    """The base of classes that answer questions about a kind of device. Only programs use them, not
    launches."""

    @classmethod
    @abstractmethod
    def is_active(cls) -> bool: ...

    @abstractmethod
    def map_python_to_cpp_type(self, ty: str) -> str: ...

    @abstractmethod
    def get_current_target(self): ...

    @abstractmethod
    def get_active_torch_device(self): ...

    @abstractmethod
    def get_benchmarker(self) -> Benchmarker: ...


DriverBase.register(ActiveDriver)


class GPUDriver(ActiveDriver, DriverBase):
    """Answers questions about the current GPU."""


def cpp_type(ty: str) -> str:
    """Returns the C++ type in which a launcher of Triton's takes an argument. `ty` is its type in a
    signature."""
    if ty.startswith("*"):
        return "CUdeviceptr"
    if ty not in _CPP:
        raise ValueError(f"expected a type of a signature such as '*fp32' or 'i32', got {ty!r}")
    return _CPP[ty]
