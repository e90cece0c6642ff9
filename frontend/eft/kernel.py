# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled kernel: its code, the text of every stage that it went through, and its metadata."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping

from eft import _runtime
from eft.one_variant import OneVariant

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


class Compilation:
    """A kernel's code, whether or not a device of this machine can run it.

    Attributes:
        metadata: see `Metadata`.
        binary: PTX, or an object for the host.
        asm: see `Asm`.
        linked: what `_compiler.link_host_object` made of an object for the host, for the runtime to
            load; None if the compiler is to load it, and for PTX.
    """

    def __init__(self, metadata: Metadata, binary: bytes, asm: Asm, linked: tuple | None = None):
        self.metadata = metadata
        self.binary = binary
        self.asm = asm
        self.linked = linked

    @property
    def name(self) -> str:
        return self.metadata.name


class CompiledKernel(OneVariant, _runtime.LoadedKernel):
    """A kernel that is loaded on a device. A launch returns the one that ran.

    Attributes:
        compilation: its code.
        device: the number of the GPU that it is loaded on, or -1 for the CPU.
        source: the kernel under `jit`, and the types for which it was compiled, in the signature's
            words; None where it was not compiled from one.
    """

    compilation: Compilation
    device: int
    source = None

    @property
    def name(self) -> str:
        return self.metadata.name

    @property
    def asm(self) -> Asm:
        return self.compilation.asm

    @property
    def metadata(self) -> Metadata:
        return self.compilation.metadata

    # -- what programs call that know Triton's compiled kernels ------------------------------------

    @property
    def function(self) -> CompiledKernel:
        return self

    @property
    def packed_metadata(self) -> tuple[int, int]:
        return self.metadata.num_warps, self.metadata.shared

    @property
    def hash(self) -> str:
        """A text that is different for kernels with different code."""
        from hashlib import sha256

        facts = repr(self.metadata).encode()
        return sha256(facts + self.compilation.binary).hexdigest()

    @property
    def n_max_threads(self) -> int | None:
        """The threads of a GPU that run a program, for which the code is made; None on a CPU."""
        return None if self.device < 0 else 32 * self.metadata.num_warps

    @property
    def n_regs(self) -> int | None:
        """The registers of a GPU's thread; None on a CPU."""
        return self.registers

    @property
    def n_spills(self) -> int | None:
        """The 4-byte words of a GPU's thread on its stack, in which registers are spilled; None on
        a CPU."""
        return None if self.stack_bytes is None else self.stack_bytes // 4

    def _init_handles(self):
        """Does nothing: the kernel is loaded."""

    def _kernel(self):
        return self.source[0]

    def _make_launcher(self):
        from eft.variant_launcher import VariantLauncher  # a launch under jit does without

        function, types = self.source
        target = self.metadata.target
        return VariantLauncher(self.name, target, function.arg_names, types, self._on)

    def _on(self, device: int) -> CompiledKernel:
        if device != self.device:
            raise ValueError(
                f"kernel {self.name!r} is loaded on cuda:{self.device}, and its arrays are on "
                f"cuda:{device}"
            )
        return self

    def __repr__(self):
        return f"<eft kernel {self.metadata.name} for {self.metadata.target}>"
