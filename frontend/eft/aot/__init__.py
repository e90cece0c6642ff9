# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ahead of time: a kernel as files that a program in C or C++ is built with. The files, in the
order in which a kernel passes through them:

command.py    the command line, `python -m eft compile`
kernels.py    finds the kernel in the user's file
signature.py  what the kernel's parameters are
targets.py    what to compile for, and which machines can run that
variants.py   the kernel's code for each target
ptxas.py      finds ptxas and has it make a cubin of PTX
c_source.py   the header and the source around the code, from templates/
files.py      writes all files, or none
"""

from __future__ import annotations

from eft.aot.errors import AheadError

__all__ = ["AheadError"]
