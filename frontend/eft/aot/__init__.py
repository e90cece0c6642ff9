# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ahead-of-time compiling: turns a kernel into files that a C or C++ program is built with. The
modules, in the order in which a kernel passes through them:

command.py    the command line, `python -m eft compile`
kernels.py    finds the kernel in the user's file
signature.py  reads the types and constants of the kernel's parameters
targets.py    reads the targets, and finds the CPU features that code for each needs
variants.py   compiles the kernel for each target
ptxas.py      finds ptxas and runs it to make a cubin of PTX
c_source.py   makes the header and the source around the code, from templates/
files.py      writes all files, or none
"""

from __future__ import annotations

from eft.aot.errors import AheadError

__all__ = ["AheadError"]
