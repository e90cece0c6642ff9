# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Beside Triton's backends: the CPU, as `triton.backends.backends["cpu"]`."""
