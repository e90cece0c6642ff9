# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of Triton's language outside of its core: `libdevice`, `cuda` and `hip`."""

from __future__ import annotations

from eft.language.extra import libdevice

__all__ = ["cuda", "libdevice"]

from eft.language.extra import cuda  # noqa: E402 (it takes libdevice from here)


def __getattr__(name: str):
    if name == "hip":
        from importlib import import_module  # few programs need it

        return import_module("eft.language.extra.hip")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
