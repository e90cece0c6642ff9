# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The backend for CPUs, `triton.backends.backends["cpu"]`. Triton has no such backend."""
