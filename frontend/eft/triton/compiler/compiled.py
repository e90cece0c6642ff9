# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels that `triton.compile` gives, and their launches by Triton's protocol.

A launch of a kernel under `jit` chooses among its compiled forms. These have one, and take the
grid, the stream and all arguments of the kernel, of which those that are known at compile time
are passed over.
"""

from __future__ import annotations

from collections import namedtuple
from hashlib import sha256
from operator import itemgetter
from struct import pack

from eft import _runtime
from eft import kernel as kernels
from eft.hooks import LaunchMetadata
from eft.parameters import UNSPECIALIZED
from eft.triton.backends.compiler import GPUTarget
from eft.triton.runtime.driver import driver
from eft.triton.runtime.errors import OutOfResources


class _Kernels(type):
    """Takes what a launch of a kernel under `jit` returns for an object of the class, too."""

    def __instancecheck__(cls, value):
        return super().__instancecheck__(value) or isinstance(value, kernels.CompiledKernel)


class CompiledKernel(metaclass=_Kernels):
    """A kernel that was compiled without a launch. Its `__dict__` can be pickled, if that of its
    source can, until the kernel is loaded.

    Attributes:
        src: the source, an `ASTSource`.
        metadata: a named tuple of the options, with the `target`, `name`, `shared` memory in bytes,
            and the facts of Triton's kernels that Eft's never have, such as `cluster_dims`.
        packed_metadata: the part of it that a launcher of Triton's gets.
        hash: a text that tells it from others.
        asm: see `eft.kernel.Asm`.
        kernel: its code: PTX, or an object for the host.
        module, function: the loaded kernel, or None.
        n_regs, n_spills: the registers of a thread, and the bytes that it spills; None where that
            is not known.
    """

    n_regs = n_spills = None

    def __init__(self, src, target: GPUTarget, backend, options: dict, compilation, types):
        self.src = src
        facts = {**vars(backend.parse_options(options)), **_NEVER}
        own = compilation.metadata
        facts |= {
            "target": target,
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
        self._run = None

    def _init_handles(self):
        """Loads the kernel, unless it is loaded.

        Raises:
            OutOfResources: it needs more shared memory than the device has.
        """
        if self.module is not None:
            return
        launcher = _Launcher(self)
        self.module = self.function = launcher.loaded(driver.active.get_current_device())
        self._run = launcher.run

    @property
    def run(self):
        """A function that launches the kernel: of the extents of the grid, the stream, `function`,
        `packed_metadata`, what `launch_metadata` gave, the hooks before and after, and the kernel's
        arguments. The stream is the current one of the arrays' library, whichever is given."""
        if self._run is None:
            self._init_handles()
        return self._run

    def launch_metadata(self, grid, stream, *args) -> LaunchMetadata | None:
        """The facts that a launch hook gets; None if there is no hook."""
        from eft import hooks

        if hooks.launch_enter is None:
            return None
        self._init_handles()
        facts = {"name": self.name, "function": self.function, "stream": stream}
        metadata = LaunchMetadata(facts)
        fn = self.src.fn
        if fn.launch_metadata is not None:
            bound = dict(zip(fn.arg_names, args, strict=False))
            metadata.add(fn.launch_metadata, (grid, self.metadata, bound))
        return metadata

    def __getitem__(self, grid):
        """A function that launches the kernel with all of its arguments."""
        from eft import hooks

        extents = (*grid, 1, 1)[:3]

        def launch(*args, stream=None):
            metadata = self.launch_metadata(grid, stream, *args)
            self.run(
                *extents,
                stream,
                self.function,
                self.packed_metadata,
                metadata,
                hooks.launch_enter,
                hooks.launch_exit,
                *args,
            )

        return launch

    def __repr__(self):
        return f"<eft kernel {self.name} for {self._compiled_for}>"


#: The metadata of Triton's kernels that are the same for all of Eft's.
_NEVER = {
    "cluster_dims": (1, 1, 1),
    "global_scratch_size": 0,
    "global_scratch_align": 1,
    "profile_scratch_size": 0,
    "profile_scratch_align": 1,
    "tensordesc_meta": (),
    "tmem_size": 0,
}


