# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attributes of a kernel that programs read, and the hooks that programs install."""

import copy
import inspect
import json
import pickle

import eft
import eft.language as tl
import numpy as np
import pytest
from eft import _runtime, hooks

SCALE = tl.constexpr(2)


@eft.jit
def helper(x):
    return x * SCALE


@eft.jit(do_not_specialize=["n"], version=3)
def fills(
    x_ptr: "*fp32",  # noqa: F722
    n,
    value: tl.float64 = 0.5,
    src: tl.const = None,
    flag: tl.int1 = True,
    BLOCK: tl.constexpr = 8,
):
    """Fills."""
    i = tl.arange(0, BLOCK)
    tl.store(x_ptr + i, helper(value), mask=i < n)


def result(kernel, n: int, *args, **kwargs) -> list[float]:
    x = np.zeros(8, np.float32)
    kernel[(1,)](x, n, *args, **kwargs)
    return x.tolist()


def copy_of(kernel):
    """A new kernel object of the same function, without compiled variants."""
    return eft.JITFunction(kernel)


def test_parameters_have_tritons_facts():
    facts = [
        (each.num, each.name, each.annotation, each.annotation_type, each.is_constexpr)
        for each in fills.params
    ]
    assert facts == [
        (0, "x_ptr", "*fp32", "*fp32", False),
        (1, "n", "", "", False),
        (2, "value", "fp64", "fp64", False),
        (3, "src", "const", "", False),
        (4, "flag", "u1", "u1", False),
        (5, "BLOCK", "constexpr", "", True),
    ]
    assert [each.has_default for each in fills.params] == [False, False, True, True, True, True]
    assert fills.params[0].default is inspect.Parameter.empty
    assert fills.params[5].default == 8
    assert [each.is_const for each in fills.params] == [False, False, False, True, False, False]
    assert [each.do_not_specialize for each in fills.params][:2] == [False, True]
    assert repr(fills.params[1]) == "KernelParam(1, 'n')"


def test_facts_about_the_function():
    assert fills.constexprs == [5]
    assert list(fills.signature.parameters) == fills.arg_names
    assert fills.__globals__ is globals()
    assert fills.module == __name__
    assert fills.repr() == f"{__name__}.fills"
    assert (fills.version, fills.do_not_specialize, fills.is_gluon()) == (3, ["n"], False)
    lines, start = inspect.getsourcelines(fills.fn)
    assert (fills.raw_src, fills.starting_line_number) == (lines, start)
    assert fills.src == "".join(lines[1:])
    assert fills.parse().body[0].name == "fills"
    assert fills.get_capture_scope()["SCALE"] is SCALE


def test_an_indented_kernel_has_its_source_without_indentation():
    @eft.jit
    def inner(x_ptr):
        tl.store(x_ptr, 1)

    assert inner.src == "def inner(x_ptr):\n    tl.store(x_ptr, 1)\n"
    assert inner.get_capture_scope()["tl"] is tl


def test_a_kernel_without_a_function_is_pickled_with_its_parameters():
    kernel = copy_of(fills)
    kernel.fn = kernel.__globals__ = kernel.used_global_vals = None
    again = pickle.loads(pickle.dumps(kernel))
    assert (again.fn, again.__globals__, again.used_global_vals) == (None, None, None)
    assert (again.arg_names, again.constexprs) == (fills.arg_names, fills.constexprs)
    assert (again.__name__, again.module, again.__doc__) == ("fills", __name__, "Fills.")
    assert [each.is_constexpr for each in again.params] == [False] * 5 + [True]
    assert again.parameters[0].default is _runtime.MISSING
    assert [vars(each) for each in again.parameters][1:] == [
        vars(each) for each in kernel.parameters
    ][1:]
    with pytest.raises(RuntimeError) as raised:
        again[1](np.zeros(8, np.float32), 8)
    assert str(raised.value) == (
        "fills() came from another process without its function: it has no source, and can't be "
        "compiled"
    )


def test_a_kernel_of_a_kernel_is_of_its_function():
    again = eft.jit(eft.jit(fills))
    assert again.fn is fills.fn
    assert result(again, 2) == [1, 1, 0, 0, 0, 0, 0, 0]


def test_the_hash_depends_on_what_the_kernel_reads(monkeypatch):
    kernel, other = copy_of(fills), copy_of(fills)
    assert kernel.hash is None
    key = kernel.cache_key
    assert len(key) == 64 and kernel.hash == key == other.cache_key
    monkeypatch.setitem(globals(), "SCALE", tl.constexpr(4))
    assert copy_of(fills).cache_key != key


def test_constants_that_a_kernel_was_compiled_with():
    kernel = copy_of(fills)
    assert kernel.used_global_vals == {}
    result(kernel, 1)
    key = ("SCALE", id(globals()))
    assert kernel.used_global_vals == {key: (2, globals())}


