# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of autotuning: wrong options, and configurations that cannot run."""

import logging

import eft
import eft.language as tl
import numpy as np
import pytest
from eft import Config
from eft.errors import AutotunerError
from tuned_kernels import LARGE, SMALL, fill, grid, trouble, tuned, zeros


def test_a_configuration_without_a_dict():
    with pytest.raises(TypeError) as raised:
        Config(["M"])
    assert str(raised.value) == (
        "a configuration's kwargs must be a dict of meta-parameters, got ['M']"
    )


def test_a_configuration_that_cannot_be_compiled_is_left_out(device, caplog):
    caplog.set_level(logging.INFO, logger="eft")
    kernel = tuned(configs=[Config({"BLOCK": 100}), LARGE, SMALL])
    x = zeros(device)
    kernel[grid](x, 100, 3.0)
    assert device.get(x).tolist() == [3.0] * 100
    left_out, *others = kernel.configs_timings.values()
    assert left_out == [float("inf")] * 3 and all(0 < each[0] < 1e6 for each in others)
    reason = "a block's extent must be a power of two, got arange(0, 100) of 100"
    assert kernel.left_out == {kernel.configs[0]: reason}
    messages = [each.message for each in caplog.records if "autotun" in each.message]
    assert messages[0] == (
        "autotuning fill left out BLOCK: 100, num_warps: 4, num_ctas: 1, num_stages: 3, maxnreg: "
        f"None: {reason}"
    )
    assert messages[1].startswith("autotuned fill for (100, ")
    assert messages[1].endswith(f" s: of 3 configurations {kernel.best_config}")


def test_a_configuration_that_cannot_be_launched_is_left_out(device):
    kernel = tuned(configs=[SMALL, LARGE])
    kernel[lambda meta: (2**31 if meta["BLOCK"] == 16 else 2,)](zeros(device), 100, 3.0)
    assert kernel.best_config == LARGE
    assert "has 2147483648 programs in x, expected 0 to" in kernel.left_out[SMALL]


def test_if_none_can_run_each_reason_is_listed(device):
    kernel = tuned(configs=[Config({"BLOCK": 100}), Config({"BLOCK": 10})])
    with pytest.raises(AutotunerError) as raised:
        kernel[grid](zeros(device), 100, 1.0)
    options = "num_warps: 4, num_ctas: 1, num_stages: 3, maxnreg: None"
    assert str(raised.value) == (
        "none of the 2 configurations of 'fill' can run:\n"
        f"  BLOCK: 100, {options}: a block's extent must be a power of two, got arange(0, 100) of "
        "100\n"
        f"  BLOCK: 10, {options}: a block's extent must be a power of two, got arange(0, 10) of 10"
    )


def test_a_mistake_of_the_kernel_is_its_own(device):
    def kernel(x_ptr, n, BLOCK: tl.constexpr):
        tl.store(x_ptr, undefined)  # noqa: F821

    kernel = tuned(kernel)
    with pytest.raises(eft.CompilationError) as raised:
        kernel[grid](zeros(device), 100)
    assert raised.value.message.startswith("'undefined' is not defined")


def test_arguments_that_do_not_fit_are_an_error_before_anything_runs(device):
    kernel = tuned(pre_hook=trouble)
    with pytest.raises(TypeError) as raised:
        kernel[grid](zeros(device), 100)
    assert str(raised.value) == "fill() missing 1 required positional argument: 'value'"
    for wrong, text in (
        (Config({"BLOCK": 16, "BLOK": 1}), "fill() got an unexpected keyword argument 'BLOK'"),
        (Config({"BLOCK": 16}, num_warps=3), "kernel 'fill': option 'num_warps' must be a power"),
    ):
        for configs in ([wrong, LARGE], [LARGE, wrong]):
            with pytest.raises(TypeError) as raised:
                tuned(configs=configs, pre_hook=trouble)[grid](zeros(device), 100, 1.0)
            assert str(raised.value).startswith(text)


def test_while_a_graph_is_captured_nothing_is_measured(device, monkeypatch):
    kernel = tuned()
    x = zeros(device)
    place = eft.JITFunction.place
    monkeypatch.setattr(
        eft.JITFunction, "place", lambda *args, **kwargs: (place(*args, **kwargs)[0], True)
    )
    with pytest.raises(AutotunerError) as raised:
        kernel[grid](x, 100, 1.0)
    key = "(100, float32, cpu)" if device.name == "cpu" else "(100, torch.float32, cuda:0)"
    assert str(raised.value) == (
        f"'fill' has no configuration yet for {key}, and can't be measured while a CUDA graph is "
        "being captured: run it once before"
    )
    monkeypatch.undo()
    kernel[grid](x, 100, 1.0)
    monkeypatch.setattr(eft.JITFunction, "place", trouble)
    kernel[grid](x, 100, 1.0)  # this needs no measurement: the choice is known


