# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for `triton.runtime._allocation`. Eft's kernels need no memory beside their arguments, so
an allocator is kept and never called."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Protocol

__all__ = ["Allocator", "Buffer", "NullAllocator", "set_allocator", "set_profile_allocator"]


class Buffer(Protocol):
    """Memory that an allocator gives."""

    def data_ptr(self) -> int: ...


class Allocator(Protocol):
    """A function that gives memory on the GPU."""

    def __call__(self, size: int, alignment: int, stream: int | None) -> Buffer: ...


class NullAllocator:
    """The allocator where none is set."""

    def __call__(self, size: int, alignment: int, stream: int | None) -> Buffer:
        raise RuntimeError("no allocator is set: triton.set_allocator sets one")


_NONE = NullAllocator()
_allocator: ContextVar[Allocator] = ContextVar("allocator", default=_NONE)
_profile_allocator: ContextVar[Allocator] = ContextVar("profiler", default=_NONE)


def set_allocator(allocator: Allocator) -> None:
    """Sets the function that gives kernels memory of their own; without effect, as none asks."""
    _allocator.set(allocator)


def set_profile_allocator(allocator: Allocator | None) -> None:
    """Sets the function that gives profiled kernels memory; without effect, as none asks."""
    _profile_allocator.set(_NONE if allocator is None else allocator)
