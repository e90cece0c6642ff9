# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names that a function's tree reads, its decorators aside: they are no part of what it does.

Written out because importing `ast` takes longer than the rest of a launch whose code is in the
cache.
"""

from __future__ import annotations


def chains(tree) -> dict:
    """The names in a function, each with the attributes that are read of it at once: of `a.b.c` the
    chain ("a", "b", "c"). For each chain the node of its name where it is first used."""
    found = getattr(tree, "_eft_chains", None)
    if found is None:
        found = tree._eft_chains = _find(tree)
    return found


def _find(tree) -> dict:
    fields = (getattr(tree, name, None) for name in tree._fields if name != "decorator_list")
    found, rest = {}, list(fields)[::-1]
    while rest:
        node = rest.pop()
        if isinstance(node, list):
            rest += reversed(node)
            continue
        attributes, kind = (), type(node).__name__
        while kind == "Attribute":
            attributes = (node.attr, *attributes)
            node = node.value
            kind = type(node).__name__
        if kind == "Name":
            found.setdefault((node.id, *attributes), node)
        else:
            rest += [getattr(node, field, None) for field in reversed(getattr(node, "_fields", ()))]
    return found
