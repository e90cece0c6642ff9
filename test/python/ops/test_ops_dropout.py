# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""eft.ops.dropout on the CPU and on a GPU, against each other and against the definition."""

from __future__ import annotations

import subprocess
import sys

import eft.ops
import numpy as np
import pytest
import pytorch
from dropout_reference import uniforms, uniforms_at
from eft import _ops
from eft.ops import places
from eft.ops.arrays import library_of

# Extents on both sides of 1024 rows, and of the extents that one program computes.
SHAPES = [
    *((1, 1), (4099, 3), (500, 16), (300, 23), (3, 5), (70, 64), (33, 100), (9, 256), (9, 257)),
    *((9, 1009), (5, 1010), (5, 1024), (4, 2500), (1024, 63), (1025, 1), (1041, 17), (2000, 30)),
    *((1088, 255), (1089, 257), (1100, 1023)),
]


def numbers(*shape) -> np.ndarray:
    return np.random.default_rng(1).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("p", [0.0, 0.25, 1.0])
def test_is_what_its_definition_says(device, shape, p):
    x = numbers(*shape)
    seed = 0x123456789ABCDEF
    y, mask = eft.ops.dropout(device.put(x), p, seed)
    expected = (uniforms(seed, *shape) >= np.float32(p)).astype(np.int32)
    np.testing.assert_array_equal(device.get(mask), expected)
    scale = np.float32(1) / (np.float32(1) - np.float32(p)) if p < 1 else np.float32(0)
    np.testing.assert_array_equal(device.get(y), np.where(expected, x * scale, np.float32(0)))
    alone, nothing = eft.ops.dropout(device.put(x), p, seed, return_mask=False)
    assert nothing is None
    np.testing.assert_array_equal(device.get(alone), device.get(y))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("scale_in_train", [True, False])
def test_goes_back_by_mask_and_by_seed_alike(device, shape, scale_in_train):
    x, dy = numbers(*shape), numbers(*shape)[::-1].copy()
    _, mask = eft.ops.dropout(device.put(x), 0.3, 7, scale_in_train=scale_in_train)
    given = eft.ops.dropout_backward(device.put(dy), mask, 0.3, scale_in_train)
    scale = np.float32(1) / (np.float32(1) - np.float32(0.3)) if scale_in_train else 1
    expected = np.where(device.get(mask), dy * np.float32(scale), np.float32(0))
    np.testing.assert_array_equal(device.get(given), expected)
    seeded = eft.ops.dropout_seed_backward(device.put(dy), 7, 0.3, scale_in_train)
    np.testing.assert_array_equal(device.get(seeded), expected)


def test_the_default_is_a_half_with_a_mask(host):
    y, mask = eft.ops.dropout(np.ones((4, 1000), np.float32))
    assert set(np.unique(y)) == {0, 2} and mask.dtype == np.int32
    again, _ = eft.ops.dropout(np.ones((4, 1000), np.float32), seed=123)
    np.testing.assert_array_equal(y, again)


def test_a_seed_of_zero_is_fresh(device):
    x = device.put(np.ones((8, 512), np.float32))
    y, _, seed = eft.ops.dropout(x, seed=0, return_seed=True)
    z, _, other = eft.ops.dropout(x, seed=0, return_seed=True)
    assert other == seed + 1 > 1 << 63
    again, _ = eft.ops.dropout(x, seed=seed)
    np.testing.assert_array_equal(device.get(again), device.get(y))
    assert (device.get(z) != device.get(y)).any()


def test_a_matrix_without_elements(device):
    for shape in ((0, 5), (5, 0)):
        y, mask = eft.ops.dropout(device.put(np.ones(shape, np.float32)))
        assert tuple(y.shape) == tuple(mask.shape) == shape
        assert tuple(eft.ops.dropout_backward(y, mask, 0.5).shape) == shape


