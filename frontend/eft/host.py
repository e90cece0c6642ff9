# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CPU for which kernels on the host are compiled: this machine's CPU, or the one that the
environment variable EFT_CPU names."""

from __future__ import annotations

import os

from eft import _runtime

_descriptions: dict[str, str] = {}


def wanted() -> str:
    """Returns the value of `EFT_CPU`: the name of a CPU, with features added and removed. "" means
    this machine's CPU."""
    return os.environ.get("EFT_CPU", "")


def target() -> str:
    """Returns the compiler's target for kernels that run on this machine. Raises the same errors as
    `description`."""
    description()
    return _target()


def description() -> str:
    """Returns a text that names the CPU and its features. Code for this machine depends on it.

    Raises:
        ValueError: `EFT_CPU` does not name a CPU, or this machine lacks a feature of that CPU.
    """
    if _target() not in _descriptions:
        _descriptions[_target()] = _describe()
    return _descriptions[_target()]


def _describe() -> str:
    # The runtime's description avoids loading the compiler, which a launch does not need if its
    # code is in the disk cache.
    if wanted() in ("", "native") and (known := _runtime.processor_description()):
        return known
    from eft import _compiler

    try:
        return _compiler.host_description(_target())
    except ValueError as error:
        raise ValueError(f"EFT_CPU is {wanted()!r}: {error}") from None


def _target() -> str:
    return f"host:{wanted()}" if wanted() else "host"
