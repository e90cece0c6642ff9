# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.compiler.compiler`: compiles kernels without a launch."""

from __future__ import annotations

import os

from eft import _runtime
from eft.asm import Asm as AsmDict
from eft.hooks import LaunchMetadata as LazyDict
from eft.language.constexpr import unwrap
from eft.triton import lazy
from eft.triton.backends import backends
from eft.triton.backends.compiler import BaseBackend, GPUTarget, Language
from eft.triton.compiler.compiled import CompiledKernel
from eft.triton.missing import refuse
from eft.triton.runtime.cache import get_cache_key
from eft.triton.runtime.driver import driver, has_gpu

__all__ = [  # noqa: F822
    "ASTSource",
    "AsmDict",
    "CompiledKernel",
    "IRSource",
    "LazyDict",
    "compile",
    "filter_traceback",
    "get_cache_key",
    "make_backend",
    "max_shared_mem",
]

__getattr__ = lazy.attributes(__name__, {"IRSource": "eft.triton.compiler.files"})


class ASTSource:
    """A kernel with the types of its arguments.

    Args:
        fn: the kernel.
        signature: for each parameter its type ("*fp32", "i32") or "constexpr", by name.
        constexprs: the values of parameters that are known at compile time. A key is the
            parameter's name, or a tuple with its number.
        attrs: for an argument that is always divisible by 16, the list [["tt.divisibility", 16]].
            The key is a tuple with the number of the parameter. Other divisors are 8, 4 and 2.
    """

    ext = "ir"
    language = Language.TRITON

    def __init__(self, fn, signature: dict, constexprs: dict | None = None, attrs=None):
        for name in signature:
            if not isinstance(name, str):
                raise TypeError(f"a signature's keys must be parameters' names, got {name!r}")
        self.fn = fn
        self.name = fn.__name__
        self.signature = signature
        self.constants = {
            (fn.arg_names.index(key),) if isinstance(key, str) else key: value
            for key, value in (constexprs or {}).items()
        }
        self.attrs = attrs or {}

    @property
    def arg_names(self) -> list[str]:
        return self.fn.arg_names

    def hash(self) -> str:
        from hashlib import sha256

        facts = sorted(self.signature.items()), sorted(self.constants.items()), self.attrs
        return sha256(f"{self.fn.cache_key}-{facts}".encode()).hexdigest()

    def parse_options(self) -> dict:
        return {}

    def make_ir(self, *args, **kwargs):
        """Raises an error. Eft's IR is the stage "ir" of the kernel that `compile` returns."""
        refuse("ASTSource.make_ir", "compile(source).asm['ir'] is Eft's")


def compile(src, target: GPUTarget | None = None, options: dict | None = None) -> CompiledKernel:
    """Compiles a kernel without loading it.

    Args:
        src: an `ASTSource`, an `IRSource`, or the path of a file that an `IRSource` can read.
        target: the target; by default the current GPU, or the CPU if there is no GPU.
        options: the options of a launch. Other entries are accepted without effect.

    Returns:
        A `CompiledKernel`, which is loaded at its first launch.

    Raises:
        CompilationError: the kernel has a mistake.
        TypeError: the signature does not fit the kernel, or the file is not of a kind that an
            `IRSource` reads.
    """
    from eft.triton.compiler.files import IRSource

    if isinstance(src, str | os.PathLike):
        src = IRSource(src)
    if not isinstance(src, ASTSource | IRSource):
        raise TypeError(f"compile takes an ASTSource or the path of a file, got {src!r}")
    target = target or driver.active.get_current_target()
    if not isinstance(target, GPUTarget):
        raise TypeError(f"target must be a GPUTarget, got {target!r}")
    options = options or {}
    backend = make_backend(target)
    if isinstance(src, IRSource):
        made, types = src.compiled(target, options), tuple(src.signature.values())
    else:
        made, types = _compile_kernel(src, target, options)
    return CompiledKernel(src, target, backend, options, made, types)


def _compile_kernel(src: ASTSource, target: GPUTarget, options: dict):
    """Returns the code of a kernel (an `eft.kernel.Compilation`), and the types of its
    parameters."""
    from eft import driver as compiling

    variant = _variant(src, target, options)
    device = 0 if variant.target != "cpu" and has_gpu() else None
    return compiling.compile_variant(src.fn, variant, device), variant.types


def _variant(src: ASTSource, target: GPUTarget, options: dict):
    """Returns the `eft.driver.Variant` that a source, a target and options describe.

    Raises:
        TypeError: the signature does not fit the kernel, or an option is wrong.
    """
    from eft import _compiler
    from eft.driver import Variant
    from eft.language.dtypes import from_signature

    kernel = src.fn
    types, constexprs, special = [], {}, []
    for number, name in enumerate(kernel.arg_names):
        type = src.signature.get(name, "constexpr")
        attributes = src.attrs.get((number,), ())
        if (number,) in src.constants:
            constexprs[name] = unwrap(src.constants[number,])
            type = None
        elif type == "constexpr":
            raise TypeError(f"{kernel.__name__}() has no value for the constexpr {name!r}")
        else:
            try:
                type = from_signature(_own_word(type)).signature
            except KeyError:
                raise TypeError(
                    f"the type of {name!r} must be one such as '*fp32' or 'i32', got {type!r}"
                ) from None
        types.append(type)
        special.append("" if type is None else _divisor(attributes))
    known = ("num_warps", "num_stages", "num_ctas", "maxnreg", "debug")
    given = {name: options[name] for name in known if name in options}
    read = kernel.effective(_runtime.read_options(kernel.__name__, given))
    name = target.name if target.backend != "cpu" else "cpu"
    return Variant(_compiler.target_name(name), tuple(types), constexprs, read, tuple(special))


def _divisor(attributes) -> str:
    """Returns the specialization of an argument: the largest of 16, 8, 4 and 2 that divides it
    according to its attributes, or "" if none does. Larger powers of two make no better code."""
    named = [value for name, value in attributes if name == "tt.divisibility"]
    return next((str(each) for each in (16, 8, 4, 2) if any(v % each == 0 for v in named)), "")


def _own_word(type: str) -> str:
    """Returns the word of Eft's signatures for a type in a signature of Triton's."""
    return {"u1": "i1", "*u1": "*i1", "f32": "fp32", "f16": "fp16"}.get(type, type)


def make_backend(target: GPUTarget) -> BaseBackend:
    """Returns the backend that compiles for a target.

    Raises:
        RuntimeError: there is no such backend.
    """
    for each in backends.values():
        if each.compiler.supports_target(target):
            return each.compiler(target)
    raise RuntimeError(f"Eft compiles for 'cuda' and 'cpu', got {target}")


def max_shared_mem(device: int) -> int:
    """Returns the largest shared memory of a program on a GPU, in bytes."""
    return driver.active.utils.get_device_properties(device)["max_shared_mem"]


def filter_traceback(e: BaseException) -> None:
    """Does nothing, because errors in kernels never show Eft's frames."""
