# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout, residual and norm in one operator: against float64, dropout, and the other device."""

from __future__ import annotations

import math

import eft.ops
import numpy as np
import pytest
import pytorch
from eft.reference import reduce_in_order
from support import DTYPES

SEED, P = 0x123456789ABCDEF, 0.25
#: Numbers of rows on both sides of 1024; row lengths of each kernel, also of several pieces.
SHAPES = [
    *(
        (1, 1),
        (7,),
        (70, 100),
        (1100, 33),
        (1041, 1024),
        (2, 3, 1500),
        (33, 2048),
        (1030, 2049),
        (17, 4096),
    ),
    *((5, 5000), (18, 8192), (1026, 8193), (3, 20000)),
]


class Case:
    """NumPy arrays of one shape and type: the operator's arguments and gradients."""

    def __init__(self, shape, dtype: str, is_layer: bool = True):
        random = np.random.default_rng(sum(shape))

        def numbers(*shape):
            return random.standard_normal(shape).astype(DTYPES[dtype])

        self.is_layer = is_layer
        self.x, self.residual, self.dy, self.dz = (numbers(*shape) for _ in range(4))
        self.weight, self.bias = numbers(shape[-1]), numbers(shape[-1])

    def forward(self, device, p: float = P, has_residual=True, has_bias=True):
        x, residual, weight, bias = map(device.put, (self.x, self.residual, self.weight, self.bias))
        residual = residual if has_residual else None
        if not self.is_layer:
            return eft.ops.dropout_add_rms_norm(x, weight, residual, p, SEED)
        bias = bias if has_bias else None
        return eft.ops.dropout_add_layer_norm(x, weight, bias, residual, p, SEED)

    def backward(self, device, normed, p: float = P, has_dz=True):
        dy, dz, weight = map(device.put, (self.dy, self.dz, self.weight))
        return eft.ops.dropout_add_norm_backward(dy, normed, weight, p, dz if has_dz else None)

    def expected(self, z, has_bias=True):
        """y, and the gradients for the incoming gradient dy alone, from z in float64."""
        z, dy, weight = (array.astype(np.float64) for array in (z, self.dy, self.weight))
        mean = z.mean(-1, keepdims=True) if self.is_layer else 0
        rstd = 1 / np.sqrt(((z - mean) ** 2).mean(-1, keepdims=True) + 1e-5)
        normed, gradient = (z - mean) * rstd, dy * weight
        bias = self.bias.astype(np.float64) if self.is_layer and has_bias else 0
        along = (gradient * normed).mean(-1, keepdims=True)
        dz = gradient - normed * along
        if self.is_layer:
            dz = dz - gradient.mean(-1, keepdims=True)
        columns = z.shape[-1]
        dweight = (dy * normed).reshape(-1, columns).sum(0)
        return normed * weight + bias, dz * rstd, dweight, dy.reshape(-1, columns).sum(0)


def arrays_of(device, result) -> list:
    return [None if each is None else device.get(each) for each in result]


