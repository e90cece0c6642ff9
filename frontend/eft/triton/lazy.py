# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules whose names are made when somebody asks for them: few programs use many of Triton's."""

from __future__ import annotations

import sys
from importlib import import_module

from eft.triton import missing
from eft.version import __version__


def attributes(module: str, places: dict[str, str]):
    """Makes the `__getattr__` of a module that stands for one of Triton's.

    Args:
        module: the module's `__name__`, `eft.triton.….`
        places: for each of its names the module that has it; with a colon the name there follows,
            if it is another one. A name that is a module has only that.
    """
    theirs = module.removeprefix("eft.")

    def find(name: str):
        if name in places:
            place, colon, other = places[name].partition(":")
            found = import_module(place)
            if place.rpartition(".")[2] != name or colon:
                found = getattr(found, other or name)
        elif missing.is_missing(theirs, name):
            found = missing.attribute(theirs, name)
        else:
            raise AttributeError(
                f"Eft {__version__} has nothing named {theirs}.{name}",
                name=name,
                obj=sys.modules[module],
            )
        setattr(sys.modules[module], name, found)
        return found

    return find
