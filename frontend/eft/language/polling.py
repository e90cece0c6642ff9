# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loop of `atomic_poll`, as kernels in Eft's own language."""

from __future__ import annotations

from eft import language as tl
from eft.jit import jit
from eft.language.extra.cuda.utils import globaltimer


@jit
def is_any(condition):
    """Returns whether a number is true, or at least one element of a block is true."""
    if condition.shape:
        return tl.max(condition.to(tl.int32)) != 0
    else:
        return condition


@jit
def wait(pointer, expected, SEM: tl.constexpr, SCOPE: tl.constexpr):
    pending = tl.atomic_load(pointer, sem=SEM, scope=SCOPE) != expected
    while is_any(pending):
        found = tl.atomic_load(pointer, pending, SEM, SCOPE)
        pending = pending & (found != expected)
    return pending == 0


@jit
def wait_until(pointer, expected, timeout, SEM: tl.constexpr, SCOPE: tl.constexpr):
    start = globaltimer()
    pending = tl.atomic_load(pointer, sem=SEM, scope=SCOPE) != expected
    while is_any(pending) and globaltimer() - start < timeout:
        found = tl.atomic_load(pointer, pending, SEM, SCOPE)
        pending = pending & (found != expected)
    return pending == 0
