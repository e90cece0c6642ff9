# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The language of kernels, which is Triton's: `import eft.language as tl`.

Each family of functions has its own file. docs/language.md defines what the functions mean.
"""

# ruff: noqa: F401, F403 (what is imported here is what the module offers)
from __future__ import annotations

import sys as _sys
from types import ModuleType as _ModuleType

from eft.language import core, extra, math, random, standard, target_info
from eft.language.atomics import (
    atomic_add,
    atomic_and,
    atomic_cas,
    atomic_load,
    atomic_max,
    atomic_min,
    atomic_or,
    atomic_poll,
    atomic_store,
    atomic_xchg,
    atomic_xor,
)
from eft.language.block_pointers import advance, make_block_ptr
from eft.language.builtin import constexpr_function
from eft.language.casts import cast
from eft.language.constants import to_tensor
from eft.language.constexpr import const, constexpr
from eft.language.debug import device_assert, device_print, expect_zero
from eft.language.descriptors import (
    load_tensor_descriptor,
    make_tensor_descriptor,
    store_tensor_descriptor,
    tensor_descriptor,
    tensor_descriptor_type,
)
from eft.language.dtypes import (
    bfloat16,
    block_type,
    dtype,
    float8e4b8,
    float8e4b15,
    float8e4nv,
    float8e5,
    float8e5b16,
    float16,
    float32,
    float64,
    int1,
    int8,
    int16,
    int32,
    int64,
    pointer_type,
    uint8,
    uint16,
    uint32,
    uint64,
    void,
)
from eft.language.elementary import *
from eft.language.hints import (
    assume,
    debug_barrier,
    max_constancy,
    max_contiguous,
    multiple_of,
)
from eft.language.loops import condition, range, static_range
from eft.language.math import PropagateNan, abs, cdiv, clamp, maximum, minimum, umulhi, where
from eft.language.matrix import dot
from eft.language.memory import load, store
from eft.language.operators import add, mul, sub
from eft.language.program import num_programs, program_id, swizzle2d
from eft.language.random import (
    pair_uniform_to_normal,
    philox,
    philox_impl,
    rand,
    rand4x,
    randint,
    randint4x,
    randn,
    randn4x,
    uint_to_uniform_float,
)
from eft.language.rearranging import *
from eft.language.reductions import *
from eft.language.reshaping import *
from eft.language.scaled import dot_scaled
from eft.language.scans import *
from eft.language.shapes import *
from eft.language.sorting import *
from eft.language.static import static_assert, static_print
from eft.language.tensor import tensor

slice = slice  # `t[tl.slice(0, 2, None)]` is t[0:2]
tuple = tuple  # in annotations and in isinstance, `tl.tuple` is Python's

TRITON_MAX_TENSOR_NUMEL = 1 << 20

#: Names that few kernels need, and the file of each. A file is imported when one of its names is
#: first used.
_LAZY = {
    **dict.fromkeys(("aggregate", "aggregate_replace"), "aggregates"),
    **dict.fromkeys(("constexpr_type", "pi32_t", "str_to_ty", "tuple_type"), "type_names"),
    "inline_asm_elementwise": "assembly",
    "map_elementwise": "mapping",
}

# Of the modules, `tl` offers only those that Triton's language has, too.
__all__ = [
    name
    for name, value in globals().items()
    if not (name.startswith("_") or name == "annotations")
    and (
        not isinstance(value, _ModuleType)
        or value in (core, extra, math, random, standard, target_info)
    )
] + list(_LAZY)


def __getattr__(name: str):
    if name in _LAZY:
        from importlib import import_module

        value = getattr(import_module(f"eft.language.{_LAZY[name]}"), name)
        globals()[name] = value
        return value
    # With `name` and `obj`, Python adds a similar name to the message.
    message = f"module 'eft.language' has no attribute {name!r}"
    raise AttributeError(message, name=name, obj=_sys.modules[__name__])


def __dir__():
    return [*globals(), *_LAZY]
