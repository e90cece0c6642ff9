# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The texts of the stages that a kernel went through."""

from __future__ import annotations

from collections.abc import Mapping

from eft import _runtime
from eft.metadata import Metadata

#: The stages that correspond to Triton's, by its names.
_STAGES_OF_TRITON = {"ttir": "ir", "ttgir": "placed", "llir": "llvm"}


class Asm(Mapping):
    """The text of each stage: "ir", "placed", "llvm", then "ptx" for a GPU or "asm" for the host;
    and "cubin", bytes, for a kernel that is loaded on a GPU.

    "cubin" is what the driver's linker makes of the PTX, to be looked at. It is not the code that
    runs: for that the driver assembles the same PTX as a whole program. The code that runs may use
    fewer registers, and is limited to fewer if another block then fits on the multiprocessor.

    Triton's "ttir", "ttgir" and "llir" are other names of "ir", "placed" and "llvm".

    "ptx" is what is loaded. The other stages are made when one is first asked for. A copy from a
    pickle has only "ptx" and "cubin".

    Args:
        make_stages: a function that gives the text of every stage, or None.
        metadata: the kernel's, see `Metadata`.
        binary: PTX, or an object for the host.
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
