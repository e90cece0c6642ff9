# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.runtime._allocation`. Eft's kernels need no memory except their
arguments, so an allocator can be set, but is never called."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Protocol

__all__ = ["Allocator", "Buffer", "NullAllocator", "set_allocator", "set_profile_allocator"]


class Buffer(Protocol):
    """The memory that an allocator returns."""

    def data_ptr(self) -> int: ...


class Allocator(Protocol):
    """A function that returns memory on the GPU."""

    def __call__(self, size: int, alignment: int, stream: int | None) -> Buffer: ...


class NullAllocator:
    """The allocator that is used if none is set. Raises an error."""

    def __call__(self, size: int, alignment: int, stream: int | None) -> Buffer:
        raise RuntimeError("no allocator is set: triton.set_allocator sets one")


_NONE = NullAllocator()
_allocator: ContextVar[Allocator] = ContextVar("allocator", default=_NONE)
_profile_allocator: ContextVar[Allocator] = ContextVar("profiler", default=_NONE)


def set_allocator(allocator: Allocator) -> None:
    """Sets the function that allocates memory for kernels. Has no effect, because Eft's kernels
    need none."""
    _allocator.set(allocator)


def set_profile_allocator(allocator: Allocator | None) -> None:
    """Sets the function that allocates memory for profiled kernels. Has no effect, because Eft's
    kernels need none."""
    _profile_allocator.set(_NONE if allocator is None else allocator)