def torch_on_a_gpu(gibibytes: int):
    """PyTorch. Skips the test unless there is a GPU with so much free memory."""
    torch = pytest.importorskip("torch", reason=pytorch.REASON)
    if not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    torch.cuda.empty_cache()  # frees the memory that earlier tests have left
    if torch.cuda.mem_get_info()[0] < gibibytes << 30:
        pytest.skip(f"the GPU has less than {gibibytes} GiB of free memory")
    return torch


@pytest.mark.parametrize(
    ("shape", "name"),
    [
        *[(((1 << 15) + 1, (1 << 16) + 1), "float32"), ((1 << 20, 2052), "float32")],
        *[((1 << 28, 9), "float32"), (((1 << 15) + 1, (1 << 16) + 8), "float16")],
        *[((1 << 28, 16), "float16"), ((1000, (1 << 22) + 8), "float16")],
        ((1 << 28, 9), "float16"),
    ],
)
def test_more_than_two_to_the_31st_elements(shape, name):
    rows, columns = shape
    torch = torch_on_a_gpu(40)
    of = {"device": "cuda", "dtype": getattr(torch, name)}
    y, _ = eft.ops.dropout(torch.ones(shape, **of), 0.5, 3, return_mask=False)
    assert ((y == 0) | (y == 2)).all()
    few = torch.arange(0, rows, rows // 1000)
    few[-1] = rows - 1
    for column in (0, columns // 2, columns - 1):
        expected = uniforms_at(3, few.numpy(), np.full(len(few), column)) >= 0.5
        np.testing.assert_array_equal((y[few.cuda(), column] != 0).cpu().numpy(), expected)
    # The backward pass from the seed drops the same elements.
    again = eft.ops.dropout_seed_backward(torch.ones(shape, **of), 3, 0.5)
    assert torch.equal(again, y)


@pytest.mark.parametrize(
    ("shape", "view_of"),
    [
        (((1 << 16) + 8, (1 << 15) + 1), lambda x: x.T),
        ((1000, (1 << 22) + 8), lambda x: x[:, : 1 << 22]),
        ((500, 1 << 11, 2100), lambda x: x[:, ::2].transpose(1, 2)),
    ],
)
def test_strides_beyond_two_to_the_31st_elements(shape, view_of):
    torch = torch_on_a_gpu(40)
    x = view_of(torch.ones(shape, device="cuda", dtype=torch.float16))
    y = torch.empty_like(x)
    library = library_of(x)
    _ops.dropout(library.view(x), library.view(y), None, 0.5, True, 3, library.stream(x))
    contiguous, _ = eft.ops.dropout(x.contiguous(), 0.5, 3, return_mask=False)
    assert torch.equal(y, contiguous)
    # In place, so that the output has these strides as well.
    _ops.dropout(library.view(x), library.view(x), None, 0.5, True, 3, library.stream(x))
    assert torch.equal(x, contiguous)


@pytest.mark.parametrize("columns", [(1 << 31) + 6, (1 << 31) + 8])
def test_a_row_of_more_than_two_to_the_31st_elements(columns):
    torch = torch_on_a_gpu(20)
    y, _ = eft.ops.dropout(torch.ones((1, columns), device="cuda"), 0.5, 3, return_mask=False)
    for first in (0, (1 << 31) - 3500, columns - 3000):
        place = np.arange(first, first + 3000)
        expected = uniforms_at(3, np.zeros_like(place), place) >= 0.5
        found = (y[0, first : first + 3000] != 0).cpu().numpy()
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("name", "more"), [("float32", 1023), ("float16", 1024)])
def test_columns_beyond_two_to_the_34th(name, more):
    """Numbers of draws have more than 32 bits. Works in place: two arrays would not fit."""
    torch = torch_on_a_gpu(70)
    columns = (1 << 34) + more
    x = torch.ones((1, columns), device="cuda", dtype=getattr(torch, name))
    view = library_of(x).view(x)
    _ops.dropout(view, view, None, 0.5, True, 3, library_of(x).stream(x))
    place = np.arange((1 << 34) - 3000, columns)
    expected = uniforms_at(3, np.zeros_like(place), place) >= 0.5
    np.testing.assert_array_equal((x[0, place[0] :] != 0).cpu().numpy(), expected)


def test_rows_beyond_two_to_the_32nd():
    """One column, which begins 4 bytes after a multiple of 64 bytes. Works in place."""
    torch = torch_on_a_gpu(20)
    rows = (1 << 32) + 1041
    x = torch.ones(rows + 1, device="cuda")[1:].reshape(rows, 1)
    view = library_of(x).view(x)
    _ops.dropout(view, view, None, 0.5, True, 3, library_of(x).stream(x))
    for first in (0, (1 << 31) - 1500, rows - 3000):
        place = np.arange(first, first + 3000)
        expected = uniforms_at(3, place, np.zeros_like(place)) >= 0.5
        found = (x[first : first + 3000, 0] != 0).cpu().numpy()
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: eft.ops.dropout(x, 1.5), ValueError, "p is 1.500000, expected 0 to 1"),
        (
            lambda x: eft.ops.dropout(x.astype(np.int32)),
            ValueError,
            "dropout: X has dtype i32, expected fp16, bf16, fp32 or fp64",
        ),
        (
            lambda x: eft.ops.dropout(x.astype(">f4")),
            ValueError,
            "an operator's argument has element type >f4, expected bool, int8 to int64, uint8 to "
            "uint64, float16, bfloat16, float32, float64 or an 8-bit float",
        ),
        (
            lambda x: eft.ops.dropout(x.astype(complex)),
            ValueError,
            "an operator's argument has element type complex128, expected bool, int8 to int64, "
            "uint8 to uint64, float16, bfloat16, float32, float64 or an 8-bit float",
        ),
        (
            lambda x: eft.ops.dropout(np.ones(4, [("a", "i2"), ("b", "f4")])["b"]),
            ValueError,
            "arrays whose strides are whole elements are needed, got strides of (6,) bytes for "
            "elements of 4",
        ),
        (
            lambda x: eft.ops.dropout(np.ones((1,) * 9, np.float32)),
            ValueError,
            "operators take arrays of at most 8 axes, got 9",
        ),
        (
            lambda x: eft.ops.dropout([1.0]),
            TypeError,
            "operators take arrays of NumPy, PyTorch and CuPy, got builtins.list",
        ),
        (
            lambda x: eft.ops.dropout(x, seed=1 << 64),
            ValueError,
            "seed must fit in 64 bits, got 18446744073709551616",
        ),
        (
            lambda x: eft.ops.dropout_backward(x, np.ones((4, 7), np.int32), 0.5),
            ValueError,
            "dropout: mask has shape [4, 7], expected dY's shape [4, 6]",
        ),
        (
            lambda x: eft.ops.dropout_seed_backward(x, 0, 0.5),
            ValueError,
            "dropout: the seed is 0, expected the one that the forward used",
        ),
        (
            lambda x: eft.ops.dropout(x, seed="a"),
            TypeError,
            "seed must be an integer, got 'a'",
        ),
        (
            lambda x: eft.ops.dropout(x, seed=1.5),
            TypeError,
            "seed must be an integer, got 1.5",
        ),
        (
            lambda x: eft.ops.dropout(x, seed=np.float32(2)),
            TypeError,
            f"seed must be an integer, got {np.float32(2)!r}",
        ),
        (
            lambda x: eft.ops.dropout_seed_backward(x, None, 0.5),
            TypeError,
            "seed must be an integer, got None",
        ),
        (lambda x: eft.ops.dropout(x, "a"), TypeError, "p must be a number, got 'a'"),
        (lambda x: eft.ops.dropout(x, "0.5"), TypeError, "p must be a number, got '0.5'"),
        (
            lambda x: eft.ops.dropout_seed_backward(x, 1, 1 + 2j),
            TypeError,
            "p must be a number, got (1+2j)",
        ),
        (
            lambda x: eft.ops.dropout_backward(x, np.ones((4, 6), np.int32), np.ones(2)),
            TypeError,
            f"p must be a number, got {np.ones(2)!r}",
        ),
        (lambda x: eft.ops.dropout(x, 10**400), ValueError, "p is inf, expected 0 to 1"),
        (
            lambda x: eft.ops.dropout(x, device=1),
            ValueError,
            "device must be 'cpu', 'cuda' or 'cuda:N', got 1",
        ),
        (
            lambda x: eft.ops.dropout(x, device="tpu"),
            ValueError,
            "device must be 'cpu', 'cuda' or 'cuda:N', got 'tpu'",
        ),
        (
            lambda x: eft.ops.dropout(x, device="cuda:999"),
            ValueError,
            "there is no device 'cuda:999': this process can use ",
        ),
    ],
)
def test_a_mistake(call, error, text):
    with pytest.raises(error) as raised:
        call(np.ones((4, 6), np.float32))
    assert text in str(raised.value)


