# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text of a kernel at each stage of its compile."""

from __future__ import annotations

from collections.abc import Mapping

from eft import _runtime
from eft.metadata import Metadata

#: Triton's names of stages, and Eft's name of the stage that corresponds to each.
_STAGES_OF_TRITON = {"ttir": "ir", "ttgir": "placed", "llir": "llvm"}


class Asm(Mapping):
    """The text of each stage: "ir", "placed", "llvm", then "ptx" for a GPU or "asm" for the host.
    If the kernel was compiled for a GPU of this machine, there is also "cubin", which is bytes.

    "cubin" serves only for inspection: the driver's linker makes it from the PTX. The code that
    runs is different, because there the driver assembles the same PTX as a whole program. That code
    may use fewer registers. Its registers are limited further if one more thread block then fits on
    a multiprocessor.

    Triton's names "ttir", "ttgir" and "llir" also work, for "ir", "placed" and "llvm".

    "ptx" is the text that was loaded. The other texts are made by compiling again when the first of
    them is read. An `Asm` that was pickled and restored has only "ptx" and "cubin".

    Args:
        make_stages: a function that returns the text of every stage by name, or None.
        metadata: the `Metadata` of the kernel.
        binary: PTX, or an object file for the host.
        device: the GPU for which "cubin" is made, or None.
    """

    def __init__(self, make_stages, metadata: Metadata, binary: bytes, device: int | None = None):
        self._make = make_stages
        self._stages = None
        self._metadata = metadata
        self._binary = binary
        self._device = device
        self._cubin = None
        is_gpu = metadata.target.startswith(("cuda:", "compute_"))
        self._names = [] if make_stages is None else ["ir", "placed", "llvm"]
        if is_gpu:
            self._names.append("ptx")
        elif make_stages is not None:
            self._names.append("asm")
        if is_gpu and device is not None:
            self._names.append("cubin")

    def __reduce__(self):
        return Asm, (None, self._metadata, self._binary, self._device)

    def __getitem__(self, name: str):
        name = _STAGES_OF_TRITON.get(name, name)
        if name not in self._names:
            kernel = f"kernel {self._metadata.name!r} for {self._metadata.target}"
            raise KeyError(f"{kernel} has no stage {name!r}, it has {', '.join(self._names)}")
        if name == "cubin":
            if self._cubin is None:
                text = self._binary.decode()
                self._cubin = _runtime.link_ptx(self._device, text, self._metadata.name)
            return self._cubin
        if name == "ptx":
            return self._binary.decode()
        if self._stages is None:
            self._stages = self._make()
        return self._stages[name]

    def __contains__(self, name) -> bool:
        return _STAGES_OF_TRITON.get(name, name) in self._names

    def __iter__(self):
        return iter(self._names)

    def __len__(self):
        return len(self._names)
