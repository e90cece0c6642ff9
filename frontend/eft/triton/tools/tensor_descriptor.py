# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.tools.tensor_descriptor`."""

from __future__ import annotations

from eft.tensor_descriptor import TensorDescriptor

__all__ = ["TensorDescriptor"]
