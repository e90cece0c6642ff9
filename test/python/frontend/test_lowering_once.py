# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compile that finds nothing cached lowers a kernel once, and specializes the lowered IR."""

import eft
import eft.language as tl
import numpy as np
import pytest
from eft import _compiler, compiling, driver

C = tl.constexpr(77771)


@eft.jit
def strided(x_ptr, stride, SALT: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, 16) * stride, SALT)


@eft.jit
def reads_a_constant(x_ptr, stride):
    tl.store(x_ptr + stride, C)


@eft.jit
def mistaken(x_ptr, stride):
    tl.store(x_ptr + stride, missing)  # noqa: F821


@pytest.fixture
def lowered(monkeypatch):
    """A list to which each lowering adds the name of its kernel."""
    names, lower = [], compiling._lower

    def counting(function, *args, **kwargs):
        names.append(function.__name__)
        return lower(function, *args, **kwargs)

    monkeypatch.setattr(compiling, "_lower", counting)
    return names


def test_a_launch_lowers_once_for_each_variant(lowered):
    x = np.zeros(256, np.int32)
    for stride, count in ((1, 1), (16, 2), (3, 3), (5, 3)):
        x[:] = 0
        strided[(1,)](x, stride, SALT=2)
        assert np.flatnonzero(x).tolist() == list(range(0, 16 * stride, stride))
        assert len(lowered) == count


def test_a_warmup_lowers_once(lowered):
    strided.warmup(tl.pointer_type(tl.int32), 16, SALT=3, target="cuda:90")
    assert lowered == ["strided"]


def test_a_mistake_is_found_once(lowered):
    with pytest.raises(eft.CompilationError, match="'missing' is not defined"):
        mistaken[(1,)](np.zeros(4, np.int32), 1)
    assert lowered == ["mistaken"]


def test_what_was_lowered_before_a_constant_changed_is_not_compiled(monkeypatch, lowered):
    facts = ("cuda:90", ("*i32", "i32"), {}, {"num_warps": 4})
    _, before = driver.address_parameters(reads_a_constant, *facts)
    monkeypatch.setitem(globals(), "C", tl.constexpr(77773))
    variant = driver.Variant(*facts, ("16", ""))
    code = driver.compile_variant(reads_a_constant, variant, None, before)
    assert b"77773" in code.binary and len(lowered) == 2


@pytest.mark.parametrize(
    "specials, message",
    [
        ([16], "a kernel of 2 arguments needs as many facts, got 1"),
        ([1, 0], "only an integer can be known to equal 1"),
    ],
)
def test_facts_that_do_not_fit(specials, message):
    module = _compiler.Context().parse("func.func @f(%x: !eft.ptr<f32>, %n: i32) { return }")
    with pytest.raises(ValueError) as raised:
        _compiler.specialize(module, specials)
    assert str(raised.value) == message


def test_facts_of_a_module_without_a_kernel():
    with pytest.raises(ValueError) as raised:
        _compiler.specialize(_compiler.Context().module(), [])
    assert str(raised.value) == "the module has no kernel"
