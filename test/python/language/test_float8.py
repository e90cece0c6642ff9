# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""8-bit floats: every code, every fp16 and bf16, and floats next to ties."""

import eft
import eft.language as tl
import ml_dtypes
import numpy as np
import pytest
from float8 import ARRAY_NAMES, FORMATS, encode, table
from support import DTYPES, assert_same_bits, fails, lower

CODES = np.arange(256, dtype=np.uint8)


@eft.jit
def extended(x_ptr, out_ptr, FORMAT: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i).to(FORMAT, bitcast=True)
    tl.store(out_ptr + i, x.to(out_ptr.dtype.element_ty))


@eft.jit
def truncated(x_ptr, out_ptr, FORMAT: tl.constexpr, ROUNDING: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i).to(FORMAT, fp_downcast_rounding=ROUNDING)
    tl.store(out_ptr + i, x.to(tl.uint8, bitcast=True))


def to_codes(device, x: np.ndarray, name: str, rounding=None) -> np.ndarray:
    """The codes to which a kernel rounds numbers."""
    length = max(1 << (len(x) - 1).bit_length(), 4)
    padded = device.put(np.concatenate([x, np.zeros(length - len(x), x.dtype)]))
    out = device.put(np.zeros(length, np.uint8))
    truncated[1](padded, out, FORMAT=tl.dtype(name), ROUNDING=rounding, N=length)
    return device.get(out)[: len(x)]


@pytest.mark.parametrize("name", ARRAY_NAMES)
def test_the_tables_are_those_of_ml_dtypes(name):
    dtype = getattr(ml_dtypes, ARRAY_NAMES[name])
    np.testing.assert_array_equal(table(name), CODES.view(dtype).astype(np.float64))
    inside = np.linspace(-200, 200, 4001)
    np.testing.assert_array_equal(encode(inside, name), inside.astype(dtype).view(np.uint8))


@pytest.mark.parametrize("target", ["fp16", "bf16", "fp32", "fp64"])
@pytest.mark.parametrize("name", FORMATS)
def test_every_code(device, name, target):
    out = device.put(np.zeros(256, DTYPES[target]))
    extended[1](device.put(CODES), out, FORMAT=tl.dtype(name), N=256)
    assert_same_bits(device.get(out), table(name).astype(DTYPES[target]))


@pytest.mark.parametrize("target", ["int8", "int32", "uint16", "int1"])
@pytest.mark.parametrize("name", FORMATS)
def test_every_code_as_an_integer(device, name, target):
    out = device.put(np.zeros(256, DTYPES[target]))
    extended[1](device.put(CODES), out, FORMAT=tl.dtype(name), N=256)
    values = table(name)
    if target == "int1":
        expected = values != 0
    else:
        limits = np.iinfo(DTYPES[target])
        expected = np.clip(np.trunc(np.nan_to_num(values, nan=0)), limits.min, limits.max)
    np.testing.assert_array_equal(device.get(out), expected.astype(DTYPES[target]))


@pytest.mark.parametrize("rounding", [None, "rtne", "rtz"])
@pytest.mark.parametrize("source", ["fp16", "bf16"])
@pytest.mark.parametrize("name", FORMATS)
def test_every_half(device, name, source, rounding):
    x = np.arange(1 << 16, dtype=np.uint16).view(DTYPES[source])
    with np.errstate(invalid="ignore"):
        expected = encode(x.astype(np.float64), name, rounding == "rtz")
    np.testing.assert_array_equal(to_codes(device, x, name, rounding), expected)


def near_ties(name: str, dtype) -> np.ndarray:
    """The values of a format, the middles between neighbours, and the floats next to both."""
    form = FORMATS[name]
    values = table(name)[: form.greatest + 1]
    middles = (values[1:] + values[:-1]) / 2
    top = values[-1] + (values[-1] - values[-2]) / 2 * np.array([0.5, 1, 2, 100])
    centres = np.concatenate([values, middles, top, values / 2, [np.inf, 1e30]]).astype(dtype)
    with np.errstate(over="ignore"):
        numbers = [np.nextafter(centres, dtype(0)), centres, np.nextafter(centres, dtype(np.inf))]
    generator = np.random.default_rng(1)
    numbers.append((2.0 ** generator.uniform(-30, 18, 1000)).astype(dtype))
    x = np.concatenate([*numbers, np.array([np.nan, 1e-45, 1e-40], dtype)])
    return np.concatenate([x, -x])