def test_a_kernel_gets_another_source():
    kernel = copy_of(fills)
    assert result(kernel, 2)[:3] == [1, 1, 0]
    before = kernel.cache_key
    kernel.src = kernel.src.replace("helper(value)", "helper(value) + 1")
    assert result(kernel, 2)[:3] == [2, 2, 0]
    assert kernel.cache_key != before
    kernel._unsafe_update_src(kernel.src.replace("+ 1", "+ SCALE"))
    assert result(kernel, 2)[:3] == [3, 3, 0]
    assert kernel.used_global_vals
    assert kernel.raw_src == fills.raw_src
    assert result(fills, 2)[:3] == [1, 1, 0]


def test_a_caller_keeps_the_source_that_it_was_compiled_with():
    inner = eft.JITFunction(helper)
    names = {"helper": inner, "tl": tl, "SCALE": SCALE}
    kernel = eft.JITFunction(
        type(fills.fn)(fills.fn.__code__, names, "fills", (0.5, None, True, 8))
    )
    kernel.fn.__annotations__ = dict(fills.fn.__annotations__)
    kernel = eft.JITFunction(kernel)
    assert result(kernel, 1)[0] == 1
    inner.src = "def helper(x):\n    return x * 10\n"
    assert result(kernel, 1)[0] == 1
    kernel.hash = None
    assert result(kernel, 1)[0] == 5


@pytest.mark.parametrize(
    "text, message",
    [
        (
            "def fills(x_ptr): pass",
            "<new source of fills>:1: the new source of 'fills' must define fills(x_ptr, n, value, "
            "src, flag, BLOCK), got fills(x_ptr)",
        ),
        (
            "x = 1",
            "<new source of fills>:1: the new source of 'fills' must define fills(x_ptr, n, value, "
            "src, flag, BLOCK)",
        ),
        (
            "@triton.jit\ndef fills(x_ptr, n, value, src, flag, BLOCK):\n    tl.stoer(x_ptr, n)\n",
            "<new source of fills>:3:5: 'tl' has no attribute 'stoer': did you mean 'tl.store'?\n"
            "    tl.stoer(x_ptr, n)\n    ^",
        ),
    ],
)
def test_mistakes_in_another_source(text, message):
    kernel = copy_of(fills)
    kernel.src = text
    with pytest.raises(eft.CompilationError) as raised:
        result(kernel, 1)
    assert str(raised.value) == message


def test_a_source_that_is_no_text():
    with pytest.raises(TypeError, match="^src must be a str, got 3$"):
        copy_of(fills).src = 3


def test_hooks_before_a_launch():
    kernel, calls = copy_of(fills), []
    kernel.add_pre_run_hook(lambda *args, **kwargs: calls.append((args[1:], kwargs)))
    assert result(kernel, 1, BLOCK=4, num_warps=2)[0] == 1
    assert calls == [((1,), {"BLOCK": 4, "num_warps": 2})]
    with pytest.raises(TypeError, match="^a hook must be a function, got 3$"):
        kernel.add_pre_run_hook(3)


def test_a_subclass_launches_by_its_own_method():
    class Counts(eft.JITFunction):
        launches = 0

        def run(self, *args, grid, warmup, **kwargs):
            self.launches += 1
            return super().run(*args, grid=grid, warmup=warmup, **kwargs)

    kernel = Counts(fills)
    assert result(kernel, 1)[0] == 1
    assert kernel.launches == 1
    assert isinstance(kernel.run(np.zeros(8, np.float32), 1, grid=None, warmup=True), object)


def test_an_interface_of_ones_own():
    class Twice(eft.KernelInterface):
        def __init__(self, fn):
            self.fn = fn

        def run(self, *args, **kwargs):
            self.fn.run(*args, **kwargs)
            return self.fn.run(*args, **kwargs)

    calls = []
    kernel = copy_of(fills)
    kernel.add_pre_run_hook(lambda *args, **kwargs: calls.append(args[1]))
    assert result(Twice(kernel), 2)[:3] == [1, 1, 0]
    assert calls == [2, 2]
    assert Twice(kernel).warmup(np.zeros(8, np.float32), 2).name == "fills"
    assert isinstance(kernel, eft.KernelInterface)
    assert eft.KernelInterface[int].__origin__ is eft.KernelInterface
    with pytest.raises(NotImplementedError, match="^KernelInterface has no method run$"):
        eft.KernelInterface()[1]()


def test_hooks_around_every_launch():
    kernel = eft.jit(
        fills, launch_metadata=lambda grid, metadata, args: {"n": args["n"], "g": grid}
    )
    seen = []

    def enter(metadata):
        seen.append(metadata.get())

    hooks.set_launch_hooks(enter, lambda metadata: seen.append("left"))
    try:
        assert result(kernel, 3)[:4] == [1, 1, 1, 0]
        kernel[lambda meta: (1,)](np.zeros(8, np.float32), 1)
    finally:
        hooks.set_launch_hooks(None, None)
    result(kernel, 3)
    assert [each if each == "left" else (each["name"], each["n"], each["g"]) for each in seen] == [
        ("fills", 3, (1,)), "left", ("fills", 1, (1,)), "left"
    ]  # fmt: skip
    assert seen[0]["function"].metadata.name == "fills" and seen[0]["stream"] == 0


