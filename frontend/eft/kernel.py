# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled kernels: their code, and their launches by the protocol of Triton's compiled kernels.

A launch of a kernel under `jit` chooses among its variants. A compiled kernel is a single variant,
and can be launched without the kernel under `jit`. Such a launch takes arguments for all parameters
of the kernel, and ignores the arguments for parameters that are known at compile time.

The first launch of a process imports this module. To keep the import short, attributes that few
programs read are made when they are read.
"""

from __future__ import annotations

from eft import _runtime

TYPE_CHECKING = False  # type checkers know this name; importing `typing` takes milliseconds
if TYPE_CHECKING:
    from eft.asm import Asm
    from eft.metadata import Metadata


class Compilation:
    """The code of a variant. This machine need not have a device that can run it.

    Args:
        fields: the values of the fields of `Metadata`.
        binary: PTX, or an object file for the host.
        make_stages, device: the arguments of `eft.asm.Asm`.
        linked: the result of `_compiler.link_host_object` for an object file, which the runtime
            loads. None for PTX, and for an object file that the compiler must load.

    Attributes:
        metadata: the `eft.metadata.Metadata`. Its fields are also attributes of the compilation.
        asm: the `eft.asm.Asm`.
        binary, linked: the arguments of the same names.
    """

    _metadata = _asm = None

    def __init__(self, fields: tuple, binary: bytes, make_stages=None, device=None, linked=None):
        self._fields = fields
        self.name, self.target, *numbers, self.max_programs = fields
        self.num_warps, self.shared, self.maxnreg, self.programs_per_block = numbers
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
    """Wraps a function that is pickled as None. The function makes the texts of stages by compiling
    again. That needs the kernel under `jit`, which is not part of the pickle."""

    def __init__(self, function):
        self.function = function

    def __reduce__(self):
        return type(None), ()


class OneVariant:
    """The base of compiled kernels that can be launched without the kernel under `jit`. A subclass
    has the attributes `name`, `function` and `packed_metadata`. It also has three methods:
    `_init_handles` loads the kernel, `_kernel` returns the kernel under `jit` or None, and
    `_make_launcher` returns an `eft.variant_launcher.VariantLauncher`."""

    _launcher = None

    @property
    def run(self):
        """A function that launches the kernel.

        Its arguments are the three extents of the grid, the stream, `function`, `packed_metadata`,
        the result of `launch_metadata`, the hooks before and after the launch, and then the
        kernel's arguments. The given stream is ignored: the launch uses the current stream of the
        arrays' library.
        """
        return self._loaded_launcher().run

    def launch_metadata(self, grid, stream, *args):
        """Returns the `eft.hooks.LaunchMetadata` for launch hooks; None if no hook is set before
        launches."""
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
        """Returns a function that launches the kernel and takes an argument for each of its
        parameters. `grid` is an int, a tuple or a function, as in a launch of a kernel under `jit`.
        """
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
    """A variant of a kernel that is loaded on a device. A launch returns the variant that ran.

    Attributes:
        compilation: the code.
        device: the number of the GPU on which the kernel is loaded, or -1 for the CPU.
        source: a pair: the kernel under `jit`, and the types for which it was compiled, in the
            words of a signature. None if the code does not come from a kernel under `jit`.
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

    # -- attributes and methods of Triton's compiled kernels ---------------------------------------

    @property
    def function(self) -> CompiledKernel:
        return self

    @property
    def packed_metadata(self) -> tuple[int, int]:
        return self.compilation.num_warps, self.compilation.shared

    @property
    def hash(self) -> str:
        """A hash of the metadata and the code: different for kernels with different code."""
        from hashlib import sha256

        facts = repr(self.metadata).encode()
        return sha256(facts + self.compilation.binary).hexdigest()

    @property
    def n_max_threads(self) -> int | None:
        """The number of threads of a program on a GPU; None on a CPU."""
        return None if self.device < 0 else 32 * self.compilation.num_warps

    @property
    def n_regs(self) -> int | None:
        """The number of registers of a thread on a GPU; None on a CPU."""
        return self.registers

    @property
    def n_spills(self) -> int | None:
        """The size of a thread's stack on a GPU in 4-byte words, which includes spilled registers;
        None on a CPU."""
        return None if self.stack_bytes is None else self.stack_bytes // 4

    def _init_handles(self):
        """Does nothing: the kernel is loaded already."""

    def _kernel(self):
        return self.source[0]

    def _make_launcher(self):
        from eft.variant_launcher import VariantLauncher  # launches under `jit` don't need it

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
