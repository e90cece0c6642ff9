# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.backends.compiler`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, fields
from enum import Enum

__all__ = ["BaseBackend", "GPUTarget", "Language"]


@dataclass(frozen=True)
class GPUTarget:
    """The target of a kernel.

    Attributes:
        backend: "cuda" or "cpu".
        arch: the compute capability as a number (90 for 9.0), or None for a CPU.
        warp_size: 32 on a GPU; 1 on a CPU, where a program is one thread.
    """

    backend: str
    arch: int | str | None
    warp_size: int

    @property
    def name(self) -> str:
        """Eft's name for the target, such as "cuda:90" or "cpu"."""
        return "cpu" if self.backend == "cpu" else f"{self.backend}:{self.arch}"


class Language(Enum):
    """The languages that Triton's backends compile."""

    TRITON = 0
    GLUON = 1


class BaseBackend(ABC):
    """The base of classes that compile for a target. Programs may derive classes from it, but Eft
    uses only Eft's own classes."""

    supports_native_tensor_specialization = True

    def __init__(self, target: GPUTarget):
        if not self.supports_target(target):
            raise ValueError(f"{type(self).__name__} can't compile for {target}")
        self.target = target

    @staticmethod
    @abstractmethod
    def supports_target(target: GPUTarget) -> bool: ...

    @abstractmethod
    def hash(self) -> str: ...

    @abstractmethod
    def parse_options(self, options: dict) -> object: ...

    @abstractmethod
    def add_stages(self, stages: dict, options: object) -> None: ...

    @abstractmethod
    def load_dialects(self, context): ...

    @abstractmethod
    def get_module_map(self) -> dict: ...

    @staticmethod
    def parse_attr(desc: str) -> list:
        """Returns the attributes of an argument. `desc` is its specialization, in which the letter
        D means "divisible by 16"."""
        return [["tt.divisibility", 16]] if "D" in desc else []

    @staticmethod
    def get_int_specialization(arg, **kwargs) -> str:
        return "D" if kwargs.get("align") and arg % 16 == 0 else ""

    @staticmethod
    def get_tensor_specialization(arg, **kwargs) -> str:
        return "D" if kwargs.get("align") and arg.data_ptr() % 16 == 0 else ""


@dataclass(frozen=True)
class Options:
    """The options of a compile. Only `num_warps`, `num_stages`, `maxnreg` and `debug` have an
    effect.
    """

    num_warps: int = 4
    num_stages: int = 3
    num_ctas: int = 1
    maxnreg: int | None = None
    debug: bool = False
    warp_size: int = 32
    cluster_dims: tuple = (1, 1, 1)
    ptx_version: int | None = None
    ptx_options: str | None = None
    ir_override: str | None = None
    enable_fp_fusion: bool = True
    enable_reflect_ftz: bool = True
    launch_cooperative_grid: bool = False
    launch_pdl: bool = False
    sanitize_overflow: bool = False
    instrumentation_mode: str = ""
    extern_libs: tuple = ()
    supported_fp8_dtypes: tuple = ("fp8e4b15", "fp8e4b8", "fp8e4nv", "fp8e5", "fp8e5b16")
    deprecated_fp8_dot_operand_dtypes: tuple = ()
    default_dot_input_precision: str = "tf32"
    allowed_dot_input_precisions: tuple = ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")
    max_num_imprecise_acc_default: int | None = None
    backend_name: str = "cuda"
    arch: str | None = None

    def hash(self) -> str:
        from hashlib import sha256

        return sha256(repr(sorted(asdict(self).items())).encode()).hexdigest()


class EftBackend(BaseBackend):
    """The base of Eft's backends. A program can't add stages to a compile: Eft's stages are
    fixed."""

    #: The `backend` of the `GPUTarget`s for which the class compiles.
    kind: str
    #: The name of the last stage, as in the `asm` of a compiled kernel.
    binary_ext: str

    @classmethod
    def supports_target(cls, target: GPUTarget) -> bool:
        return target.backend == cls.kind

    def hash(self) -> str:
        from eft.triton.runtime.cache import triton_key

        return f"{triton_key()}-{self.target.name}"

    def parse_options(self, options: dict) -> Options:
        """Returns the options with their defaults. Ignores entries of `options` that are not fields
        of `Options`."""
        known = {field.name for field in fields(Options)}
        given = {name: value for name, value in options.items() if name in known}
        arch = None if self.target.arch is None else f"sm{self.target.arch}"
        base = {"backend_name": self.kind, "arch": arch, "warp_size": self.target.warp_size}
        return Options(**base | given)

    def add_stages(self, stages: dict, options: object, language=None) -> None:
        pass

    def load_dialects(self, context) -> None:
        pass

    def get_module_map(self) -> dict:
        return {}

    def get_codegen_implementation(self, options) -> dict:
        return {}

    def pack_metadata(self, metadata) -> tuple:
        return metadata.num_warps, metadata.shared
