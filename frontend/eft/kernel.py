# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled kernels: their code, and launches of one variant by the protocol of Triton's compiled
kernels.

A launch of a kernel under `jit` chooses among its variants. A kernel here has one variant. Launched
by itself it takes all arguments of the kernel, and ignores those for parameters that are known at
compile time.

A first launch waits for this module, so it makes what few programs ask for when they do.
"""

from __future__ import annotations

from eft import _runtime

TYPE_CHECKING = False  # typing's own takes milliseconds to import
if TYPE_CHECKING:
    from eft.asm import Asm
    from eft.metadata import Metadata


class Compilation:
    """A kernel's code, whether or not a device of this machine can run it.

    Args:
        fields: those of `Metadata`.
        binary: PTX, or an object for the host.
        make_stages, device: as for `eft.asm.Asm`.
        linked: what `_compiler.link_host_object` made of an object for the host, for the runtime to
            load; None if the compiler is to load it, and for PTX.

    Attributes:
        metadata: see `eft.metadata.Metadata`; its fields are attributes, too.
        asm: see `eft.asm.Asm`.
        binary, linked: as given.
    """

    _metadata = _asm = None

    def __init__(self, fields: tuple, binary: bytes, make_stages=None, device=None, linked=None):
        self._fields = fields
        self.name, self.target, self.num_warps, self.shared, self.maxnreg = fields
        self.binary = binary
        self.linked = linked
        self._make_stages = make_stages and _NotPickled(make_stages)
        self._device = device

    @property
    def metadata(self) -> Metadata:
        if self._metadata is None:
            from eft.metadata import Metadata

            self._metadata = Metadata(*self._fields)
        return self._metadata

    @property
    def asm(self) -> Asm:
        if self._asm is None:
            from eft.asm import Asm

            make_stages = self._make_stages and self._make_stages.function
            self._asm = Asm(make_stages, self.metadata, self.binary, self._device)
        return self._asm

    @asm.setter
    def asm(self, asm: Asm):
        self._asm = asm


class _NotPickled:
    """A function that is None in a pickle: the texts of stages are made where the kernel is."""

    def __init__(self, function):
        self.function = function

    def __reduce__(self):
        return type(None), ()


class OneVariant:
    """The base of compiled kernels that can be launched by themselves. A subclass has the
    attributes `name`, `function`, and `packed_metadata`, and the methods `_init_handles`,
    `_kernel`, which may give None, and `_make_launcher`."""

    _launcher = None

    @property
    def run(self):
        """A function that launches the kernel.

        Its arguments are the three extents of the grid, the stream, `function`, `packed_metadata`,
        what `launch_metadata` gave, the hooks before and after, and then the kernel's arguments.
        The launch is in the current stream of the arrays' library, whichever stream is given.
        """
        return self._loaded_launcher().run

    def launch_metadata(self, grid, stream, *args):
        """The `eft.hooks.LaunchMetadata` that a launch hook gets; None if there is no hook."""
        from eft import hooks

        if hooks.launch_enter is None:
            return None
        self._init_handles()
        facts = {"name": self.name, "function": self.function, "stream": stream}
        metadata = hooks.LaunchMetadata(facts)
        kernel = self._kernel()
        if kernel is not None and kernel.launch_metadata is not None:
            bound = dict(zip(kernel.arg_names, args, strict=False))
            metadata.add(kernel.launch_metadata, (grid, self.metadata, bound))
        return metadata

    def __getitem__(self, grid):
        """A function that launches the kernel with all of its arguments. `grid` is what a launch of
        a kernel under `jit` takes as its grid."""
        from eft import hooks

        def launch(*args, stream=None):
            launcher = self._loaded_launcher()
            extents = launcher.find_extents(grid, args)
            metadata = self.launch_metadata(extents, stream, *args)
            launcher.launch(extents, metadata, hooks.launch_enter, hooks.launch_exit, args)

        return launch

    def _loaded_launcher(self):
        if self._launcher is None:
            self._init_handles()
            self._launcher = self._make_launcher()
        return self._launcher


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
        return self.compilation.name

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
        return self.compilation.num_warps, self.compilation.shared

    @property
    def hash(self) -> str:
        """A text that is different for kernels with different code."""
        from hashlib import sha256

        facts = repr(self.metadata).encode()
        return sha256(facts + self.compilation.binary).hexdigest()

    @property
    def n_max_threads(self) -> int | None:
        """The threads of a GPU that run a program, for which the code is made; None on a CPU."""
        return None if self.device < 0 else 32 * self.compilation.num_warps

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
        target = self.compilation.target
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