@pytest.mark.parametrize("kind", "bhilqBHILQ")
def test_numbers_of_numpy_are_numbers(host, kind):
    x = numbers(6, 40)
    seed, p = np.dtype(kind).type(5), np.float32(0.25)
    y, mask, used = eft.ops.dropout(x, p, seed, return_seed=True)
    assert used == 5
    expected, kept = eft.ops.dropout(x, 0.25, 5)
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(mask, kept)
    dx = eft.ops.dropout_seed_backward(x, seed, p)
    np.testing.assert_array_equal(dx, eft.ops.dropout_seed_backward(x, 5, 0.25))
    np.testing.assert_array_equal(dx, eft.ops.dropout_backward(x, mask, np.float64(0.25)))


def test_a_negative_seed_is_its_bits(host):
    x = numbers(6, 40)
    for seed in (-1, np.int64(-1), np.uint64((1 << 64) - 1)):
        _, _, used = eft.ops.dropout(x, 0.5, seed, return_seed=True)
        assert used == (1 << 64) - 1


def test_whether_to_scale_may_be_any_truth(host):
    x = numbers(6, 40)
    plain, _ = eft.ops.dropout(x, 0.5, 5, scale_in_train=[])
    np.testing.assert_array_equal(plain, eft.ops.dropout(x, 0.5, 5, scale_in_train=False)[0])
    np.testing.assert_array_equal(plain, eft.ops.dropout_seed_backward(x, 5, 0.5, np.bool_(False)))


