# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions with Triton's names take Triton's arguments; missing functions raise clear errors."""

import inspect
import re

import eft
import eft.language as tl
import eft.testing
import numpy as np
import pytest
from support import assert_at, fails

SIGNATURES = r"""
abs(x)
add(x, y, sanitize_overflow=True)
advance(base, offsets)
arange(start, end)
argmax(input, axis, tie_break_left=True, keep_dims=False)
argmin(input, axis, tie_break_left=True, keep_dims=False)
associative_scan(input, axis, combine_fn, reverse=False)
assume(cond)
atomic_add(pointer, val, mask=None, sem=None, scope=None)
atomic_and(pointer, val, mask=None, sem=None, scope=None)
atomic_cas(pointer, cmp, val, sem=None, scope=None)
atomic_load(pointer, mask=None, sem=None, scope=None)
atomic_max(pointer, val, mask=None, sem=None, scope=None)
atomic_min(pointer, val, mask=None, sem=None, scope=None)
atomic_or(pointer, val, mask=None, sem=None, scope=None)
atomic_poll(pointer, expected_value, sem=None, scope=None, timeout_ns=None)
atomic_store(pointer, val, mask=None, sem=None, scope=None)
atomic_xchg(pointer, val, mask=None, sem=None, scope=None)
atomic_xor(pointer, val, mask=None, sem=None, scope=None)
broadcast(input, other)
broadcast_to(input, *shape)
cast(input, dtype, fp_downcast_rounding=None, bitcast=False)
cat(input, other, can_reorder=False, dim=0)
cdiv(x, div)
ceil(x)
clamp(x, min, max, propagate_nan=tl.PropagateNan.NONE)
cos(x)
cumprod(input, axis=0, reverse=False, dtype=None)
cumsum(input, axis=0, reverse=False, dtype=None)
debug_barrier()
device_assert(cond, msg="", mask=None)
device_print(prefix, *args, hex=False)
div_rn(x, y)
dot(input, other, acc=None, input_precision=None, allow_tf32=None, max_num_imprecise_acc=None, \
    out_dtype=None)
dot_scaled(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, fast_math=False, \
    lhs_k_pack=True, rhs_k_pack=True, out_dtype=tl.float32)
erf(x)
exp(x)
exp2(x)
expand_dims(input, axis)
fdiv(x, y, ieee_rounding=False, approx=False)
flip(x, dim=None)
floor(x)
fma(x, y, z)
full(shape, value, dtype)
gather(src, index, axis)
histogram(input, num_bins, mask=None)
interleave(a, b)
join(a, b)
load(pointer, mask=None, other=None, boundary_check=(), padding_option="", cache_modifier="", \
    eviction_policy="", volatile=False)
load_tensor_descriptor(desc, offsets)
log(x)
log2(x)
make_block_ptr(base, shape, strides, offsets, block_shape, order)
make_tensor_descriptor(base, shape, strides, block_shape, padding_option="zero")
max(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False)
max_constancy(input, values)
max_contiguous(input, values)
maximum(x, y, propagate_nan=tl.PropagateNan.NONE)
min(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False)
minimum(x, y, propagate_nan=tl.PropagateNan.NONE)
mul(x, y, sanitize_overflow=True)
multiple_of(input, values)
num_programs(axis)
pair_uniform_to_normal(u1, u2)
permute(input, *dims)
philox(seed, c0, c1, c2, c3, n_rounds=10)
philox_impl(c0, c1, c2, c3, k0, k1, n_rounds=10)
program_id(axis)
rand(seed, offset, n_rounds=10)
rand4x(seed, offsets, n_rounds=10)
randint(seed, offset, n_rounds=10)
randint4x(seed, offset, n_rounds=10)
randn(seed, offset, n_rounds=10)
randn4x(seed, offset, n_rounds=10)
ravel(x, can_reorder=False)
reduce(input, axis, combine_fn, keep_dims=False)
reduce_or(input, axis=None, keep_dims=False)
reshape(input, *shape, can_reorder=False)
rsqrt(x)
sigmoid(x)
sin(x)
softmax(x, dim=None, keep_dims=None, ieee_rounding=False)
sort(x, dim=None, descending=False)
split(a)
sqrt(x)
sqrt_rn(x)
squeeze(x, dim)
static_assert(cond, msg="")
static_print(*values, sep=" ", end="\n", file=None, flush=False)
store(pointer, value, mask=None, boundary_check=(), cache_modifier="", eviction_policy="")
store_tensor_descriptor(desc, offsets, value)
sub(x, y, sanitize_overflow=True)
sum(input, axis=None, keep_dims=False, dtype=None)
swizzle2d(i, j, size_i, size_j, size_g)
to_tensor(x)
topk(x, k, dim=None, descending=True)
trans(input, *dims)
uint_to_uniform_float(x)
umulhi(x, y)
unsqueeze(x, dim)
view(input, *shape)
where(condition, x, y)
xor_sum(input, axis=None, keep_dims=False)
zeros(shape, dtype)
zeros_like(input)
"""

FUNCTIONS = re.sub(r"\\\n *", "", SIGNATURES).strip().splitlines()

