# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The module that `import triton` finds first in a process whose PYTHONPATH contains this folder.
It replaces itself by Eft's module."""

from eft.triton.finder import install

install()  # removes this module from sys.modules
import triton  # noqa: E402,F401 (the import statement binds this name)
