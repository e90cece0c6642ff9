# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with 8-bit floats."""

import ml_dtypes
import numpy as np
import triton
import triton.language as tl
from arrays import normal, zeros
from program import launched

_E4, _E5 = np.dtype(ml_dtypes.float8_e4m3fn), np.dtype(ml_dtypes.float8_e5m2)
_CODES = np.arange(256, dtype="uint8")


@triton.jit
def converts_codes(x_ptr, out_ptr, TYPE: tl.constexpr):
    offsets = tl.arange(0, 256)
    x = tl.load(x_ptr + offsets).to(TYPE, bitcast=True)
    tl.store(out_ptr + offsets, x.to(out_ptr.dtype.element_ty))


for _name, _type, _dtype in (("e4", tl.float8e4nv, _E4), ("e5", tl.float8e5, _E5)):
    for _to in ("float32", "float16"):
        launched(
            _CODES, zeros(256, dtype=_to), _type, case=f"{_name}_to_{_to}",
            expected=lambda x, out, dtype=_dtype: x.view(dtype).astype(out.dtype),
        )(converts_codes)  # fmt: skip


@triton.jit
def rounds_to_codes(x_ptr, out_ptr, TYPE: tl.constexpr):
    offsets = tl.arange(0, 256)
    x = tl.load(x_ptr + offsets).to(TYPE)
    tl.store(out_ptr + offsets, x.to(tl.uint8, bitcast=True))


for _name, _type, _dtype in (("e4", tl.float8e4nv, _E4), ("e5", tl.float8e5, _E5)):
    for _from in ("float32", "float16"):
        launched(
            normal(256, dtype=_from), zeros(256, dtype="uint8"), _type, case=f"{_from}_to_{_name}",
            expected=lambda x, out, dtype=_dtype: x.astype(dtype).view("uint8"),
        )(rounds_to_codes)  # fmt: skip


@launched(
    normal(256).astype(_E4), zeros(256).astype(_E5), zeros(256),
    expected=lambda x, *_: (
        (x.astype("float32") * 2).astype(_E5),
        (x.astype("float32") * 2),
    ),
)  # fmt: skip
@triton.jit
def keeps_eight_bits_in_memory(x_ptr, out_ptr, wide_ptr):
    offsets = tl.arange(0, 256)
    y = tl.load(x_ptr + offsets).to(tl.float32) * 2
    tl.store(out_ptr + offsets, y.to(tl.float8e5))
    tl.store(wide_ptr + offsets, y)
