# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A decorator for the functions that the files of libdevice offer."""

from __future__ import annotations

from eft.language.builtin import builtin


def offer_in(names: list[str]):
    """Returns a decorator that lets kernels call a function and adds the name of the function to
    `names`."""

    def offer(function):
        names.append(function.__name__)
        return builtin(function)

    return offer
