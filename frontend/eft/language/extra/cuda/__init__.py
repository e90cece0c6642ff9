# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of Triton's language that is for NVIDIA's GPUs only, except `libdevice`, which is the
same on every target."""

from __future__ import annotations

from eft.language.extra.cuda import libdevice

__all__ = ["libdevice"]


def __getattr__(name: str):
    from importlib import import_module

    if name in ("gdc", "utils"):  # few programs need these
        return import_module(f"{__name__}.{name}")
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    gdc, utils = (import_module(f"{__name__}.{each}") for each in ("gdc", "utils"))
    return getattr(gdc if name in gdc.__all__ else utils, name)
