# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CPU that kernels on the host are compiled for: this machine's, or as the environment says."""

from __future__ import annotations

import os

from eft import _runtime

_descriptions: dict[str, str] = {}


def wanted() -> str:
    """The CPU that `EFT_CPU` names, with features added and taken away; empty for this one."""
    return os.environ.get("EFT_CPU", "")


def target() -> str:
    """The compiler's target for kernels that run here. Raises as `description` does."""
    description()
    return _target()


def description() -> str:
    """A text of the CPU and its features: what the code of those kernels depends on.

    Raises:
        ValueError: `EFT_CPU` names no CPU, or one that has what this machine lacks.
    """
    if _target() not in _descriptions:
        _descriptions[_target()] = _describe()
    return _descriptions[_target()]


def _describe() -> str:
    # A launch whose code is in the cache loads no compiler.
    if wanted() in ("", "native") and (known := _runtime.processor_description()):
        return known
    from eft import _compiler

    try:
        return _compiler.host_description(_target())
    except ValueError as error:
        raise ValueError(f"EFT_CPU is {wanted()!r}: {error}") from None


def _target() -> str:
    return f"host:{wanted()}" if wanted() else "host"
