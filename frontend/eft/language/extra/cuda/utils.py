# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's functions that read a GPU's clocks and the number of the multiprocessor, and those that
convert `float8e4b15`. Eft converts `float8e4b15` like other types."""

from __future__ import annotations

from eft.errors import Mistake
from eft.language import dtypes
from eft.language.assembly import inline_asm_elementwise
from eft.language.builtin import builtin
from eft.language.casts import cast_to
from eft.language.constants import to_tensor
from eft.language.tensor import emitter, target_of_kernel, tensor

__all__ = [
    "clock",
    "convert_custom_float8",
    "convert_custom_float8_sm70",
    "convert_custom_float8_sm80",
    "convert_float16_to_fp8e4b15",
    "convert_fp8e4b15_to_float16",
    "globaltimer",
    "num_threads",
    "num_warps",
    "smid",
]


def _ask_gpu(name: str, asm: str, dtype: dtypes.dtype, is_pure: bool) -> tensor:
    """The number in a GPU's special register, which the PTX `asm` reads. `name` is the builtin, for
    messages."""
    if (target_of_kernel() or "cuda:").startswith(("cpu", "host")):
        raise Mistake(f"tl.extra.cuda.{name} asks a GPU, and can't run on a CPU")
    register = "=l" if dtype == dtypes.int64 else "=r"
    return inline_asm_elementwise(asm, register, (), dtype, is_pure, 1)


@builtin
def globaltimer():
    """int64: the time of the GPU in nanoseconds. Each call reads it again."""
    return _ask_gpu("globaltimer", "mov.u64 $0, %globaltimer;", dtypes.int64, False)


@builtin
def clock():
    """int64: the cycle counter of the multiprocessor. Each call reads it again."""
    return _ask_gpu("clock", "mov.u64 $0, %clock64;", dtypes.int64, False)


@builtin
def smid():
    """int32: the number of the multiprocessor on which the program runs."""
    return _ask_gpu("smid", "mov.u32 $0, %smid;", dtypes.int32, True)


@builtin
def num_warps():
    """The option `num_warps` of the launch, as an int that is known at compile time."""
    return emitter().num_warps


@builtin
def num_threads():
    """The number of threads of a program, 32 for each warp, as an int that is known at compile
    time."""
    return 32 * emitter().num_warps


@builtin
def convert_fp8e4b15_to_float16(arg):
    """Converts `arg` from float8e4b15 to fp16."""
    return cast_to(_of("convert_fp8e4b15_to_float16", arg, dtypes.float8e4b15), dtypes.float16)


@builtin
def convert_float16_to_fp8e4b15(arg, has_minx2):
    """Converts `arg` from fp16 to float8e4b15. `has_minx2` has no effect."""
    return cast_to(_of("convert_float16_to_fp8e4b15", arg, dtypes.float16), dtypes.float8e4b15)


@builtin
def convert_custom_float8(arg, dst_ty, fp_downcast_rounding, has_minx2):
    """Converts `arg` to `dst_ty`: from float8e4b15 to fp16 or fp32, or back. The other arguments
    have no effect."""
    return _converted("convert_custom_float8", arg, dst_ty)


@builtin
def convert_custom_float8_sm80(arg, dst_ty, fp_downcast_rounding=None):
    """Converts `arg` to `dst_ty`: from float8e4b15 to fp16 or fp32, or back. `fp_downcast_rounding`
    has no effect."""
    return _converted("convert_custom_float8_sm80", arg, dst_ty)


@builtin
def convert_custom_float8_sm70(arg, dst_ty, fp_downcast_rounding=None):
    """Converts `arg` to `dst_ty`: from float8e4b15 to fp16 or fp32, or back. `fp_downcast_rounding`
    has no effect."""
    return _converted("convert_custom_float8_sm70", arg, dst_ty)


def _converted(name: str, arg, target) -> tensor:
    x = to_tensor(arg)
    wide = (dtypes.float16, dtypes.float32)
    scalar = target.scalar if isinstance(target, dtypes.dtype) else target
    is_known = (x.dtype == dtypes.float8e4b15 and scalar in wide) or (
        x.dtype in wide and scalar == dtypes.float8e4b15
    )
    if not is_known:
        raise Mistake(f"{name} converts between fp8e4b15 and fp16 or fp32, got {x.dtype}")
    return cast_to(x, scalar)


def _of(name: str, arg, dtype: dtypes.dtype) -> tensor:
    x = to_tensor(arg)
    if x.dtype != dtype:
        raise Mistake(f"{name} needs an operand of type {dtype}, got {x.dtype}")
    return x
