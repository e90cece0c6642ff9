# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The forward of dropout for arrays that are row-major without gaps. The kernels for GPUs and CPUs
divide a matrix among programs in different ways. dropout_wide.py has one more kernel for GPUs."""

import eft
import eft.language as tl
from dropout_cpu import cpu_program
from dropout_gpu import gpu_program


@eft.jit
def forward(
    x_ptr,
    y_ptr,
    mask_ptr,
    rows,
    columns,
    seed,
    threshold,
    may_keep,
    scale,
    factor,
    exponent,
    row_programs,
    shift,
    program_rows,
    block_programs,
    program_blocks,
    ON_GPU: tl.constexpr,
    SIZES: tl.constexpr,
):
    """Computes y = where(kept, x * scale, 0), and the mask, if there is one: 1 where kept, else 0.
    SIZES are the constexpr arguments of `gpu_program` or `cpu_program`. Parameters that only the
    other target's programs use are None."""
    arrays = (x_ptr, y_ptr, mask_ptr)
    rule, division = (threshold, may_keep, scale), (factor, exponent)
    if ON_GPU:
        plan = (shift, row_programs)
        gpu_program(arrays, rows, columns, seed, rule, division, plan, *SIZES)
    else:
        plan = (row_programs, program_rows, block_programs, program_blocks)
        cpu_program(arrays, rows, columns, seed, rule, division, plan, *SIZES)
