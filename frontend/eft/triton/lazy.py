# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules whose names are imported when they are first read, because most programs use few of
Triton's names."""

from __future__ import annotations

import sys
from importlib import import_module

from eft.triton import missing
from eft.version import __version__


def attributes(module: str, places: dict[str, str]):
    """Returns the function `__getattr__` for a module that implements one of Triton's modules.

    Args:
        module: the module's `__name__`, such as "eft.triton.runtime".
        places: by the name of each attribute, the module that defines the attribute. If the
            attribute has another name there, this name follows after a colon. If the last part of
            the module's name is the attribute's name, the attribute is that module itself.
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
