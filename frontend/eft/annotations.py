# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The annotations of functions, classes and modules.

From Python 3.14 on they are evaluated when they are asked for (PEP 649), so that one may name what
is not there, or not yet. Such an annotation is its text here, as if it stood in quotes.
"""

from __future__ import annotations


def annotations_of(owner) -> dict:
    """The annotations of a function or a class."""
    try:
        return owner.__annotations__
    except Exception:
        try:
            from annotationlib import Format, get_annotations
        except ImportError:  # before Python 3.14, where built-in classes have none
            return {}
        return _with_texts(get_annotations(owner, format=Format.FORWARDREF))


def annotations_of_globals(names: dict) -> dict:
    """The annotations of a module, by its globals.

    Python 3.14 keeps a function that evaluates them. The globals need not be those of a module that
    can be imported. Those of a notebook keep the function of the last cell that annotates.
    """
    found = names.get("__annotations__") or {}
    annotate = names.get("__annotate__")
    if not callable(annotate):
        return found
    try:
        return {**found, **annotate(1)}  # annotationlib.Format.VALUE
    except Exception:
        from annotationlib import Format, call_annotate_function

        return {**found, **_with_texts(call_annotate_function(annotate, Format.FORWARDREF))}


def _with_texts(annotations: dict) -> dict:
    return {name: getattr(each, "__forward_arg__", each) for name, each in annotations.items()}
