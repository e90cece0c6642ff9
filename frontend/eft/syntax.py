# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asks Python's parser and compiler about the source of a kernel.

Functions here take the file's name for the parser's messages, and raise RecursionError if the text
is nested too deep. They do without the module `ast`: to import it takes longer than to parse a
kernel.
"""

from __future__ import annotations

from eft.text import indentation, may_follow
from eft.threads import in_thread

_ONLY_TREE = 0x400  # ast.PyCF_ONLY_AST
_FUTURES = 0x1FE0000  # the flags of `from __future__ import ...`
_ALLOW_AWAIT = 0x2000  # ast.PyCF_ALLOW_TOP_LEVEL_AWAIT: notebooks do
_TOO_DEEP = (RecursionError, MemoryError)  # what Python's parser raises


def first_function(file: str, lines: list[str]):
    """The function that `lines` begin with: the number of its lines, and its `ast.FunctionDef`;
    None if there is none. Where the first line is indented, there is one more in front of it in the
    tree, which keeps the columns as they are in the file.

    It is the shortest run of whole lines that is a function. Such a run ends before a line that is
    not indented more than its first one: but such a line can also stand in a string, or end a list
    of parameters, and then what is before it is no function.
    """
    margin = indentation(lines[0])
    for end in range(1, len(lines) + 1):
        if end < len(lines) and not may_follow(lines[end], margin):
            continue
        if end == 1 and lines[0].lstrip().startswith("@") and "def" not in lines[0]:
            continue  # a decorator alone, which the parser would refuse
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
    """Whether these lines, taken for the whole file, compile to a function's code."""
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
    """The texts that may have been compiled at once, for what a file imports changes the code of
    its functions: all of it, or the one statement around the function, as notebooks do."""
    text = "".join(lines)
    yield text
    before = 0
    for statement in _compile(file, text, _ONLY_TREE).body:
        if statement.end_lineno >= code.co_firstlineno:
            yield "\n" * before + "".join(lines[before : statement.end_lineno])
            return
        before = statement.end_lineno


def _codes(code):
    """A code object, and those in it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, type(code)):
            yield from _codes(each)


def _compile(file: str, text: str, flags: int):
    """A text's code, or with `_ONLY_TREE` its syntax tree. How deep it may be nested depends on how
    many calls are under way: in a thread of its own there are none."""

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
    """The chains of names in a function's tree, see `eft.source.Summary`. For each the node of its
    name where it is first used."""
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
