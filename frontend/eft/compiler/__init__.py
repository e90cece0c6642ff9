# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a kernel's syntax tree to block IR. The files, in the order of what they build on:

emitter.py      writes operations, with their places in the source
suggestions.py  what a name that can't be used was probably meant to be
scope.py        the names that it has assigned
statements.py   assignments, `if`, `for`, `return`
expressions.py  names, operators, comparisons, subscripts
calls.py        builtins, other kernels' functions, Python's own functions
functions.py    a function, and the kernel with all functions that it calls
"""
