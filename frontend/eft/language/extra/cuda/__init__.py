# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's other name for `libdevice`: the same functions, on every target."""

from __future__ import annotations

from eft.language.extra.cuda import libdevice

__all__ = ["libdevice"]
