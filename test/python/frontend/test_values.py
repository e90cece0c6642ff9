# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The meanings of expressions, names and assignments. The kernels store the values they compute."""

import math

import eft
import eft.language as tl
import ml_dtypes
import numpy as np
import pytest
from support import lower

N = tl.constexpr(8)
ANNOTATED: tl.constexpr = 3
PAIR = (tl.constexpr(1), tl.constexpr(2))
NUMPY_ONE = tl.constexpr(np.int32(1))
OF_NUMPY = tl.constexpr((np.int64(3), np.int32(2)))
constants = math


def stored(kernel, count, dtype=np.int32, **constexprs):
    """The `count` values that `kernel` stores to its first argument."""
    out = np.zeros(count, dtype)
    kernel[1](out, **constexprs)
    return out.tolist()


@eft.jit
def compile_time_arithmetic(out, K: tl.constexpr):
    tl.store(out + 0, K + N)
    tl.store(out + 1, -7 // K)
    tl.store(out + 2, -7 % K)
    tl.store(out + 3, (K**2 ^ 5) | 64)
    tl.store(out + 4, 1 if K < ANNOTATED <= 3 else 0)
    tl.store(out + 5, PAIR[1])
    tl.store(out + 6, int(constants.sqrt(16.0)))
    tl.store(out + 7, len((1, 2, *PAIR)))
    tl.store(out + 8, K.value)
    tl.store(out + 9, 1 if "a" in ("a", "b") and 2 not in (3,) else 0)
    tl.store(out + 10, eft.cdiv(K, 2) + eft.next_power_of_2(K))
    tl.store(out + 11, max(K, 5) + min(K, 5) + abs(-K))
    tl.store(out + 12, 1 if f"{K:>3}|{K!r}" == "  2|2" else 0)


def test_python_computes_with_constexprs():
    found = stored(compile_time_arithmetic, 13, K=2)
    assert found == [10, -4, 1, 65, 1, 2, 4, 4, 2, 1, 3, 9, 1]


def test_next_power_of_2():
    for n, power in (
        (-5, 1),
        (0, 1),
        (1, 1),
        (2, 2),
        (5, 8),
        (2**70 + 1, 2**71),
        (np.uint8(9), 16),
    ):
        assert eft.next_power_of_2(n) == power
    with pytest.raises(TypeError):
        eft.next_power_of_2(2.5)


@eft.jit
def numpy_constants(out, N: tl.constexpr, FLAG: tl.constexpr, HALF: tl.constexpr, PART=NUMPY_ONE):
    tl.store(out + tl.arange(0, N), HALF if FLAG else tl.zeros((PART,), tl.float32))
    tl.store(out + N - 1, OF_NUMPY[0] + tl.full((OF_NUMPY[1],), 1, tl.int32).numel)


def test_numpy_scalars_are_numbers_at_compile_time():
    for half in (np.float32, np.float64, ml_dtypes.bfloat16):
        values = {"N": np.int64(4), "FLAG": np.bool_(True), "HALF": half(0.5)}
        assert stored(numpy_constants, 4, np.float32, **values) == [0.5, 0.5, 0.5, 5.0]


@eft.jit
def declared(out, x: tl.float64, y: "fp64", z: tl.float32):  # noqa: F821
    tl.store(out, x)
    tl.store(out + 1, y)
    tl.store(out + 2, z)


def test_floats_of_a_parameter_annotated_as_fp64():
    out = np.zeros(3)
    compiled = declared[1](out, 0.1, np.float64(1e300), 0.1)
    assert out.tolist() == [0.1, 1e300, np.float32(0.1)]
    declared[1](out, 1, -(2**60), True)
    assert out.tolist() == [1, -(2**60), 1]
    warm = declared.warmup(tl.float64, 0.1, 1e300, 0.1, target="cpu")
    assert warm.asm["ir"] == compiled.asm["ir"]


@eft.jit
def run_time_arithmetic(out, n, k):
    tl.store(out + 0, n // k)
    tl.store(out + 1, n % k)
    tl.store(out + 2, -n)
    tl.store(out + 3, ~n)
    tl.store(out + 4, (not n) + 2 * (not 0 * n))
    tl.store(out + 5, k < 3 < -n)
    tl.store(out + 6, k and n)
    tl.store(out + 7, 0 * k or 0 * n)
    tl.store(out + 8, False or k)
    tl.store(out + 9, k and True)
    tl.store(out + 10, max(n, k, 1))
    tl.store(out + 11, int(n / k))


def test_integers_truncate_at_run_time():
    out = np.zeros(12, np.int32)
    run_time_arithmetic[1](out, -7, 2)
    assert out.tolist() == [-3, -1, 7, 6, 2, 1, 1, 0, 2, 2, 2, -3]


@eft.jit
def assignments(out, n):
    a = b = n
    a += 1
    (c, d), e = (a, b), 5
    f: tl.int32 = d * 2
    g: "a note" = 7  # noqa: F722
    if (h := c + 1) is not None:
        pass
    "a string is no statement of interest"
    tl.store(out + tl.arange(0, 1), a)
    tl.store(out + 1, b)
    tl.store(out + 2, c)
    tl.store(out + 3, e)
    tl.store(out + 4, f)
    tl.store(out + 5, g)
    tl.store(out + 6, h)


def test_assignments():
    out = np.zeros(7, np.int32)
    assignments[1](out, 10)
    assert out.tolist() == [11, 10, 11, 5, 20, 7, 12]


@eft.jit
def inspected(out, x):
    tl.store(out + 0, x.dtype.is_floating() and isinstance(x, tl.tensor))
    tl.store(out + 1, x.dtype == tl.float32)
    tl.store(out + 2, x.dtype.primitive_bitwidth)
    tl.store(out + 3, tl.zeros((4, 8), tl.int8).shape[1])
    tl.store(out + 4, len(tl.arange(0, 16)))
    tl.store(out + 5, out.dtype.element_ty is tl.int32 or out.dtype.element_ty == tl.int32)
    tl.store(out + 6, hasattr(x, "shape"))


def test_values_can_be_inspected():
    out = np.zeros(7, np.int32)
    inspected[1](out, 1.5)
    assert out.tolist() == [1, 1, 32, 8, 16, 1, 1]


@eft.jit
def number_is_assigned(x_ptr, out):
    two = 2.0
    tl.store(out, tl.load(x_ptr) * two)


@eft.jit
def number_is_used(x_ptr, out):
    tl.store(out, tl.load(x_ptr) * 2.0)


def test_an_assigned_number_takes_part_in_promotion():
    assert ": f32\n" in lower(number_is_assigned, "*fp16 *fp16").split("arith.mulf")[1]
    assert ": f16\n" in lower(number_is_used, "*fp16 *fp16").split("arith.mulf")[1]


def make_kernel(factor):
    constant = tl.constexpr(factor)

    @eft.jit
    def scaled(out):
        tl.store(out, constant * 10)

    return scaled


def test_a_kernel_closes_over_constants():
    assert stored(make_kernel(3), 1) == [30]
    assert stored(make_kernel(4), 1) == [40]


@eft.jit
def with_defaults(out, a: tl.constexpr = 4, b=5, flag: "tl.constexpr" = True):
    tl.store(out, a + b)
    if flag:
        tl.store(out + 1, 1)


def test_defaults():
    assert stored(with_defaults, 2) == [9, 1]
    assert stored(with_defaults, 2, a=1, b=1, flag=False) == [2, 0]


class Namespace:
    @staticmethod
    @eft.jit
    def indented(out):
        # a comment with a multi-byte character: ü
        text: tl.constexpr = """
no indentation in here"""
        tl.store(out, 1 if len(text) > 2 else 0)


def test_an_indented_kernel():
    assert stored(Namespace.indented, 1) == [1]


@eft.jit
def ünïcode(out):
    tl.store(out, 1)


def test_a_name_that_no_assembler_takes():
    assert stored(ünïcode, 1) == [1]
    assert "func.func @_ufcn_uefcode(" in lower(ünïcode, "*i32")


@eft.jit
def remainder_of_a_constant(x_ptr, N: tl.constexpr):
    tl.store(x_ptr, N % 7)


def test_a_constant_of_more_digits_than_python_prints(device, caplog):
    caplog.set_level("INFO", logger="eft")
    x = device.put(np.zeros(1, np.int32))
    kernel = eft.jit(remainder_of_a_constant.fn)  # a new kernel, without variants
    for number in (10**5000, 10**5000 + 1):
        kernel[(1,)](x, N=number)
        assert device.get(x)[0] == number % 7
    assert caplog.messages[-1].endswith("N = ~2**16609")


@pytest.mark.parametrize("statement", ["tl.static_print(N)", "tl.static_assert(f'{N}')"])
def test_a_constant_whose_digits_are_asked_for(tmp_path, statement):
    path = tmp_path / "digits.py"
    path.write_text(
        f"""
import eft
import eft.language as tl

@eft.jit
def kernel(x_ptr, N: tl.constexpr):
    {statement}
"""
    )
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    with pytest.raises(eft.CompilationError) as raised:
        lower(names["kernel"], "*i32 _", N=10**5000)
    assert raised.value.message.startswith("ValueError: Exceeds the limit")
