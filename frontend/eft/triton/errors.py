# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.errors`."""

from eft.errors import EftError as TritonError

__all__ = ["TritonError"]
