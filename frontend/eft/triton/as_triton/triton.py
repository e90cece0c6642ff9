# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The module that `import triton` finds in a process whose PYTHONPATH has this folder: Eft."""

from eft.triton.finder import install

install()  # which forgets this module
import triton  # noqa: E402,F401 (the name that who imports this module gets)
