# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for `triton.errors`."""

from eft.errors import EftError as TritonError

__all__ = ["TritonError"]