def _hash(src, backend, options: dict) -> str:
    parts = (src.hash(), backend.hash(), backend.parse_options(options).hash())
    return sha256("-".join(parts).encode()).hexdigest()


class _Launcher(_runtime.KernelBase):
    """Launches one compiled form of a kernel, whatever the arguments are."""

    def __init__(self, compiled: CompiledKernel):
        names = compiled.src.fn.arg_names
        kept = [number for number, type in enumerate(compiled._types) if type is not None]
        self._kept = kept  # the numbers of the parameters that the code has
        self._floats = [
            (n, _FLOATS[compiled._types[n]]) for n in kept if compiled._types[n] in _FLOATS
        ]
        self._choose = itemgetter(*kept) if len(kept) > 1 else lambda args: [args[n] for n in kept]
        self._compiled = compiled
        self._loaded = {}
        super().__init__(compiled.name, [_parameter(names[n], compiled._types[n]) for n in kept])

    def run(self, x, y, z, stream, function, packed, metadata, enter, leave, *args):
        if self._floats:
            args = list(args)
            for number, convert in self._floats:
                args[number] = convert(args[number])
        if enter is not None:
            enter(metadata)
        self._launch((x, y, z), *self._choose(args))
        if leave is not None:
            leave(metadata)

    def loaded(self, device: int) -> kernels.CompiledKernel:
        """The kernel on a GPU; the number of one does not matter to a kernel of the CPU."""
        compiled = self._compiled
        if compiled._compiled_for == "cpu":
            device = -1
        elif _runtime.device_count() > device:
            limit = _runtime.device_properties(device)["max_shared_memory"]
            if compiled.metadata.shared > limit:
                raise OutOfResources(compiled.metadata.shared, limit, "shared memory")
        if device not in self._loaded:
            from eft.driver import load_code

            own = kernels.Metadata(*compiled._own_metadata)
            code = kernels.Compilation(own, compiled.kernel, compiled.asm)
            self._loaded[device] = load_code(code, device)
        return self._loaded[device]

    # -- what the runtime calls --------------------------------------------------------------------

    def _address_parameters(self, target, types, constexprs, options):
        return []

    def _compile(self, target, device, types, constexprs, options, specialization):
        wanted = self._compiled._compiled_for
        if (target == "cpu") != (wanted == "cpu"):
            raise ValueError(
                f"kernel {self._compiled.name!r} was compiled for {wanted}, and its arrays are on "
                f"{target}"
            )
        for number, given in zip(self._kept, types, strict=True):
            known = self._compiled._types[number]
            if _kind(given) != _kind(known):
                raise TypeError(
                    f"kernel {self._compiled.name!r} was compiled for {known} as "
                    f"{self._compiled.src.fn.arg_names[number]!r}, got {given}"
                )
        return self.loaded(device)


def _kind(type: str | None) -> str:
    """The form in which an argument of a type reaches the code: an address, an int of any width, or
    a float."""
    if type is None or type[0] == "*":
        return "None" if type is None else "*"
    return type if type in ("fp32", "fp64") else "int"


def _parameter(name: str, type: str):
    """A parameter of the compiled code, for the runtime."""
    return name, UNSPECIALIZED, _runtime.MISSING, "fp64" if type == "fp64" else None


def _half_bits(value) -> int:
    return int.from_bytes(pack("<e", value), "little")


def _bfloat_bits(value) -> int:
    bits = int.from_bytes(pack("<f", value), "little")
    if bits & 0x7FFFFFFF > 0x7F800000:  # NaN, which rounding might make an infinity
        return bits >> 16 | 1 << 6
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16  # to nearest, ties to even


#: By type, how a launch reads a number: an int may stand for a float, as in Triton.
_FLOATS = {"fp16": _half_bits, "bf16": _bfloat_bits, "fp32": float, "fp64": float}
