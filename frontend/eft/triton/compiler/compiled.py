# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled kernels that `triton.compile` returns."""

from __future__ import annotations

from collections import namedtuple
from hashlib import sha256

from eft import _runtime
from eft import kernel as kernels
from eft.kernel import Compilation, OneVariant
from eft.metadata import SAME_FOR_ALL
from eft.triton import __version__
from eft.triton.backends.compiler import GPUTarget
from eft.triton.runtime.driver import driver
from eft.triton.runtime.errors import OutOfResources
from eft.variant_launcher import VariantLauncher


class _Kernels(type):
    """Makes `isinstance` also accept an `eft.kernel.CompiledKernel`, which a launch of a kernel
    under `jit` returns, as a `CompiledKernel` of this module."""

    def __instancecheck__(cls, value):
        return super().__instancecheck__(value) or isinstance(value, kernels.CompiledKernel)


class CompiledKernel(OneVariant, metaclass=_Kernels):
    """A kernel that was compiled without a launch. Before the kernel is loaded, its `__dict__` can
    be pickled, provided that the `__dict__` of its source can.

    Attributes:
        src: the source, an `ASTSource` or an `IRSource`.
        metadata: a named tuple. It has the options, the `target`, the `name`, the `shared` memory
            in bytes, and the entries of `eft.metadata.SAME_FOR_ALL`, such as `cluster_dims`.
        packed_metadata: the part of the metadata that a launcher of Triton's gets.
        hash: a hash that is different for different sources, targets and options.
        asm: the `eft.asm.Asm`.
        kernel: the code: PTX, or an object file for the host.
        module, function: the loaded kernel; None before it is loaded.
        n_regs, n_spills, n_max_threads: the attributes of the loaded kernel, see
            `eft.kernel.CompiledKernel`; None before it is loaded.
    """

    def __init__(self, src, target: GPUTarget, backend, options: dict, compilation, types):
        self.src = src
        facts = {**vars(backend.parse_options(options)), **SAME_FOR_ALL}
        own = compilation.metadata
        facts |= {
            "target": target,
            "triton_version": __version__,
            "name": own.name,
            "num_warps": own.num_warps,
            "shared": own.shared,
            "maxnreg": own.maxnreg,
        }
        self.hash = facts["hash"] = _hash(src, backend, options)
        self.metadata = namedtuple("KernelMetadata", sorted(facts))(**facts)
        self.packed_metadata = backend.pack_metadata(self.metadata)
        self.name = own.name
        self.asm = compilation.asm
        self.kernel = compilation.binary
        self.module = self.function = None
        self._own_metadata = tuple(own)
        self._compiled_for = own.target
        self._types = types

    @property
    def n_regs(self) -> int | None:
        return None if self.module is None else self.module.n_regs

    @property
    def n_spills(self) -> int | None:
        return None if self.module is None else self.module.n_spills

    @property
    def n_max_threads(self) -> int | None:
        return None if self.module is None else self.module.n_max_threads

    def _init_handles(self):
        """Loads the kernel on the current device, unless it is loaded already.

        Raises:
            OutOfResources: the kernel needs more shared memory than the device has.
        """
        if self.module is not None:
            return
        self.module = self.function = self._load(driver.active.get_current_device())

    def _kernel(self):
        return getattr(self.src, "fn", None)

    def _load(self, device: int) -> kernels.CompiledKernel:
        """Returns the kernel, loaded on the GPU number `device`. A kernel for the CPU is loaded
        into this process, whatever `device` is.

        Raises:
            OutOfResources: the kernel needs more shared memory than the GPU has.
        """
        if self._compiled_for == "cpu":
            device = -1
        elif _runtime.device_count() > device:
            limit = _runtime.device_properties(device)["max_shared_memory"]
            if self.metadata.shared > limit:
                raise OutOfResources(self.metadata.shared, limit, "shared memory")
        if self.module is not None and self.module.device == device:
            return self.module
        from eft.driver import load_code

        compilation = Compilation(self._own_metadata, self.kernel)
        compilation.asm = self.asm
        # Programs that launch such a kernel, as PyTorch's compiler does, don't expect a launch to
        # wait for assertions, and may capture it into a graph.
        return load_code(compilation, device, assertions_trap=True)

    def _make_launcher(self) -> VariantLauncher:
        names = self.src.arg_names
        return VariantLauncher(self.name, self._compiled_for, names, self._types, self._load)

    def __repr__(self):
        return f"<eft kernel {self.name} for {self._compiled_for}>"


def _hash(src, backend, options: dict) -> str:
    parts = (src.hash(), backend.hash(), backend.parse_options(options).hash())
    return sha256("-".join(parts).encode()).hexdigest()
