# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The error of the command `compile`."""

from __future__ import annotations


class AheadError(Exception):
    """A mistake in the command's arguments, or a failure of the system. The text is shown to the
    user."""