@pytest.mark.parametrize("rounding", [None, "rtz"])
@pytest.mark.parametrize("source", ["fp32", "fp64"])
@pytest.mark.parametrize("name", FORMATS)
def test_next_to_ties(device, name, source, rounding):
    x = near_ties(name, DTYPES[source].type)
    expected = encode(x, name, rounding == "rtz")
    np.testing.assert_array_equal(to_codes(device, x, name, rounding), expected)


@pytest.mark.parametrize("source", ["int8", "uint8", "int32", "int64", "uint64", "int1"])
@pytest.mark.parametrize("name", FORMATS)
def test_integers(device, name, source):
    dtype = DTYPES[source]
    if source == "int1":
        x = np.array([False, True] * 2)
    else:
        limits = np.iinfo(dtype)
        some = [*range(-128, 600), 57344, 61439, 61440, 61441, 2**24 + 1, 2**53 + 1]
        x = np.array([n for n in some if limits.min <= n <= limits.max] + [limits.max], dtype)
    expected = encode(x.astype(np.float64), name)
    np.testing.assert_array_equal(to_codes(device, x, name), expected)


@eft.jit
def between(x_ptr, out_ptr, FROM: tl.constexpr, TO: tl.constexpr):
    i = tl.arange(0, 256)
    x = tl.load(x_ptr + i).to(FROM, bitcast=True)
    tl.store(out_ptr + i, x.to(TO).to(tl.uint8, bitcast=True))


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("name", FORMATS)
def test_between_formats(device, name, to):
    out = device.put(np.zeros(256, np.uint8))
    between[1](device.put(CODES), out, FROM=tl.dtype(name), TO=tl.dtype(to))
    expected = CODES if name == to else encode(table(name), to)
    np.testing.assert_array_equal(device.get(out), expected)


@eft.jit
def scaled(x_ptr, out_ptr, n, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i, mask=i < n, other=1.5)
    y = x.to(tl.float32) * 2
    tl.store(out_ptr + i, y, mask=i < n + 2)


def test_arrays_of_ml_dtypes(host):
    for name, array_name in ARRAY_NAMES.items():
        dtype = getattr(ml_dtypes, array_name)
        x = np.linspace(-3, 3, 128).astype(dtype)
        out = np.zeros(128, dtype)
        scaled[1](x, out, 100, N=128)
        expected = np.zeros(128, np.uint8)
        expected[:100] = encode(x.astype(np.float64)[:100] * 2, name)
        expected[100:102] = encode(np.array([3.0, 3.0]), name)
        np.testing.assert_array_equal(out.view(np.uint8), expected)


@pytest.mark.parametrize("name", ARRAY_NAMES)
def test_tensors_of_pytorch(device, name):
    torch = pytest.importorskip("torch")
    dtype = getattr(torch, ARRAY_NAMES[name])
    codes = np.random.default_rng(1).integers(0x20, 0x40, 128).astype(np.uint8)
    place = "cuda" if device.name == "cuda" else "cpu"
    x = torch.from_numpy(codes).to(place).view(dtype)
    out = torch.zeros(128, dtype=torch.uint8, device=place).view(dtype)
    scaled[1](x, out, 128, N=128)
    expected = encode(table(name)[codes] * 2, name)
    np.testing.assert_array_equal(out.view(torch.uint8).cpu().numpy(), expected)