def test_an_array_of_numpys_on_a_gpu(device):
    x = numbers(20, 300)
    if device.name == "cpu":
        y, mask = eft.ops.dropout(x, 0.5, 5, device="cpu")
    else:
        y, mask = eft.ops.dropout(x, 0.5, 5, device="cuda")
    assert type(y) is type(mask) is np.ndarray
    expected, kept = eft.ops.dropout(x, 0.5, 5)
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(mask, kept)


def test_a_gpu_needs_somebody_to_hold_the_array(monkeypatch):
    monkeypatch.setattr(places, "_find", lambda name: None)
    with pytest.raises(RuntimeError) as raised:
        eft.ops.dropout(np.ones((4, 6), np.float32), device="cuda:0")
    assert str(raised.value) == (
        "device 'cuda:0' needs PyTorch with CUDA, or CuPy, to hold the array there"
    )


def test_arrays_of_two_libraries():
    torch = pytest.importorskip("torch", reason=pytorch.REASON)
    with pytest.raises(TypeError, match="dY and mask must be of one library, got <class 'numpy"):
        eft.ops.dropout_backward(np.ones((2, 2), np.float32), torch.ones(2, 2), 0.5)
    with pytest.raises(ValueError, match="device is for arrays of NumPy's, got <class 'torch"):
        eft.ops.dropout(torch.ones(2, 2), device="cpu")
    text = "an operator's argument has no memory: it is on the device 'meta'"
    with pytest.raises(ValueError, match=text):
        eft.ops.dropout(torch.ones(2, 2, device="meta"))


def test_is_loaded_only_when_it_is_asked_for():
    code = "import sys, eft; assert 'eft._ops' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
