# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A decorator for the functions that a file of libdevice offers."""

from __future__ import annotations

from eft.language.builtin import builtin


def offer_in(names: list[str]):
    """A decorator: lets kernels call the function, and adds its name to `names`."""

    def offer(function):
        names.append(function.__name__)
        return builtin(function)

    return offer
