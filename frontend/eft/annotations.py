# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The annotations of functions, classes and modules.

From Python 3.14 on they are evaluated when they are asked for (PEP 649), so that one may name what
is not there, or not yet. Such an annotation is its text here, as if it stood in quotes. One that
fails in another way does so where it is asked for.
"""

from __future__ import annotations


def annotations_of(owner) -> dict:
    """The annotations of a function or a class."""
    try:
        return owner.__annotations__
    except (AttributeError, NameError):
        try:
            from annotationlib import get_annotations
        except ImportError:  # before Python 3.14, where built-in classes have none
            return {}
        return _with_texts(lambda format: get_annotations(owner, format=format))


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
    except NameError:
        from annotationlib import call_annotate_function

        return {**found, **_with_texts(lambda format: call_annotate_function(annotate, format))}


def _with_texts(read) -> dict:
    """The annotations that `read` gives in a format of `annotationlib`."""
    from annotationlib import Format, ForwardRef

    found = read(Format.FORWARDREF)
    if not any(isinstance(each, ForwardRef) for each in found.values()):
        return found
    texts = read(Format.STRING)
    return {
        name: texts[name] if isinstance(each, ForwardRef) else each for name, each in found.items()
    }
