# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts of a compiled kernel beside its code, as programs ask for them."""

from __future__ import annotations

from collections import namedtuple

#: The metadata of Triton's kernels that are the same for all of Eft's.
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


class Metadata(namedtuple("Metadata", "name target num_warps shared maxnreg")):
    """`name` of the function, `target` ("cuda:90", "compute_90", "cpu", "host:x86-64-v3"),
    `num_warps`, `shared` memory in bytes, and `maxnreg`, how many registers a GPU's thread gets at
    most, or None. As attributes there are those in `SAME_FOR_ALL`, too."""

    __slots__ = ()

    def __getattr__(self, name: str):
        try:
            return SAME_FOR_ALL[name]
        except KeyError:
            raise AttributeError(f"a kernel's metadata have no {name!r}") from None