#: The functions that in Triton are also methods of scalars and blocks.
METHODS = """
abs advance argmax argmin associative_scan atomic_add atomic_and atomic_cas atomic_max atomic_min
atomic_or atomic_xchg atomic_xor broadcast_to cast cdiv ceil cos cumprod cumsum erf exp exp2
expand_dims flip floor gather histogram log log2 max min permute ravel reduce reduce_or reshape
rsqrt sigmoid sin softmax sort split sqrt sqrt_rn squeeze store sum trans unsqueeze view xor_sum
""".split()


def parameters(function) -> list[tuple]:
    found = inspect.signature(function).parameters.values()
    return [(each.name, each.kind.name == "VAR_POSITIONAL", each.default) for each in found]


@pytest.mark.parametrize("signature", FUNCTIONS, ids=lambda text: text.partition("(")[0])
def test_arguments_have_tritons_names_order_and_defaults(signature):
    names = {"tl": tl}
    exec(f"def {signature}: pass", names)
    name = signature.partition("(")[0]
    assert parameters(getattr(tl, name)) == parameters(names[name])


@pytest.mark.parametrize("name", METHODS)
def test_methods_are_the_functions(name):
    assert getattr(tl.tensor, name) is getattr(tl, name)


@eft.jit
def uses(x_ptr, n):
    tl.core.dispatch(n)


def test_what_eft_lacks_says_so():
    error = fails(uses)
    assert error.message == "tl.core.dispatch is not supported yet"
    assert_at(error, "tl.core.dispatch")


def test_what_nobody_has_is_not_there():
    with pytest.raises(AttributeError, match="^module 'eft' has no attribute 'frobnicate'$"):
        _ = eft.frobnicate


def test_what_triton_lacks_too_is_not_there():
    with pytest.raises(AttributeError, match="module 'eft.language' has no attribute 'frobnicate'"):
        _ = tl.frobnicate


@eft.jit
def by_other_names(out, x_ptr, BLOCK: tl.core.constexpr):
    i = tl.core.arange(0, BLOCK)
    LOG: tl.core.constexpr = tl.standard._log2(BLOCK)
    word = tl.core.get_int_dtype(bitwidth=x_ptr.dtype.element_ty.primitive_bitwidth, signed=False)
    bits = tl.load(x_ptr + i).to(tl.core._unwrap_if_constexpr(word), bitcast=True) >> 31
    tl.store(out + i, tl.standard.flip(bits).to(tl.int32) * LOG + tl.core.CONSTEXPR_0)


def test_modules_of_triton_that_tl_is_made_of(device):
    x = np.array([-1.0, 2, -3, 4], np.float32)
    out = device.put(np.zeros(4, np.int32))
    by_other_names[1](out, device.put(x), BLOCK=4)
    assert device.get(out).tolist() == [0, 2, 0, 2]


@eft.jit
def asks_for(x_ptr, n, CASE: tl.constexpr):
    if CASE == "width":
        tl.core.get_int_dtype(24, True)
    if CASE == "logarithm":
        tl.standard._log2(3)
    if CASE == "private":
        tl.standard._sum_combine(n, n)
    if CASE == "core":
        tl.core.frobnicate(n)


@pytest.mark.parametrize(
    "case, message",
    [
        ("width", "there are no integers of 24 bits"),
        ("logarithm", "_log2 needs a power of two, got 3"),
        ("private", "'tl.standard' has no attribute '_sum_combine'"),
        ("core", "'tl.core' has no attribute 'frobnicate'"),
    ],
)
def test_mistakes_in_modules_of_triton(case, message):
    error = fails(asks_for, "*fp32 i32 _", CASE=case)
    assert error.message == message
    assert_at(error, "tl.")


def test_what_a_dtype_tells():
    assert tl.float16.is_standard_floating() and not tl.int8.is_standard_floating()
    assert not any(dtype.is_fp8() for dtype in (tl.float16, tl.int8))
    assert tl.float8e5.is_fp8() and tl.float8e5.is_floating() and tl.float8e5.is_fp8e5()
    assert not tl.float8e5.is_standard_floating()
    assert (tl.float8e4nv.primitive_bitwidth, tl.float8e4nv.itemsize) == (8, 1)
    assert tl.void.is_void() and not tl.int1.is_void()
    assert (tl.int8.get_int_min_value(), tl.int8.get_int_max_value()) == (-128, 127)
    assert (tl.uint16.get_int_min_value(), tl.uint16.get_int_max_value()) == (0, 65535)
    assert tl.dtype.is_dtype("fp8e4nv") and not tl.dtype.is_dtype("fp8")


@pytest.mark.parametrize("name", ["cublas", "do_bench_proton"])
def test_what_testing_lacks_says_so(name):
    with pytest.raises(NotImplementedError, match=f"does not have triton.testing.{name}: "):
        getattr(eft.testing, name)(0)


def test_testing_has_nothing_else():
    with pytest.raises(AttributeError, match="has nothing named triton.testing.frobnicate"):
        _ = eft.testing.frobnicate


def test_a_star_imports_no_module_that_triton_lacks():
    modules = {name for name in tl.__all__ if inspect.ismodule(getattr(tl, name))}
    assert modules == {"core", "extra", "math", "random", "standard", "target_info"}
    assert "load" in tl.__all__ and not {"annotations", "builtin"} & set(tl.__all__)
