# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of the command `compile`, about its arguments."""

from __future__ import annotations


class AheadError(Exception):
    """A mistake in what was asked for, or something of the system's that failed. Its text is for
    the user."""