def close(found, expected, scale: float = 1.0):
    """Checks results. The tolerance is eight roundings in fp32, and one rounding to the result's
    type. A sum of `scale`² terms has `scale` times the fp32 tolerance, since the errors of its
    terms add up like random numbers."""
    rounding = {DTYPES["bf16"]: 2**-8, DTYPES["fp16"]: 2**-11, DTYPES["fp32"]: 0}[found.dtype]
    tolerance = 8 * 2**-23 * scale + rounding
    np.testing.assert_allclose(found.astype(np.float64), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("is_layer", [True, False])
@pytest.mark.parametrize("dtype", ["fp32", "fp16", "bf16"])
@pytest.mark.parametrize("shape", SHAPES)
def test_is_what_its_definition_says(device, shape, dtype, is_layer):
    case = Case(shape, dtype, is_layer)
    normed = case.forward(device)
    y, z, mean, rstd = arrays_of(device, normed[:4])
    assert normed.seed == SEED and y.dtype == z.dtype == case.x.dtype
    assert rstd.dtype == np.float32 and (mean is not None) == is_layer
    dropped, _ = eft.ops.dropout(case.x.astype(np.float32), P, SEED, return_mask=False)
    sums = (case.residual.astype(np.float32) + dropped).astype(case.x.dtype)
    np.testing.assert_array_equal(z, sums)
    expected = case.expected(z)
    close(y, expected[0])
    back = case.backward(device, normed, has_dz=False)
    dx, dresidual, dweight, dbias = arrays_of(device, back)
    close(dresidual, expected[1])
    again = eft.ops.dropout_seed_backward(dresidual, SEED, P)
    np.testing.assert_array_equal(dx, again)
    terms = math.sqrt(math.prod(shape[:-1]))
    close(dweight, expected[2], scale=terms)
    if is_layer:
        close(dbias, expected[3], scale=terms)
    else:
        assert dbias is None


@pytest.mark.parametrize("is_layer", [True, False])
@pytest.mark.parametrize("dtype", ["fp32", "fp16", "bf16"])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_bits_are_the_cpus(device, host, shape, dtype, is_layer):
    case = Case(shape, dtype, is_layer)
    for has_others, p in ((True, P), (False, 0.0)):
        found, expected = (
            case.forward(each, p, has_residual=has_others, has_bias=has_others)
            for each in (device, host)
        )
        gradients = case.backward(device, found, p, has_dz=has_others)
        wanted = case.backward(host, expected, p, has_dz=has_others)
        for one, other in zip((*found[:4], *gradients), (*expected[:4], *wanted), strict=True):
            if other is not None:
                np.testing.assert_array_equal(bits(device.get(one)), bits(other))


def bits(array: np.ndarray) -> np.ndarray:
    return array.view(f"u{array.itemsize}")


@pytest.mark.parametrize("shape", [(70, 1500), (70, 9000)])
def test_the_gradient_of_z_is_added(device, shape):
    case = Case(shape, "fp32")
    normed = case.forward(device)
    _, with_dz, dweight, _ = arrays_of(device, case.backward(device, normed))
    _, without, same, _ = arrays_of(device, case.backward(device, normed, has_dz=False))
    np.testing.assert_array_equal(with_dz, without + case.dz)
    np.testing.assert_array_equal(dweight, same)


def sum_in_order(x: np.ndarray, num_warps: int) -> np.ndarray:
    """The sum along axis 0, in the order of tl.sum for a block of this shape."""
    return reduce_in_order(x, 0, np.add, num_warps)


@pytest.mark.parametrize("columns", [1, 1000, 3000, 8192, 17000])
def test_the_order_of_the_sums_of_rows(device, columns):
    case = Case((3, columns), "fp32")
    normed = case.forward(device)
    z, mean = device.get(normed.z), device.get(normed.mean)
    length = next((each for each in (1024, 2048, 4096, 8192) if columns <= each), 8192)
    pieces = -(-columns // length)
    padded = np.zeros((3, pieces * length), np.float32)
    padded[:, :columns] = z
    for row in range(3):
        parts = padded[row].reshape(pieces, length // 64, 4, 16)
        block = (parts[:, :, 0] + parts[:, :, 1]) + (parts[:, :, 2] + parts[:, :, 3])
        sums = np.zeros(length // 4, np.float32)
        for piece in block.reshape(pieces, -1):
            sums += piece
        assert mean[row] == sum_in_order(sums, length // 512) / np.float32(columns)


@pytest.mark.parametrize("rows", [1, 70, 4200])
def test_the_order_of_the_sums_of_columns(device, rows):
    case = Case((rows, 64), "fp32")
    dbias = device.get(case.backward(device, case.forward(device)).dbias)
    groups = {}
    for row in sorted(range(rows), key=lambda row: (row // 64, row % 16, row % 64 // 16)):
        group = row // 64, row % 16 // 4
        before = groups.get(group, np.zeros(64, np.float32))
        groups[group] = before + case.dy[row]
    running = np.zeros((128, 64), np.float32)
    for number, group in enumerate(groups.values()):
        running[number % 128] += group
    expected = [sum_in_order(running[:, first : first + 32], 8) for first in (0, 32)]
    np.testing.assert_array_equal(dbias, np.concatenate(expected))


@pytest.mark.parametrize("columns", [100, 2000, 9000])
def test_a_row_does_not_depend_on_the_others(device, columns):
    case = Case((1100, columns), "fp32")
    y, z, mean, rstd = arrays_of(device, case.forward(device, p=0)[:4])
    case.x, case.residual = case.x[1090:], case.residual[1090:]
    later = arrays_of(device, case.forward(device, p=0)[:4])
    for one, other in zip(later, (y, z, mean, rstd), strict=True):
        np.testing.assert_array_equal(one, other[1090:])


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_nothing_and_everything_is_dropped(device, p):
    case = Case((1100, 70), "fp32")
    normed = case.forward(device, p)
    expected = case.residual + (case.x if p == 0 else 0)
    np.testing.assert_array_equal(device.get(normed.z), expected)
    dx, dresidual, _, _ = arrays_of(device, case.backward(device, normed, p))
    np.testing.assert_array_equal(dx, dresidual if p == 0 else 0 * dresidual)


def test_a_seed_of_zero_is_fresh(device):
    x, weight = (device.put(np.ones(shape, np.float32)) for shape in ((8, 512), 512))
    first = eft.ops.dropout_add_layer_norm(x, weight, p=0.5, seed=0)
    second = eft.ops.dropout_add_rms_norm(x, weight, p=0.5, seed=0)
    assert second.seed == first.seed + 1 > 1 << 63
    y, _ = eft.ops.dropout(x, 0.5, first.seed)
    np.testing.assert_array_equal(device.get(first.z), device.get(y))


def test_arrays_without_elements(device):
    for shape in ((0, 5), (5, 0)):
        x, weight = device.put(np.ones(shape, "f4")), device.put(np.ones(shape[1], "f4"))
        normed = eft.ops.dropout_add_layer_norm(x, weight)
        assert tuple(normed.y.shape) == tuple(normed.z.shape) == shape
        gradients = eft.ops.dropout_add_norm_backward(x, normed, weight)
        assert tuple(gradients.dx.shape) == shape
        np.testing.assert_array_equal(device.get(gradients.dweight), np.zeros(shape[1]))
        np.testing.assert_array_equal(device.get(gradients.dbias), np.zeros(shape[1]))


def test_arrays_of_other_layouts(host):
    case = Case((40, 300), "fp32")
    expected = case.forward(host)
    case.x = np.asfortranarray(case.x)
    case.residual = np.repeat(case.residual, 2, axis=1)[:, ::2]
    for found, wanted in zip(case.forward(host)[:4], expected[:4], strict=True):
        np.testing.assert_array_equal(found, wanted)


X, W = np.ones((4, 6), np.float32), np.ones(6, np.float32)
NORMED = eft.ops.Normed(X, X, np.ones(4, np.float32), np.ones(4, np.float32), 5)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: eft.ops.dropout_add_layer_norm(X.astype("f8"), W),
            ValueError,
            "dropout and norm: X has dtype fp64, expected fp16, bf16 or fp32",
        ),
        (
            lambda: eft.ops.dropout_add_layer_norm(X, W.astype("f2")),
            ValueError,
            "dropout and norm: weight has dtype fp16, expected fp32",
        ),
        (
            lambda: eft.ops.dropout_add_layer_norm(X, W[:5].copy()),
            ValueError,
            "dropout and norm: weight has shape [5], expected [6]",
        ),
        (
            lambda: eft.ops.dropout_add_layer_norm(X, W, W[None]),
            ValueError,
            "dropout and norm: bias has shape [1, 6], expected [6]",
        ),
        (
            lambda: eft.ops.dropout_add_rms_norm(X, W, X.T.copy()),
            ValueError,
            "dropout and norm: residual has shape [6, 4], expected X's shape [4, 6]",
        ),
        (
            lambda: eft.ops.dropout_add_rms_norm(X, W, p=2),
            ValueError,
            "dropout and norm: p is 2.000000, expected 0 to 1",
        ),
        (
            lambda: eft.ops.dropout_add_rms_norm(X, W, eps=-1),
            ValueError,
            "dropout and norm: eps is -1.000000, expected 0 or more",
        ),
        (
            lambda: eft.ops.dropout_add_rms_norm(X, W, eps="a"),
            TypeError,
            "eps must be a number, got 'a'",
        ),
        (
            lambda: eft.ops.dropout_add_layer_norm(X, [1.0]),
            TypeError,
            "operators take arrays of NumPy, PyTorch and CuPy, got builtins.list",
        ),
        (
            lambda: eft.ops.dropout_add_norm_backward(X, NORMED._replace(seed=0), W, 0.5),
            ValueError,
            "dropout and norm: the seed is 0, expected the one that the forward used",
        ),
        (
            lambda: eft.ops.dropout_add_norm_backward(X, NORMED._replace(rstd=W), W),
            ValueError,
            "dropout and norm: rstd has shape [6], expected [4]",
        ),
        (
            lambda: eft.ops.dropout_add_norm_backward(X, NORMED, W, dz=X[:2]),
            ValueError,
            "dropout and norm: dZ has shape [2, 6], expected dY's shape [4, 6]",
        ),
    ],
)
def test_a_mistake(call, error, text):
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value) == text


def test_arrays_of_two_libraries():
    torch = pytest.importorskip("torch", reason=pytorch.REASON)
    with pytest.raises(TypeError, match="^x and weight must be of one library, got <class 'numpy"):
        eft.ops.dropout_add_layer_norm(X, torch.ones(6))