@eft.jit
def moved(x_ptr, out_ptr, FORMAT: tl.constexpr):
    r, c = tl.arange(0, 16)[:, None], tl.arange(0, 32)[None, :]
    x = tl.load(x_ptr + r * 32 + c).to(FORMAT, bitcast=True)
    chosen = tl.where(x.to(tl.float32) > 0, x, tl.full((16, 32), 0.5, FORMAT))
    both = tl.join(chosen, tl.zeros_like(chosen))
    first, second = tl.split(both)
    turned = tl.reshape(tl.trans(first), (16, 32))
    column = tl.reshape(tl.load(x_ptr + tl.arange(0, 16)).to(FORMAT, bitcast=True), (16, 1))
    wide = tl.broadcast_to(column, (16, 32))
    at = r * 32 + c
    tl.store(out_ptr + at, tl.flip(turned, 1).to(tl.uint8, bitcast=True))
    tl.store(out_ptr + 512 + at, wide.to(tl.uint8, bitcast=True))
    tl.store(out_ptr + 1024 + at, second.to(tl.uint8, bitcast=True))


@pytest.mark.parametrize("name", FORMATS)
def test_moves(device, name):
    codes = np.random.default_rng(2).integers(0, 256, (16, 32)).astype(np.uint8)
    out = device.put(np.full(1536, 7, np.uint8))
    moved[1](device.put(codes), out, FORMAT=tl.dtype(name))
    with np.errstate(invalid="ignore"):
        chosen = np.where(table(name)[codes] > 0, codes, encode(np.array(0.5), name))
    first, wide, zeros = device.get(out).reshape(3, 16, 32)
    np.testing.assert_array_equal(first, chosen.T.reshape(16, 32)[:, ::-1])
    np.testing.assert_array_equal(wide, np.broadcast_to(codes[0, :16, None], (16, 32)))
    assert not zeros.any()


@eft.jit
def larger(a, b):
    return tl.where(a.to(tl.float32) > b.to(tl.float32), a, b)


@eft.jit
def reduced(x_ptr, out_ptr, FORMAT: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, 128)).to(FORMAT, bitcast=True)
    tl.store(out_ptr, tl.reduce(x, 0, larger).to(tl.uint8, bitcast=True))
    tl.store(out_ptr + 1, tl.sum(x.to(tl.float16), 0).to(FORMAT).to(tl.uint8, bitcast=True))


@pytest.mark.parametrize("name", FORMATS)
def test_reductions_through_wider_floats(device, name):
    codes = np.random.default_rng(3).integers(1, 0x40, 128).astype(np.uint8)
    out = device.put(np.zeros(4, np.uint8))
    reduced[1](device.put(codes), out, FORMAT=tl.dtype(name))
    total = encode(np.array(table(name)[codes].sum()), name)
    assert device.get(out)[0] == codes.max()
    assert abs(int(device.get(out)[1]) - int(total)) <= 1