WRONG = {
    "reset_to_zero": (
        {"reset_to_zero": ["x_prt"]},
        ValueError,
        "reset_to_zero contains names that are not kernel arguments: x_prt: did you mean 'x_ptr'?; "
        "expected some of x_ptr, n, value, BLOCK",
    ),
    "restore_value": (
        {"restore_value": "x_ptr"},
        TypeError,
        "restore_value must be a list of the names of arguments, got 'x_ptr'",
    ),
    "configs": (
        {"configs": [SMALL, {"BLOCK": 16}]},
        TypeError,
        "configs[1] must be an eft.Config, got {'BLOCK': 16}",
    ),
    "a number as the key": (
        {"key": [1]},
        TypeError,
        "key must be a list of the names of arguments, got [1]",
    ),
    "a number in place of names": (
        {"reset_to_zero": 1},
        TypeError,
        "reset_to_zero must be a list of the names of arguments, got 1",
    ),
    "a function in place of prune_configs_by": (
        {"prune_configs_by": len},
        TypeError,
        "prune_configs_by must be a dict, got <built-in function len>",
    ),
    "prune_configs_by": (
        {"prune_configs_by": {"topk": 1}},
        ValueError,
        "prune_configs_by takes early_config_prune, perf_model and top_k, got 'topk'",
    ),
}


@pytest.mark.parametrize("options, kind, text", WRONG.values(), ids=WRONG)
def test_a_wrong_option(options, kind, text):
    with pytest.raises(kind) as raised:
        tuned(**options)
    assert str(raised.value) == text


def test_a_key_that_no_parameter_has_is_ignored(device):
    with pytest.warns(UserWarning) as warned:
        kernel = tuned(key=["m", "n", "blok"])
    (warning,) = warned
    assert str(warning.message) == (
        "'fill': key contains names that are not kernel arguments: m, blok; expected some of "
        "x_ptr, n, value, BLOCK"
    )
    code = fill.__code__
    assert (warning.filename, warning.lineno) == (code.co_filename, code.co_firstlineno)
    for n in (100, 50, 100):
        kernel[grid](zeros(device), n, 1.0)
    assert [key[0] for key in kernel.cache] == [100, 50]


def test_one_configuration_in_place_of_a_list():
    with pytest.raises(TypeError) as raised:
        eft.autotune(SMALL, ["n"])(eft.jit(fill))
    assert str(raised.value) == f"configs must be a list of eft.Config, got {SMALL!r}"


@pytest.mark.parametrize("option", ["restore_value", "reset_to_zero"])
def test_a_number_cannot_be_restored(device, option):
    with pytest.raises(TypeError) as raised:
        tuned(**{option: ["n"]})[grid](zeros(device), 100, 1.0)
    assert str(raised.value) == f"{option} takes arrays, got n=100 for 'fill'"


def test_what_a_call_and_the_configurations_both_give(device):
    kernel = tuned()
    for call, name in (
        (lambda x: kernel[grid](x, 100, 1.0, BLOCK=16), "BLOCK"),
        (lambda x: kernel[grid](x, 100, 1.0, 16), "BLOCK"),
        (lambda x: kernel[grid](x, 100, 1.0, num_warps=8), "num_warps"),
    ):
        with pytest.raises(ValueError) as raised:
            call(zeros(device))
        assert str(raised.value) == (
            f"Conflicting meta-parameters: {name}. Both the call of 'fill' and its configurations "
            "give them; leave it to one"
        )


def test_a_configuration_with_code_of_its_own(device):
    kernel = tuned(configs=[SMALL, Config({"BLOCK": 64}, ir_override="fill.ptx")])
    with pytest.raises(NotImplementedError) as raised:
        kernel[grid](zeros(device), 100, 1.0)
    assert str(raised.value) == (
        "a configuration of 'fill' has ir_override='fill.ptx': Eft compiles kernels from their "
        "source only"
    )


def test_something_that_is_no_kernel():
    with pytest.raises(TypeError) as raised:
        eft.autotune([SMALL], [])(3)
    assert str(raised.value) == "expected a kernel, or a function that will be one, got 3"
    with pytest.raises(TypeError) as raised:
        eft.autotune([SMALL], [])(fill)[1](np.zeros(1))
    assert str(raised.value) == (
        "fill() is no kernel yet: put @eft.jit above or below the decorators that are there"
    )
    with pytest.raises(RuntimeError) as raised:
        tuned()()
    assert str(raised.value) == "fill() runs on a grid: call fill[grid](...)"
