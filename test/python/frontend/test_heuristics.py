# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`eft.heuristics`, and the order of the decorators of a kernel."""

import eft
import eft.language as tl
import pytest
from eft import Config
from eft.tuning import Autotuner
from tuned_kernels import LARGE, SMALL, Bench, Trouble, fill, grid, trouble, zeros


def even(x_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(x_ptr + offsets, 1.0)
    else:
        tl.store(x_ptr + offsets, 2.0, mask=offsets < n)


is_even = eft.heuristics({"EVEN": lambda given: given["n"] % given.get("BLOCK", 64) == 0})
by_block = eft.autotune([SMALL, LARGE], ["n"], do_bench=Bench(2.0, 1.0), cache_results=False)
ORDERS = {
    "autotune heuristics jit": (by_block, is_even, eft.jit),
    "heuristics autotune jit": (is_even, by_block, eft.jit),
    "jit autotune heuristics": (eft.jit, by_block, is_even),
    "autotune jit heuristics": (by_block, eft.jit(debug=False), is_even),
    "heuristics jit autotune": (is_even, eft.jit, by_block),
}


@pytest.mark.parametrize("decorators", ORDERS.values(), ids=ORDERS)
def test_decorators_in_any_order(device, decorators):
    kernel = even
    for decorator in reversed(decorators):
        kernel = decorator(kernel)
    for n, written in ((128, [1.0] * 128), (100, [2.0] * 100 + [0.0] * 28)):
        x = zeros(device, 128)
        kernel[lambda meta: (eft.cdiv(meta["n"], meta["BLOCK"]),)](x, n)
        assert device.get(x).tolist() == written
    assert kernel.base_fn is even
    assert kernel.arg_names == ["x_ptr", "n", "BLOCK", "EVEN"]
    assert (kernel.__name__, kernel.__module__) == ("even", __name__)


def test_a_heuristic_may_be_part_of_the_key(device):
    @eft.heuristics({"EVEN": lambda given: given["n"] % 2 == 0})
    @eft.autotune([SMALL, LARGE], ["EVEN"], do_bench=Bench(2.0, 1.0), cache_results=False)
    @eft.jit
    def kernel(x_ptr, n, EVEN: tl.constexpr, BLOCK: tl.constexpr):
        tl.store(x_ptr, n)

    for n in (2, 3, 4):
        kernel[1](zeros(device), n)
    assert [key[0] for key in kernel.fn.cache] == [True, False]


def test_heuristics_see_each_other_and_the_configuration(device):
    @eft.heuristics(
        {
            "HALF": lambda given: given["n"] // 2,
            "QUARTER": lambda given: given["HALF"] // 2,
            "num_warps": lambda given: 8 if given["HALF"] > 4 else 1,
        }
    )
    @eft.jit
    def kernel(x_ptr, n, HALF: tl.constexpr, QUARTER: tl.constexpr):
        tl.store(x_ptr, HALF * 100 + QUARTER)

    x = zeros(device)
    assert kernel[1](x, 16).metadata.num_warps == 8
    assert device.get(x)[0] == 804
    assert kernel.run(x, 8, grid=(1,)).metadata.num_warps == 1
    assert kernel.warmup(x, 8, grid=(1,)).metadata.num_warps == 1
    assert repr(kernel) == f"<Heuristics of {kernel.fn!r}>"


def test_a_heuristic_that_is_no_function():
    with pytest.raises(TypeError) as raised:
        eft.heuristics({"EVEN": True})(eft.jit(even))
    assert str(raised.value) == (
        "the heuristic for 'EVEN' must be a function of the arguments, got True"
    )


def test_heuristics_without_a_dict():
    with pytest.raises(TypeError) as raised:
        eft.heuristics(["EVEN"])(eft.jit(even))
    assert str(raised.value) == "heuristics takes a dict of functions by name, got ['EVEN']"


def test_an_exception_of_a_heuristic_goes_on(device):
    kernel = by_block(eft.heuristics({"EVEN": trouble})(eft.jit(even)))
    with pytest.raises(Trouble):
        kernel[grid](zeros(device), 100)


def test_an_autotuned_kernel_may_be_autotuned(device):
    def kernel(x_ptr, A: tl.constexpr, B: tl.constexpr):
        tl.store(x_ptr, A * 10 + B)

    inner = eft.autotune(
        [Config({"B": b}) for b in (1, 2)], [], do_bench=Bench(2.0, 1.0), cache_results=False
    )(eft.jit(kernel))
    outer = eft.autotune(
        [Config({"A": a}, None, None, None) for a in (3, 4)], [], do_bench=Bench(1.0, 2.0)
    )(inner)
    x = zeros(device)
    outer[1](x)
    assert device.get(x)[0] == 32


def test_options_of_a_jit_above_count():
    kernel = eft.jit(do_not_specialize=["n"])(eft.autotune([SMALL], [])(fill))
    assert isinstance(kernel, Autotuner)
    assert [each.specialize for each in kernel.fn.parameters[:2]] == [True, False]
