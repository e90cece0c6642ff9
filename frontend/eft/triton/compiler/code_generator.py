# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.compiler.code_generator`. All names of this module are stand-ins,
which a script can import but not call (see `eft.triton.missing`): Eft makes the IR of kernels in
`eft.compiler`."""

from __future__ import annotations

from eft.triton import lazy

__getattr__ = lazy.attributes(__name__, {})
