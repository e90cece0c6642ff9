# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parses and compiles the source of a kernel with Python's own parser and compiler.

The functions of this module take the name of the file for error messages, and raise RecursionError
if the text is nested too deeply. They don't use the module `ast`, because importing it takes longer
than parsing a kernel.
"""

from __future__ import annotations

from eft.text import indentation, may_follow
from eft.threads import in_thread

_ONLY_TREE = 0x400  # ast.PyCF_ONLY_AST
_FUTURES = 0x1FE0000  # the flags of `from __future__ import ...`
_ALLOW_AWAIT = 0x2000  # ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, which notebooks set
_TOO_DEEP = (RecursionError, MemoryError)  # what Python's parser raises


def first_function(file: str, lines: list[str]):
    """Finds the function at the beginning of `lines`. Returns the number of its lines and its
    `ast.FunctionDef`; None if there is no function. If the first line is indented, the line
    "if True:" is added before it for the parser. This keeps columns as they are in the file, but
    increases the line numbers in the tree by one.

    The function is the shortest sequence of lines from the beginning that the parser accepts. It
    can only end before a line that is not indented more than the first line. Not every such line
    ends it: the line may be inside a string, or close the list of parameters. The parser then
    refuses the lines before it, and the search goes on.
    """
    margin = indentation(lines[0])
    for end in range(1, len(lines) + 1):
        if end < len(lines) and not may_follow(lines[end], margin):
            continue
        if end == 1 and lines[0].lstrip().startswith("@") and "def" not in lines[0]:
            continue  # only a decorator, which the parser would refuse
        text = "".join(lines[:end])
        try:
            tree = _compile(file, "if True:\n" + text if margin else text, _ONLY_TREE)
        except SyntaxError:
            continue
        body = tree.body[0].body if margin else tree.body
        is_function = body and type(body[0]).__name__ == "FunctionDef"
        return (end, body[0]) if is_function else None
    return None


def makes(file: str, code, lines: list[str]) -> bool:
    """Whether compiling `lines`, which are those of the whole file, gives a code object that equals
    `code`. See `_units` for the texts that are compiled."""
    flags = code.co_flags & _FUTURES | _ALLOW_AWAIT
    try:
        return any(
            each == code
            for text in _units(file, code, lines)
            for each in _codes(_compile(file, text, flags))
        )
    except SyntaxError:
        return False


def _units(file: str, code, lines: list[str]):
    """Yields the texts that Python may have compiled as a unit: the whole file, and the top-level
    statement that contains the function, because notebooks compile each statement separately. The
    unit matters because a `from __future__ import` in it changes the code of its functions."""
    text = "".join(lines)
    yield text
    before = 0
    for statement in _compile(file, text, _ONLY_TREE).body:
        if statement.end_lineno >= code.co_firstlineno:
            yield "\n" * before + "".join(lines[before : statement.end_lineno])
            return
        before = statement.end_lineno


def _codes(code):
    """Yields a code object and all code objects inside it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, type(code)):
            yield from _codes(each)


def _compile(file: str, text: str, flags: int):
    """Returns the code of a text, or with `_ONLY_TREE` its syntax tree. Python limits the nesting
    of a text, and calls in progress count against the limit. So if the text is nested too deeply
    for this thread, compiles it in a new thread, which has no calls in progress."""

    def run():
        return compile(text, file, "exec", flags, dont_inherit=True)

    try:
        return run()
    except _TOO_DEEP:
        pass
    try:
        return in_thread(run)
    except MemoryError as error:
        raise RecursionError(str(error)) from None


def find_chains(tree) -> dict:
    """Returns the chains of names in a function's tree (see `eft.source.Summary`). The value for
    each chain is the node of its first name where the chain is first used."""
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