def test_hooks_around_a_compile_and_preloading(monkeypatch):
    seen = []
    monkeypatch.setattr(hooks, "before_compile", lambda **kwargs: seen.append(kwargs))
    monkeypatch.setattr(hooks, "after_compile", lambda **kwargs: seen.append(kwargs))
    kernel = copy_of(fills)
    result(kernel, 2, num_warps=2, BLOCK=4)
    result(kernel, 3, num_warps=2, BLOCK=4)  # compiled already, so no hook runs
    before, after = seen
    assert before["repr"] == (
        "fills[num_warps=2](x_ptr: *fp32, n: i32, value: fp64, src: constexpr, flag: i1, "
        "BLOCK: constexpr)"
    )
    assert (after["fn"].module, after["fn"].name) == (__name__, f"{__name__}.fills")
    assert after["fn"].jit_function is kernel
    compiled = after["compile"]
    assert (compiled["device"], compiled["constants"]["BLOCK"]) == (-1, 4)

    again = copy_of(fills)
    loaded = again.preload(compiled["specialization_data"])
    ((kernels, *_),) = kernel.device_caches.values()
    assert loaded.asm["ir"] == kernels.popitem()[1].asm["ir"]
    wrong = json.dumps({**json.loads(compiled["specialization_data"]), "name": "other.kernel"})
    with pytest.raises(RuntimeError) as raised:
        again.preload(wrong)
    assert str(raised.value) == (
        f"specialization_data must be of {__name__}.fills, got that of other.kernel"
    )


def test_a_hook_before_a_compile_may_change_a_constant(monkeypatch):
    """The change counts even if the disk cache has code that was compiled with the old constant."""
    assert result(copy_of(fills), 3)[:4] == [1, 1, 1, 0]

    def change(**kwargs):
        monkeypatch.setitem(globals(), "SCALE", tl.constexpr(4))

    monkeypatch.setattr(hooks, "before_compile", change)
    kernel = copy_of(fills)
    assert result(kernel, 3)[:4] == [2, 2, 2, 0]
    assert result(kernel, 3, BLOCK=4)[:4] == [2, 2, 2, 0]


def test_copies_and_pickles_of_code():
    code = fills.warmup(tl.float32, 3, target="cuda:90")
    assert copy.copy(code).asm["ir"] == code.asm["ir"]
    again = pickle.loads(pickle.dumps(code))
    assert (again.metadata, again.binary) == (code.metadata, code.binary)
    assert list(again.asm) == ["ptx"]


def test_what_was_compiled_can_be_counted_and_forgotten():
    kernel = copy_of(fills)
    assert not kernel.device_caches
    result(kernel, 1)
    result(kernel, 1, BLOCK=4)
    (caches,) = kernel.device_caches.values()
    assert len(caches[0]) == 2 and {each.name for each in caches[0].values()} == {"fills"}
    kernel.device_caches.clear()
    assert not kernel.device_caches
    result(kernel, 1)
    assert len(kernel.compiled[-1]) == 1


def test_a_binder_takes_a_launch_apart():
    kernels, _, target, backend, binder = fills.create_binder()
    x = np.zeros(32, np.float32)
    bound, specialization, options = binder(x, 16, BLOCK=4, num_warps=8)
    assert list(bound) == fills.arg_names and bound["n"] == 16 and bound["BLOCK"] == 4
    words = [kind for kind, _ in specialization]
    assert words == ["*fp32", "i32", "fp64", "constexpr", "i1", "constexpr"]
    assert specialization[5] == ("constexpr", 4)
    assert options.num_warps == 8
    with pytest.raises(TypeError, match="missing the argument 'n'"):
        binder(x)


def test_values_that_can_not_be_preloaded(monkeypatch):
    seen = []
    monkeypatch.setattr(hooks, "after_compile", lambda **kwargs: seen.append(kwargs["key"]))

    @eft.jit
    def kernel(x_ptr, WHAT: tl.constexpr):
        tl.store(x_ptr, 1)

    for what, shown in ((1 << 20000, "~2**20000"), (helper, "'helper'")):
        kernel[(1,)](np.zeros(1, np.float32), WHAT=what)
        with pytest.raises(RuntimeError) as raised:
            kernel.preload(seen[-1])
        assert str(raised.value) == f"a kernel can't be preloaded for the constexpr value {shown}"
    kernel[(1,)](np.zeros(1, np.float32), WHAT=(tl.float32, 2))
    assert kernel.preload(seen[-1]).name == "kernel"
