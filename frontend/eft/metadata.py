# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The metadata of a compiled kernel: the facts that programs read besides its code."""

from __future__ import annotations

from collections import namedtuple

#: The metadata that vary among Triton's kernels but have one value for all of Eft's kernels.
SAME_FOR_ALL = {
    "num_ctas": 1,
    "cluster_dims": (1, 1, 1),
    "global_scratch_size": 0,
    "global_scratch_align": 1,
    "profile_scratch_size": 0,
    "profile_scratch_align": 1,
    "tensordesc_meta": (),
    "tmem_size": 0,
    "launch_cooperative_grid": False,
    "launch_pdl": False,
}


_FIELDS = "name target num_warps shared maxnreg programs_per_block max_programs"


class Metadata(namedtuple("Metadata", _FIELDS)):
    """The metadata of one variant. The entries of `SAME_FOR_ALL` are attributes, too.

    Attributes:
        name: the name of the kernel's function in the code.
        target: the target's name, such as "cuda:90", "compute_90", "cpu" or "host:x86-64-v3".
        num_warps: the number of warps of a program.
        shared: the shared memory of a program, in bytes.
        maxnreg: the largest number of registers that a GPU's thread may use, or None.
        programs_per_block: the most programs that a launch may put into one thread block of a GPU.
        max_programs: the code is right for launches of at most these numbers of programs along the
            three axes of the grid. A larger launch compiles the kernel again.
    """

    __slots__ = ()

    def __getattr__(self, name: str):
        try:
            return SAME_FOR_ALL[name]
        except KeyError:
            raise AttributeError(f"a kernel's metadata have no {name!r}") from None