@eft.jit
def toward_zero(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    narrow = tl.load(x_ptr + i).to(out_ptr.dtype.element_ty, fp_downcast_rounding="rtz")
    tl.store(out_ptr + i, narrow)


@pytest.mark.parametrize(
    "source, target",
    [("fp32", "fp16"), ("fp32", "bf16"), ("fp64", "fp32"), ("fp64", "fp16"), ("fp64", "bf16")],
)
def test_wider_floats_toward_zero(device, source, target):
    generator = np.random.default_rng(4)
    x = generator.normal(size=1018) * 2.0 ** generator.integers(-30, 30, 1018)
    x = np.concatenate([x, [0.0, -0.0, np.inf, -np.inf, np.nan, 1e30]]).astype(DTYPES[source])
    out = device.put(np.zeros(1024, DTYPES[target]))
    toward_zero[1](device.put(x), out, N=1024)
    found = device.get(out)
    with np.errstate(all="ignore"):
        nearest = x.astype(DTYPES[target])
        wide = nearest.astype(np.float64)
        below = np.nextafter(nearest, DTYPES[target].type(0))
        expected = np.where(np.abs(wide) > np.abs(x.astype(np.float64)), below, nearest)
    assert_same_bits(found, expected.astype(DTYPES[target]))


@eft.jit
def passed_numbers(out_ptr, first: tl.float8e4nv, second: tl.float8e5, THIRD: tl.constexpr):
    tl.store(out_ptr, first.to(tl.float32))
    tl.store(out_ptr + 1, second.to(tl.float32))
    tl.store(out_ptr + 2, tl.full((), THIRD, tl.float8e4nv).to(tl.float32))


def test_numbers_are_rounded_as_others(device):
    """Arguments of 8-bit parameters, and constants, are rounded to nearest and saturated."""
    out = device.put(np.zeros(3, np.float32))
    passed_numbers[1](out, 1000.0, 3.3, THIRD=-1e9)
    assert device.get(out).tolist() == [448.0, 3.5, -448.0]


@eft.jit
def through_windows(x_ptr, out_ptr, n):
    descriptor = tl.make_tensor_descriptor(x_ptr, [n], [1], [16])
    window = tl.make_block_ptr(out_ptr, (n,), (1,), (0,), (16,), (0,))
    tl.store(window, descriptor.load([1]), boundary_check=(0,))


def test_descriptors_and_block_pointers(host):
    x = np.arange(1, 13).astype(ml_dtypes.float8_e5m2)
    out = np.full(12, 7).astype(ml_dtypes.float8_e5m2)
    through_windows[1](x, out, 12)
    assert out.tolist() == [*x[1:].tolist(), 0]


@eft.jit
def prints(x_ptr):
    tl.device_print("x", tl.load(x_ptr + tl.arange(0, 2)))


def test_printed_values(host, capfd):
    prints[1](np.array([1.5, -448], ml_dtypes.float8_e4m3fn))
    assert capfd.readouterr().out.splitlines() == [
        "pid (0, 0, 0) idx (0) x: 1.500000",
        "pid (0, 0, 0) idx (1) x: -448.000000",
    ]


@eft.jit
def extremes(x_ptr, out_ptr):
    x = tl.load(x_ptr + tl.arange(0, 64))
    tl.store(out_ptr, tl.max(x, 0))
    tl.store(out_ptr + 1, tl.min(x, 0))


def test_extremes_are_those_of_fp32(host):
    x = np.random.default_rng(7).normal(size=64).astype(ml_dtypes.float8_e4m3fn)
    out = np.zeros(2, np.float32)
    extremes[1](x, out)
    assert out.tolist() == [x.astype(np.float32).max(), x.astype(np.float32).min()]


@eft.jit
def extremes_and_places(x_ptr, out_ptr, index_ptr):
    x = tl.load(x_ptr + tl.arange(0, 64))
    value, index = tl.max(x, 0, return_indices=True)
    tl.store(out_ptr, value)
    tl.store(index_ptr, index)
    value, index = tl.min(x, 0, return_indices=True)
    tl.store(out_ptr + 1, value)
    tl.store(index_ptr + 1, index)


def test_places_of_extremes(host):
    x = np.random.default_rng(7).normal(size=64).astype(ml_dtypes.float8_e4m3fn)
    x[5] = np.nan
    out, index = np.zeros(2, x.dtype), np.zeros(2, np.int32)
    extremes_and_places[1](x, out, index)
    wide = x.astype(np.float32)
    assert out.tolist() == [np.nanmax(wide), np.nanmin(wide)]
    assert index.tolist() == [np.nanargmax(wide), np.nanargmin(wide)]


@pytest.mark.parametrize(
    ("few", "places"),
    [
        ([1, 2, np.inf, np.inf], (2, 0)),
        ([-np.inf, -np.inf, np.nan, -np.inf], (0, 0)),
        ([np.nan, 57344, -np.inf, 3], (1, 2)),
        ([np.nan] * 4, (0, 0)),
    ],
)
def test_infinite_extremes(few, places, host):
    x = np.tile(np.array(few, ml_dtypes.float8_e5m2), 16)
    out, index = np.zeros(2, x.dtype), np.zeros(2, np.int32)
    extremes_and_places[1](x, out, index)
    wide = x.astype(np.float32)
    assert np.array_equal(out.astype(np.float32), wide[list(places)], equal_nan=True)
    assert tuple(index) == places


@eft.jit
def extremes_of_rows(x_ptr, largest_ptr, smallest_ptr, FORMAT: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    # Each row has one code, four times.
    x = tl.load(x_ptr + (i[:, None] + tl.zeros([1, 4], tl.int32))).to(FORMAT, bitcast=True)
    largest = tl.max(x, 1, return_indices=True)[0]
    smallest = tl.min(x, 1, return_indices=True)[0]
    tl.store(largest_ptr + i, largest.to(tl.uint8, bitcast=True))
    tl.store(smallest_ptr + i, smallest.to(tl.uint8, bitcast=True))


@pytest.mark.parametrize("name", FORMATS)
def test_every_code_as_an_extreme(device, name):
    outs = [device.put(np.zeros(256, np.uint8)) for _ in range(2)]
    extremes_of_rows[1](device.put(CODES), *outs, FORMAT=tl.dtype(name), N=256)
    values = table(name)
    for out in map(device.get, outs):
        is_number = ~np.isnan(values)
        assert out[is_number].tolist() == CODES[is_number].tolist()
        assert np.isnan(values[out[~is_number]]).all()


@eft.jit
def adds(x_ptr):
    tl.atomic_add(x_ptr, 1.0)


def test_atomic_operations_refuse_them():
    assert fails(adds, "*fp8e5").message == (
        "atomic_add does not work on fp8e5: expected one of int32, uint32, int64, uint64, fp16, "
        "bf16, fp32, fp64"
    )


@eft.jit
def computes(x_ptr, n, CASE: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, 16))
    if CASE == "sum":
        x + x
    if CASE == "number":
        x * 2.0
    if CASE == "integer":
        x + n
    if CASE == "comparison":
        tl.store(x_ptr, x < x)
    if CASE == "negative":
        tl.store(x_ptr, -x)
    if CASE == "function":
        tl.exp(x)
    if CASE == "magnitude":
        tl.abs(x)
    if CASE == "reduction":
        tl.sum(x, 0)
    if CASE == "sorting":
        tl.sort(x)


@pytest.mark.parametrize(
    "case, message",
    [
        ("sum", "`+` does not take fp8e5: convert it first, such as by .to(tl.float16)"),
        ("number", "`*` does not take fp8e5: convert it first, such as by .to(tl.float16)"),
        ("integer", "unexpected type fp8e5 and int32: convert one of them"),
        ("comparison", "`<` does not take fp8e5: convert it first, such as by .to(tl.float16)"),
        ("negative", "unary `-` does not take fp8e5: convert it first, such as by .to(tl.float16)"),
        ("function", "exp does not take fp8e5: convert it first, such as by .to(tl.float16)"),
        ("magnitude", "abs does not take fp8e5: convert it first, such as by .to(tl.float16)"),
        ("reduction", "`+` does not take fp8e5: convert it first, such as by .to(tl.float16)"),
        ("sorting", "sort does not take fp8e5: convert it first, such as by .to(tl.float16)"),
    ],
)
def test_nothing_computes_in_eight_bits(case, message):
    error = fails(computes, "*fp8e5 i32 _", CASE=case)
    assert error.message == message


@eft.jit
def meeting_types(x_ptr, y_ptr, n):
    x, y = tl.load(x_ptr), tl.load(y_ptr)
    tl.static_assert((x + y).dtype == tl.float16)
    tl.static_assert((x + y.to(tl.float32)).dtype == tl.float32)
    tl.static_assert((x * y.to(tl.bfloat16)).dtype == tl.float32)
    tl.static_assert((x / y).dtype == tl.float16)
    tl.static_assert(tl.where(n > 0, x, y).dtype == tl.float16)
    tl.static_assert(tl.where(n > 0, x, 0.0).dtype == tl.float8e5)


def test_types_in_which_operands_meet():
    lower(meeting_types, "*fp8e5 *fp8e4nv i32")
