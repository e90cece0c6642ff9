# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's functions that ask a GPU for its clock and a program's place in it."""

from __future__ import annotations

from eft.language.missing import attribute

#: Names that Eft does not have yet.
MISSING = frozenset(
    """
    convert_custom_float8 convert_custom_float8_sm70 convert_custom_float8_sm80
    convert_float16_to_fp8e4b15 convert_fp8e4b15_to_float16 globaltimer num_threads num_warps smid
    """.split()
)

__getattr__ = attribute(__name__, "extra.cuda.", MISSING)
