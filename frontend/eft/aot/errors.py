# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the command `compile` has to say about its arguments."""

from __future__ import annotations


class AheadError(Exception):
    """A mistake in what was asked for, or something of the system's that failed. Its text is for
    the user."""
