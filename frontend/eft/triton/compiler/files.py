# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that `triton.compile` reads from files. The files contain PTX, or Eft's block IR, which
a compiled kernel has as `asm["ttir"]`."""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import fields
from pathlib import Path

from eft import _runtime
from eft.errors import CompilationError
from eft.kernel import Compilation
from eft.triton.backends.compiler import GPUTarget, Language, Options
from eft.triton.runtime.driver import has_gpu

_BLOCK_IR = ("ttir", "mlir")
_WARP = 32

#: The options of a launch whose values are checked, and those among them that affect a compile of
#: block IR. `debug` does not: it adds assertions when a kernel's source is lowered to block IR.
_CHECKED = ("num_warps", "num_stages", "num_ctas", "maxnreg", "debug")
_OF_BLOCK_IR = ("num_warps", "num_stages", "maxnreg")
#: The options that affect how a kernel from a file of PTX is loaded.
_OF_PTX_FILES = ("num_warps", "shared")
_DEFAULTS = {field.name: field.default for field in fields(Options)}

#: The types of signatures, by the types of block IR and by those of PTX. A 64-bit parameter in PTX
#: may be an integer or an address; "b64" means both.
_OF_IR = {"f16": "fp16", "f32": "fp32", "f64": "fp64"}
_OF_PTX = {"u8": "i8", "u16": "i16", "u32": "i32", "u64": "b64", "f32": "fp32", "f64": "fp64"}


class IRSource:
    """A kernel that is read from a file.

    Args:
        path: the path of a file with block IR (`.ttir`, `.mlir`) or PTX (`.ptx`).
        context, backend: accepted without effect.

    Attributes:
        path: the path.
        ext: the kind of file: "ttir", "mlir" or "ptx".
        src: the text of the file.
        name: the kernel's name.
        signature: the type of each argument ("*fp32", "i32"), by its number.

    Raises:
        TypeError: the file's name has another suffix.
        CompilationError: the file does not contain exactly one kernel that Eft can read.
    """

    language = Language.TRITON

    def __init__(self, path, context=None, backend=None):
        self.path = str(path)
        self.ext = Path(path).suffix[1:]
        if self.ext != "ptx" and self.ext not in _BLOCK_IR:
            raise TypeError(
                "compile takes an ASTSource, or a file of Eft's block IR (.ttir or .mlir) or of "
                f"PTX (.ptx), got {self.path!r}"
            )
        self.src = Path(path).read_text()
        read = self._read_ptx if self.ext == "ptx" else self._read_block_ir
        self.name, types = read()
        self.signature = dict(enumerate(types))

    @property
    def arg_names(self) -> list[str]:
        return [f"argument {number}" for number in self.signature]

    def hash(self) -> str:
        from hashlib import sha256

        return sha256(self.src.encode()).hexdigest()

    def parse_options(self) -> dict:
        return {}

    def compiled(self, target: GPUTarget, options: dict) -> Compilation:
        """Returns the kernel's code for a target, compiled with the options of a launch. Warns
        about options that have no effect."""
        given = {name: value for name, value in options.items() if value is not None}
        _runtime.read_options(self.name, {name: given[name] for name in _CHECKED if name in given})
        self._warn_of_idle(given)
        if self.ext == "ptx":
            return self._assembled(target, given)
        return self._compiled(target, given)

    def _warn_of_idle(self, options: dict) -> None:
        used = _OF_PTX_FILES if self.ext == "ptx" else _OF_BLOCK_IR
        idle = [
            name
            for name, value in options.items()
            if name not in used and (name not in _DEFAULTS or value != _DEFAULTS[name])
        ]
        if idle:
            what = "PTX" if self.ext == "ptx" else "block IR"
            message = f"options without effect on {what} from a file: {', '.join(sorted(idle))}"
            warnings.warn(message, stacklevel=4)

    # -- block IR ----------------------------------------------------------------------------------

    def _read_block_ir(self) -> tuple[str, list[str]]:
        if "tt.func" in self.src:
            raise self._mistake("this is Triton's IR; Eft reads the block IR that it writes")
        text = str(self._parsed())
        kernels = re.findall(
            r"^  func\.func (?:public )?@([^( ]+)\((.*)\) *(?:attributes .*)?{$", text, re.M
        )
        if len(kernels) != 1:
            raise self._mistake(f"expected one kernel, got {len(kernels)}")
        name, arguments = kernels[0]
        return name.strip('"'), [
            self._type(text) for text in re.findall(r"%arg\d+: (\S+?)(?:,| |$)", arguments)
        ]

    def _type(self, text: str) -> str:
        """Returns a type of block IR in the words of a signature."""
        pointer = re.fullmatch(r"!eft\.ptr<(.+)>", text)
        word = pointer[1] if pointer else text
        return ("*" if pointer else "") + _OF_IR.get(word, word)

    def _parsed(self):
        from eft import _compiler

        try:
            return _compiler.Context().parse(self.src)
        except _compiler.IRError as error:
            raise self._translated(error) from None

    def _compiled(self, target: GPUTarget, options: dict) -> Compilation:
        from eft import _compiler, host

        known = {name: options[name] for name in ("num_warps", "num_stages") if name in options}
        limit = options.get("maxnreg")
        named = "cpu" if target.backend == "cpu" else _compiler.target_name(target.name)

        def made(keep_stages: bool):
            return _compiler.compile(
                self._parsed(),
                host.target() if named == "cpu" else named,
                keep_stages=keep_stages,
                max_registers=limit or 0,
                stoppable=True,
                **known,
            )

        try:
            code = made(keep_stages=False)
        except _compiler.IRError as error:
            raise self._translated(error) from None
        shape = code.num_warps, code.shared_bytes, limit, code.programs_per_block
        fields = (code.name, named, *shape, code.max_programs)

        def make_stages():
            return made(keep_stages=True).stages

        return Compilation(fields, code.binary, make_stages, _gpu(named))

    def _translated(self, error) -> CompilationError:
        """Returns the `CompilationError` for an error of the compiler, with its position in the
        file.
        """
        text, diagnostics = error.args
        first = next((each for each in diagnostics if each.severity == "error"), None)
        if first is None:
            return self._mistake(text)
        return self._mistake(first.text, first.positions[0] if first.positions else None)

    def _mistake(self, message: str, place=None) -> CompilationError:
        if place is None:
            return CompilationError(message, self.path)
        lines = self.src.splitlines()
        line = lines[place.line - 1] if place.line <= len(lines) else None
        return CompilationError(message, self.path, place.line, place.column, line)

    # -- PTX ---------------------------------------------------------------------------------------

    def _read_ptx(self) -> tuple[str, list[str]]:
        kernels = re.findall(r"\.visible\s+\.entry\s+([\w$]+)\s*\(([^)]*)\)", self.src)
        if len(kernels) != 1:
            raise self._mistake(f"expected one kernel, a '.visible .entry', got {len(kernels)}")
        name, parameters = kernels[0]
        types = re.findall(r"\.param\s+(?:\.align\s+\d+\s+)?\.(\w+)[^,[]*(\[?)", parameters)
        return name, [self._type_of_ptx(*type) for type in types]

    def _type_of_ptx(self, type: str, bracket: str) -> str:
        word = re.sub(r"^[sb]", "u", type)  # .s32, .b32 and .u32 are passed in the same way
        if bracket or word not in _OF_PTX:
            what = "an array" if bracket else "a parameter"
            raise self._mistake(f"the kernel takes {what} of the type .{type}")
        return _OF_PTX[word]

    def _assembled(self, target: GPUTarget, options: dict) -> Compilation:
        from eft import _compiler

        if target.backend != "cuda":
            raise self._mistake(f"PTX runs on a GPU, not on {target.name}")
        extents = re.search(r"^\s*\.(reqntid|maxntid)\s+([\d, ]+)", self.src, re.M)
        if extents is None:
            raise self._mistake("the PTX does not say how many threads a program has: .reqntid")
        directive, numbers = extents[1], [int(extent) for extent in extents[2].split(",")]
        # Where programs may share a block, each has a row of its threads (`eft-share-blocks`).
        threads = numbers[0] if directive == "maxntid" else math.prod(numbers)
        if threads == 0 or threads % _WARP:
            raise self._mistake(f"a program has {threads} threads, expected a multiple of {_WARP}")
        warps = options.get("num_warps", threads // _WARP)
        if warps * _WARP != threads:
            raise self._mistake(
                f"the PTX is for {threads // _WARP} warps, but the option 'num_warps' is {warps}"
            )
        shared = self._shared_bytes(options)
        named = _compiler.target_name(target.name)
        fields = (self.name, named, warps, shared, None, 1, _ALL_PROGRAMS)
        return Compilation(fields, self.src.encode(), device=_gpu(named))

    def _shared_bytes(self, options: dict) -> int:
        if "shared" in options:
            shared = options["shared"]
            if not isinstance(shared, int) or isinstance(shared, bool) or shared < 0:
                raise TypeError(
                    f"kernel {self.name!r}: option 'shared' must be a number of bytes, "
                    f"got {shared!r}"
                )
            return shared
        if re.search(r"\.extern\s+\.shared", self.src):
            raise self._mistake(
                "the PTX does not say how many bytes of shared memory a program has; give them as "
                'options={"shared": BYTES}, from the metadata of the kernel that it was written for'
            )
        return 0


#: The largest grid of a launch: code that Eft did not make has no limit of its own.
_ALL_PROGRAMS = (2**31 - 1,) * 3


def _gpu(target: str) -> int | None:
    """Returns the number of the GPU for which code is assembled; None for a CPU or if there is no
    GPU."""
    return 0 if target != "cpu" and has_gpu() else None
