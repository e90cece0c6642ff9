# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kernel's `for` runs over."""

from __future__ import annotations

from eft.errors import Mistake
from eft.language.builtin import constexpr_function
from eft.language.dtypes import describe


@constexpr_function
class static_range:
    """`range` for a loop that is unrolled while the kernel is compiled; its variable is known at
    compile time, and so are its bounds."""

    def __init__(self, *bounds):
        for bound in bounds:
            if type(bound) is not int:
                raise Mistake(
                    f"static_range needs ints that are known at compile time, got {describe(bound)}"
                )
        self._range = range(*bounds)

    def __iter__(self):
        return iter(self._range)
