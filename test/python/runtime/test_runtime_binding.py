# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The binding of a call's arguments to the kernel's parameters."""

import eft._runtime as runtime
import pytest


def error(call):
    with pytest.raises(TypeError) as caught:
        call()
    return str(caught.value)


def test_positional_and_keyword_arguments_and_defaults(make_kernel):
    kernel = make_kernel("a, b, c=7, d=8")
    kernel[1](1, 2)
    assert kernel.slots() == [1, 2, 7, 8]
    kernel[1](1, b=3, d=4)
    assert kernel.slots() == [1, 3, 7, 4]
    kernel[1](d=1, c=2, b=3, a=4)
    assert kernel.slots() == [4, 3, 2, 1]
    kernel[1](*(1, 2), **{"c": 5})
    assert kernel.slots() == [1, 2, 5, 8]


def test_options_that_are_read_for_a_compile():
    assert runtime.read_options("dropout", {"maxnreg": 64}) == {"num_warps": 4, "maxnreg": 64}
    found = error(lambda: runtime.read_options("dropout", {"num_warp": 8}))
    assert found == "kernel 'dropout' has no option 'num_warp'"


def test_keyword_names_need_not_be_interned(make_kernel):
    kernel = make_kernel("argument")
    kernel[1](**{"".join(["argu", "ment"]): 5})
    assert kernel.slots() == [5]


def test_a_kernel_without_parameters(make_kernel):
    kernel = make_kernel("")
    kernel[3]()
    assert kernel.compiled[0][2:] == ((), {}, {"num_warps": 4}, ())


def test_more_parameters_than_the_stack_has_room_for(make_kernel):
    kernel = make_kernel(", ".join(f"a{i}" for i in range(60)))
    kernel[1](*range(60))
    assert kernel.slots() == list(range(60))


def test_missing_arguments(make_kernel):
    kernel = make_kernel("x, y, z, p=1", name="dropout")
    assert error(lambda: kernel[1](1, 2)) == (
        "dropout() missing 1 required positional argument: 'z'"
    )
    assert error(lambda: kernel[1](y=1)) == (
        "dropout() missing 2 required positional arguments: 'x' and 'z'"
    )
    assert error(lambda: kernel[1]()) == (
        "dropout() missing 3 required positional arguments: 'x', 'y', and 'z'"
    )


def test_too_many_arguments(make_kernel):
    assert error(lambda: make_kernel("x, y")[1](1, 2, 3)) == (
        "kernel() takes 2 positional arguments but 3 were given"
    )
    assert error(lambda: make_kernel("x, y=1")[1](1, 2, 3)) == (
        "kernel() takes from 1 to 2 positional arguments but 3 were given"
    )
    assert error(lambda: make_kernel("")[1](1)) == (
        "kernel() takes 0 positional arguments but 1 was given"
    )


def test_duplicate_and_unknown_arguments(make_kernel):
    kernel = make_kernel("x, y=0")
    assert error(lambda: kernel[1](1, x=2)) == "kernel() got multiple values for argument 'x'"
    assert error(lambda: kernel[1](1, num_warp=2)) == (
        "kernel() got an unexpected keyword argument 'num_warp'; the options are num_warps, "
        "num_stages, num_ctas, maxnreg and debug"
    )


def test_options_reach_the_compiler(make_kernel):
    kernel = make_kernel("x")
    kernel[1](1)
    kernel[1](1, num_warps=8, num_stages=2, num_ctas=1, maxnreg=64, debug=True)
    kernel[1](1, num_warps=None, maxnreg=None)
    assert [options for *_, options, _ in kernel.compiled] == [
        {"num_warps": 4},
        {"num_warps": 8, "num_stages": 2, "num_ctas": 1, "maxnreg": 64, "debug": True},
    ]


def test_options_without_effect(make_kernel):
    kernel = make_kernel("x")
    for option, value in (
        ("enable_fp_fusion", False),
        ("enable_reflect_ftz", True),
        ("launch_pdl", True),
        ("launch_cooperative_grid", False),
        ("sanitize_overflow", True),
        ("instrumentation_mode", ""),
        ("cluster_dims", (1, 1, 1)),
        ("extern_libs", {}),
        ("ptx_options", None),
        ("warp_size", 32),
    ):
        kernel[1](1, **{option: value})
    assert [options for *_, options, _ in kernel.compiled] == [{"num_warps": 4}]


