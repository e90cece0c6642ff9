# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor descriptors as arguments of launches: the kernel's slots, and errors."""

import eft
import numpy as np
import pytest


def described(**changes):
    """A descriptor of 6 × 8 floats. The changes are made after the constructor's checks."""
    memory = np.zeros(60, np.float32)
    begin = -(memory.ctypes.data % -16) // 4 % 4
    found = eft.TensorDescriptor(memory[begin:], [6, 8], [8, 1], [4, 2])
    for name, value in changes.items():
        setattr(found, name, value)
    return found


def test_extents_and_strides_come_behind_all_others(make_kernel):
    kernel = make_kernel("a, n, b, C: constexpr, p")
    a, b = described(), described(shape=[5], strides=[1], block_shape=[8])
    kernel[1](a, 7, b, 5, 2**40)
    assert kernel.types == ("tensordesc<fp32[4, 2]>", "i32", "tensordesc<fp32[8]>", None, "i64")
    addresses = a.base.ctypes.data, b.base.ctypes.data
    assert kernel.slots() == [addresses[0], 7, addresses[1], 2**40, 6, 8, 8, 5]


def test_the_type_has_what_code_depends_on(make_kernel):
    kernel = make_kernel("x")
    x = described()
    kernel[1](x)
    kernel[1](described(shape=[100, 4], strides=[-4, 1]))
    kernel[1](described(block_shape=(2, 4)))
    kernel[1](described(padding="nan"))
    kernel[1](described(shape=[2**31, 8]))
    kernel[1](described(shape=np.array([3, 4])))
    x.base.flags.writeable = False
    kernel[1](x)
    kernel[1](described(base=x.base.view(np.int16)))
    assert [types[0] for _, _, types, *_ in kernel.compiled] == [
        "tensordesc<fp32[4, 2]>",
        "tensordesc<fp32[2, 4]>",
        "tensordesc<fp32[4, 2], nan>",
        "tensordesc<fp32[4, 2], i64>",
        "tensordesc<kfp32[4, 2]>",
        "tensordesc<ki16[4, 2]>",
    ]


def test_the_last_extent_is_specialised_on(make_kernel):
    kernel = make_kernel("n, x, y!")
    for extent in (8, 4, 7, 1, 12, 6):
        kernel[1](3, described(shape=[6, extent]), described(shape=[6, extent]))
    assert [special for *_, special in kernel.compiled] == [("", "4", ""), ("", "", "")]


def test_many_arguments(make_kernel):
    names = [f"x{number}" for number in range(40)]
    kernel = make_kernel(", ".join(names))
    kernel[1](*([5] * 39), described())
    assert kernel.slots()[:39] == [5] * 39 and kernel.slots()[40:] == [6, 8, 8]


@pytest.mark.parametrize(
    "changes, kind, expected",
    [
        ({"base": 5}, TypeError, "whose base must be an array, got int"),
        ({"shape": 5}, TypeError, "whose shape must be a list of ints, got 5"),
        ({"strides": [8.0, 1]}, TypeError, "whose strides must have ints of 64 bits, got 8.0"),
        ({"shape": [2**63, 1]}, TypeError, f"whose shape must have ints of 64 bits, got {2**63}"),
        ({"shape": []}, ValueError, "whose shape must have 1 to 5 elements, got 0"),
        ({"strides": [4] * 6}, ValueError, "whose strides must have 1 to 5 elements, got 6"),
        (
            {"block_shape": [4]},
            ValueError,
            "of 2 extents, 2 strides and a block_shape of 1: expected as many of each",
        ),
        ({"strides": [8, 2]}, ValueError, "whose last stride must be 1, got 2"),
        (
            {"strides": [6, 1]},
            ValueError,
            "whose strides must be multiples of 16 bytes, got one of 6 elements of 4",
        ),
        ({"block_shape": [4, 6]}, ValueError, "whose block_shape must have powers of two, got 6"),
        ({"block_shape": [0, 2]}, ValueError, "whose block_shape must have powers of two, got 0"),
        ({"padding": "one"}, ValueError, "whose padding must be 'zero' or 'nan', got 'one'"),
        (
            {"base": described().base[1:]},
            ValueError,
            "whose address must be a multiple of 16",
        ),
    ],
)
def test_changes_that_a_launch_refuses(make_kernel, changes, kind, expected):
    kernel = make_kernel("n, x", name="dropout")
    with pytest.raises(kind) as caught:
        kernel[1](1, described(**changes))
    assert str(caught.value) == f"kernel 'dropout': argument 'x' is a tensor descriptor {expected}"


def test_an_attribute_that_is_gone(make_kernel):
    x = described()
    del x.shape
    with pytest.raises(AttributeError, match="shape"):
        make_kernel("x")[1](x)


def test_subclasses_are_descriptors(make_kernel):
    class Own(eft.TensorDescriptor):
        pass

    kernel = make_kernel("x")
    kernel[1](Own(described().base, [4, 4], [4, 1], [2, 2]))
    assert kernel.types == ("tensordesc<fp32[2, 2]>",)
