# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The module `eft.language.extra.libdevice` under another name."""

from __future__ import annotations

from eft.language.extra import libdevice as _libdevice

__all__ = _libdevice.__all__


def __getattr__(name: str):
    return getattr(_libdevice, name)


def __dir__():
    return dir(_libdevice)