def test_programs_need_not_run_at_the_same_time(make_kernel):
    with pytest.raises(NotImplementedError) as raised:
        make_kernel("x")[1](1, launch_cooperative_grid=True)
    assert str(raised.value) == (
        "kernel 'kernel': option 'launch_cooperative_grid' must be False: the programs of a launch "
        "need not run at the same time"
    )


@pytest.mark.parametrize(
    "option, value, expected",
    [
        ("num_warps", 3, "a power of two from 1 to 32, got 3"),
        ("num_warps", 64, "a power of two from 1 to 32, got 64"),
        ("num_warps", 0, "a power of two from 1 to 32, got 0"),
        ("num_warps", 4.0, "a power of two from 1 to 32, got 4.0"),
        ("num_warps", True, "a power of two from 1 to 32, got True"),
        ("num_warps", 2**70, f"a power of two from 1 to 32, got {2**70}"),
        ("num_stages", -1, "an int from 0 to 1000, got -1"),
        ("num_ctas", 0, "an int from 1 to 16, got 0"),
        ("maxnreg", 256, "an int from 1 to 255, or None, got 256"),
        ("maxnreg", 0, "an int from 1 to 255, or None, got 0"),
        ("maxnreg", True, "an int from 1 to 255, or None, got True"),
        ("maxnreg", "64", "an int from 1 to 255, or None, got '64'"),
        ("debug", "yes", "a bool, got 'yes'"),
        ("debug", 2, "a bool, got 2"),
    ],
)
def test_wrong_options(make_kernel, option, value, expected):
    kernel = make_kernel("x", name="dropout")
    assert error(lambda: kernel[1](1, **{option: value})) == (
        f"kernel 'dropout': option '{option}' must be {expected}"
    )


def test_a_kernel_may_have_an_option_as_its_own_constexpr(make_kernel):
    kernel = make_kernel("x, num_warps: constexpr")
    kernel[1](1, num_warps=2)
    assert kernel.compiled[0][3:5] == ({"num_warps": 2}, {"num_warps": 2})


def test_warmup_compiles_and_does_not_launch(make_kernel, library):
    kernel = make_kernel("x, n=3")
    loaded = kernel.warmup(7, grid=(1,), num_warps=2)
    assert isinstance(loaded, runtime.LoadedKernel)
    assert kernel.compiled[0][4] == {"num_warps": 2}
    assert kernel[1](7, num_warps=2) is loaded
    assert len(kernel.compiled) == 1
    assert "unexpected keyword argument 'grid'" in error(lambda: kernel[1](7, grid=(1,)))


def test_a_subclass_that_forgets_the_base():
    class Forgetful(runtime.KernelBase):
        def __init__(self):
            pass

    for use in (lambda: Forgetful()[1], lambda: Forgetful().warmup()):
        with pytest.raises(RuntimeError) as caught:
            use()
        assert str(caught.value).endswith("Forgetful.__init__ did not call KernelBase.__init__")


def test_the_base_is_initialised_once():
    kernel = runtime.KernelBase("k", [])
    with pytest.raises(RuntimeError, match="KernelBase.__init__ must be called once"):
        kernel.__init__("k", [])


@pytest.mark.parametrize(
    "wrong, type_, message",
    [
        ([("a", 0, 1), ("a", 0, 1)], ValueError, "parameter 'a' of kernel 'k' appears twice"),
        (
            [("a", 3, 1)],
            ValueError,
            "parameter 'a' of kernel 'k' must be of kind 0, 1 or 2, got 3",
        ),
        ([5], TypeError, "a parameter must be a tuple (name, kind, default, type), got 5"),
        (5, TypeError, "the parameters must be a sequence of (name, kind, default, type)"),
    ],
)
def test_wrong_parameters(wrong, type_, message):
    with pytest.raises(type_) as caught:
        runtime.KernelBase("k", wrong)
    assert str(caught.value) == message
