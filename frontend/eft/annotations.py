# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the annotations of functions, classes and modules.

Since Python 3.14, an annotation is evaluated when it is first read (PEP 649). So an annotation may
use a name that is not defined, or not defined yet. The functions here return the text of such an
annotation, as if it were written in quotes. Any other exception in an annotation reaches the
caller.
"""

from __future__ import annotations


def annotations_of(owner) -> dict:
    """Returns the annotations of a function or a class, by name."""
    try:
        return owner.__annotations__
    except (AttributeError, NameError):
        try:
            from annotationlib import get_annotations
        except ImportError:  # before Python 3.14 built-in classes have no `__annotations__`
            return {}
        return _with_texts(lambda format: get_annotations(owner, format=format))


def annotations_of_globals(names: dict) -> dict:
    """Returns the annotations of a module, by name; `names` is the module's globals.

    Since Python 3.14 the globals contain a function, `__annotate__`, that evaluates the
    annotations. In a notebook this function belongs to the last cell that has annotations. The
    globals need not belong to a module that can be imported.
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
    """Returns the annotations by name, with the text of each annotation that uses an undefined
    name. `read` returns all annotations in a given format of `annotationlib`."""
    from annotationlib import Format, ForwardRef

    found = read(Format.FORWARDREF)
    if not any(isinstance(each, ForwardRef) for each in found.values()):
        return found
    texts = read(Format.STRING)
    return {
        name: texts[name] if isinstance(each, ForwardRef) else each for name, each in found.items()
    }
