# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowers a kernel's syntax tree to block IR. These are the files; each builds on those before it:

values.py       the values of names, and how functions and regions pass them on
suggestions.py  suggestions for a name that a kernel can't use
emitter.py      writes operations, with their places in the source
scope.py        the names that a function has assigned
expressions.py  names, operators, comparisons, subscripts
calls.py        calls of builtins, of functions under @eft.jit, of Python's own functions
branches.py     `if`, conditional expressions, and the returns inside them
loops.py        `for` and `while`
statements.py   assignments, `return`, `assert`
arguments.py    the arguments of a kernel in the IR
functions.py    a function, and the kernel with all functions that it calls
"""
