# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls that share a compiled kernel, and the facts that the runtime passes to the compiler."""

import gc
import os
import resource
import signal
import threading
import time
import weakref

import eft._runtime as runtime
import numpy as np
import pytest


def aligned(offset=0, dtype=np.float32):
    """An array whose address is `offset` elements after a multiple of 16 bytes."""
    x = np.zeros(64, dtype)
    skip = -(x.ctypes.data % -16) // x.itemsize if x.ctypes.data % 16 else 0
    return x[skip + offset :]


def test_the_compiler_is_told_everything(make_kernel):
    kernel = make_kernel("x, n, seed!, p, BLOCK: constexpr, y", address=[1, 2])
    kernel[1](aligned(), 32, 1, 0.5, 128, None, num_warps=2)
    types = ("*fp32", "i32", "i32", "fp32", None, None)
    constexprs = {"BLOCK": 128, "y": None}
    assert kernel.asked == [("cpu", types, constexprs, {"num_warps": 2})]
    assert kernel.compiled == [
        ("cpu", -1, types, constexprs, {"num_warps": 2}, ("16", "16", "", "", "", ""))
    ]


def test_the_same_call_again_compiles_nothing(make_kernel):
    kernel = make_kernel("x, n, BLOCK: constexpr")
    x = aligned()
    first = kernel[1](x, 5, 64)
    assert kernel[2](x, 99, 64) is first
    assert kernel[lambda meta: 3](aligned(), 1, BLOCK=64) is first
    assert len(kernel.asked) == len(kernel.compiled) == 1


def test_values_that_reach_no_address_never_compile_again(make_kernel):
    kernel = make_kernel("x, n, seed")
    for n in (0, 1, 16, 17, -16):
        kernel[1](aligned(), n, n)
    assert len(kernel.compiled) == 1
    assert kernel.specialization == ("16", "", "")


def test_values_that_reach_an_address_are_specialised(make_kernel):
    kernel = make_kernel("x, stride", address=[1])
    for stride in (1, 16, 17, 32, 0, 3, -16, 1):
        kernel[1](aligned(), stride)
    assert [special[1] for *_, special in kernel.compiled] == ["1", "16", ""]


def test_values_are_told_apart_by_their_divisors(make_kernel):
    kernel = make_kernel("x, stride, offset", address=[(1, 8, 2), (2, 4)])
    for value in (1, 16, 8, 4104, 4, 2, -6, 7, 0):
        kernel[1](aligned(), value, 3)
    assert [special[1] for *_, special in kernel.compiled] == ["1", "8", "2", ""]
    for value in (1, 16, 12, 2):
        kernel[1](aligned(), 3, value)
    assert [special[2] for *_, special in kernel.compiled[4:]] == ["1", "4"]


@pytest.mark.parametrize("one, sixteen", [(2**32 + 1, 2**32 + 16), (2**63 + 1, 2**63 + 16)])
def test_wide_integers_are_specialised_by_all_their_bits(make_kernel, one, sixteen):
    kernel = make_kernel("offset", address=[0])
    kernel[1](one)
    kernel[1](sixteen)
    assert [special for *_, special in kernel.compiled] == [("",), ("16",)]


def test_pointers_are_specialised_on_their_alignment(make_kernel):
    kernel = make_kernel("x, y!")
    for offset in (0, 1, 2, 4):
        kernel[1](aligned(offset), aligned(offset))
    assert [special for *_, special in kernel.compiled] == [("16", ""), ("", "")]


def test_floats_and_bools_are_never_specialised(make_kernel):
    kernel = make_kernel("p, b", address=[0, 1])
    kernel[1](1.0, True)
    kernel[1](16.0, False)
    assert [special for *_, special in kernel.compiled] == [("", "")]


def test_another_type_is_another_variant(make_kernel):
    kernel = make_kernel("x")
    for value in (1, 1.0, True, 2**40, 2**63, None, aligned(), aligned(dtype=np.int32)):
        kernel[1](value)
    types = [types[0] for _, _, types, *_ in kernel.compiled]
    assert types == ["i32", "fp32", "i1", "i64", "u64", None, "*fp32", "*i32"]
    for value in (5, 5.0, False, 2**41):
        kernel[1](value)
    assert len(kernel.compiled) == 8


def test_a_read_only_array_is_another_variant(make_kernel):
    kernel = make_kernel("x")
    x = aligned()
    kernel[1](x)
    x.flags.writeable = False
    kernel[1](x)
    assert [types for _, _, types, *_ in kernel.compiled] == [("*fp32",), ("*kfp32",)]


@pytest.mark.parametrize(
    "values",
    [
        [1, 1.0, True, 1 + 0j],
        [0.0, -0.0],
        [(1, 2), (1.0, 2), (True, 2), (1, 2, 3)],
        [((1,),), ((1.0,),)],
        [frozenset([1]), frozenset([1.0]), frozenset([True])],
        ["a", b"a"],
        [None, 0, False],
        [int, float],
        [np.int32(1), np.int64(1), 1],
    ],
)
def test_constexprs_that_python_takes_for_equal(make_kernel, values):
    kernel = make_kernel("C: constexpr")
    for _ in range(2):
        for value in values:
            kernel[1](value)
    compiled = [constexprs["C"] for _, _, _, constexprs, *_ in kernel.compiled]
    assert list(map(repr, compiled)) == list(map(repr, values))


def test_constexprs_that_are_the_same(make_kernel):
    nan = float("nan")
    pairs = [(1000, int("1000")), ("ab", "".join("ab")), ((1, (2.0,)), (1, (float("2"),)))]
    pairs += [(frozenset([1, 2]), frozenset([2, 1])), (nan, float("nan")), (2**70, 2**69 * 2)]
    for a, b in pairs:
        kernel = make_kernel("C: constexpr")
        assert kernel[1](a) is kernel[1](b)


def test_a_constexpr_that_is_not_hashable(make_kernel):
    kernel = make_kernel("x, SHAPE: constexpr", name="dropout")
    kernel[1](1, (1, 2))
    for value, found in [([1, 2], "list"), ((1, [2]), "tuple"), ({}, "dict")]:
        with pytest.raises(TypeError) as caught:
            kernel[1](1, value)
        assert str(caught.value) == (
            "kernel 'dropout': argument 'SHAPE' is a constexpr and must be hashable, got " + found
        )


def test_exceptions_of_constexprs_pass_through(make_kernel):
    class Moody:
        def __init__(self, mood):
            self.mood = mood

        def __hash__(self):
            if self.mood == "hash":
                raise ZeroDivisionError("hash")
            return 5

        def __eq__(self, other):
            raise ZeroDivisionError("eq")

    kernel = make_kernel("C: constexpr")
    with pytest.raises(ZeroDivisionError, match="hash"):
        kernel[1](Moody("hash"))
    kernel[1](Moody("eq"))
    with pytest.raises(ZeroDivisionError, match="eq"):
        kernel[1](Moody("eq"))


def test_a_comparison_that_launches_the_kernel_changes_nothing(make_kernel):
    class Launching:
        def __hash__(self):
            return 1

        def __eq__(self, other):
            kernel[1](5)
            return True

    kernel = make_kernel("C: constexpr")
    first = kernel[1](Launching())
    assert kernel[1](Launching()) is first
    assert kernel[1](5) is not first


def test_options_are_part_of_the_variant(make_kernel):
    kernel = make_kernel("x")
    for options in ({}, {"num_warps": 4}, {"num_warps": 8}, {"debug": True}, {"debug": False}):
        kernel[1](1, **options)
    assert len(kernel.compiled) == 4


def test_exceptions_of_the_compiler_pass_through(library):
    class Failing(runtime.KernelBase):
        where = "_compile"

        def _address_parameters(self, *args):
            if self.where == "_address_parameters":
                raise KeyError("analysis")
            return [], None

        def _compile(self, *args):
            raise SyntaxError("no such name")

    kernel = Failing("k", [("x", 0, 1)])
    for _ in range(2):
        with pytest.raises(SyntaxError, match="no such name"):
            kernel[1]()
    kernel.where = "_address_parameters"
    with pytest.raises(KeyError, match="analysis"):
        kernel[1](1.0)


def test_a_compiler_that_returns_something_else(make_kernel):
    kernel = make_kernel("x", name="dropout")
    kernel._compile = lambda *args: 5
    with pytest.raises(TypeError) as caught:
        kernel[1](1)
    assert str(caught.value) == (
        "_compile of kernel 'dropout' must return a LoadedKernel on cpu, got int"
    )


def test_an_analysis_that_names_no_parameter(make_kernel):
    kernel = make_kernel("x", name="dropout", address=[3])
    with pytest.raises(IndexError) as caught:
        kernel[1](1)
    assert str(caught.value) == ("_address_parameters of kernel 'dropout' names parameter 3 of 1")


@pytest.mark.parametrize(
    "entry, kind, expected",
    [
        ((0, 3), ValueError, "give powers of two as divisors, got (0, 3)"),
        ((0,), TypeError, "give tuples of a number and one or two divisors, got (0,)"),
        ((0, 8, 4, 2), TypeError, "give tuples of a number and one or two divisors, got (0, 8, 4"),
    ],
)
def test_an_analysis_that_gives_something_else(make_kernel, entry, kind, expected):
    kernel = make_kernel("x", name="dropout", address=[entry])
    with pytest.raises(kind) as caught:
        kernel[1](1)
    assert str(caught.value).startswith(f"_address_parameters of kernel 'dropout' must {expected}")


def test_an_analysis_that_gives_no_pair(make_kernel):
    kernel = make_kernel("x", name="dropout")
    kernel._address_parameters = lambda *args: []
    with pytest.raises(TypeError) as caught:
        kernel[1](1)
    assert str(caught.value) == (
        "_address_parameters of kernel 'dropout' must give a pair of parameters and what "
        "else was found, got []"
    )


def test_a_compile_gets_what_the_analysis_has_found(make_kernel):
    kernel = make_kernel("x", address=[0])
    analyse, compile_, found = kernel._address_parameters, kernel._compile, []
    kernel._address_parameters = lambda *args: (analyse(*args)[0], "found")

    def compiling(*args):
        found.append(args[-1])
        return compile_(*args)

    kernel._compile = compiling
    for value in (5, 6, 16):  # 16 needs another variant, but no new analysis
        kernel[1](value)
    assert found == ["found", None]


def test_a_failed_compile_is_tried_again(make_kernel):
    kernel = make_kernel("x")
    compile_ = kernel._compile
    kernel._compile = lambda *args: 1 / 0
    with pytest.raises(ZeroDivisionError):
        kernel[1](1)
    kernel._compile = compile_
    kernel[1](1)
    assert len(kernel.compiled) == 1


def test_a_compile_that_launches_the_kernel_itself(make_kernel):
    kernel = make_kernel("x, C: constexpr")
    compile_ = kernel._compile

    def recursive(target, device, types, constexprs, *rest):
        if constexprs["C"] > 0:
            kernel[1](5, constexprs["C"] - 1)
        elif len(kernel.compiled) == 0:
            kernel.compiled.append("once")
            kernel[1](5, 0)  # the variant that is being compiled
        return compile_(target, device, types, constexprs, *rest)

    kernel._compile = recursive
    kernel[1](5, 100)
    assert kernel[1](5, 0) is kernel[1](6, 0)


def in_threads(count, body):
    failures = []

    def run(i):
        try:
            body(i)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_threads_compile_a_variant_once(make_kernel):
    kernel = make_kernel("x, C: constexpr", code="nap")
    compile_ = kernel._compile

    def slow(*args):
        time.sleep(0.05)
        return compile_(*args)

    kernel._compile = slow
    results = {}
    in_threads(6, lambda i: results.setdefault(i, kernel[1](i, i % 2)))
    assert len(kernel.compiled) == 2
    assert len({id(result) for result in results.values()}) == 2


def test_a_thread_that_waits_for_a_compile_sleeps(make_kernel):
    kernel = make_kernel("x")
    compile_, begun = kernel._compile, threading.Event()

    def slow(*args):
        begun.set()
        time.sleep(0.5)
        return compile_(*args)

    kernel._compile = slow
    switches = []

    def body(i):
        if i == 0:
            return kernel[1](1)
        begun.wait()
        before = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
        kernel[1](1)
        switches.append(resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw - before)

    in_threads(2, body)
    assert len(kernel.compiled) == 1
    assert switches[0] < 50  # a thread that polls would have many more switches


def test_a_signal_while_the_main_thread_waits_for_a_compile(make_kernel):
    kernel = make_kernel("x")
    compile_, begun, ended = kernel._compile, threading.Event(), threading.Event()

    def slow(*args):
        begun.set()
        ended.wait(20)
        return compile_(*args)

    def handler(*args):
        raise InterruptedError("alarm")

    kernel._compile = slow
    thread = threading.Thread(target=lambda: kernel[1](1))
    thread.start()
    begun.wait()
    old = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(InterruptedError, match="alarm"):
            kernel[1](1)
    finally:
        signal.signal(signal.SIGALRM, old)
        ended.set()
        thread.join()
    assert kernel[1](1) and len(kernel.compiled) == 1


def test_a_thread_whose_compile_fails_lets_the_next_try(make_kernel):
    kernel = make_kernel("x", code="nap")
    compile_, calls = kernel._compile, []

    def once_failing(*args):
        calls.append(1)
        time.sleep(0.03)
        if len(calls) == 1:
            raise ValueError("first")
        return compile_(*args)

    kernel._compile = once_failing
    outcomes = []

    def body(i):
        try:
            kernel[1](1)
            outcomes.append("ran")
        except ValueError:
            outcomes.append("failed")

    in_threads(3, body)
    assert sorted(outcomes) == ["failed", "ran", "ran"]
    assert len(calls) == 2


def test_a_fork_while_another_thread_compiles(make_kernel):
    kernel = make_kernel("x")
    compile_, begun = kernel._compile, threading.Event()

    def slow(*args):
        begun.set()
        time.sleep(0.3)
        return compile_(*args)

    kernel._compile = slow
    thread = threading.Thread(target=lambda: kernel[1](1))
    thread.start()
    begun.wait()
    child = os.fork()
    if child == 0:
        try:
            kernel[1](1)  # must not wait for a thread that the child lacks
            os._exit(0)
        except BaseException:
            os._exit(1)
    deadline = time.monotonic() + 20
    done, status = 0, 0
    while not done and time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        time.sleep(0.01)
    if not done:
        os.kill(child, 9)
        os.waitpid(child, 0)
    thread.join()
    assert done and status == 0


def test_many_variants(make_kernel):
    kernel = make_kernel("C: constexpr, D: constexpr")
    loaded = {(i, j): kernel[1](i, j) for i in range(30) for j in range(10)}
    assert all(kernel[1](i, j) is result for (i, j), result in loaded.items())
    assert len(kernel.compiled) == 300


def test_kernels_and_launchers_in_cycles_are_collected(make_kernel):
    def make_cycles():
        kernel = make_kernel("x, f=None, C: constexpr")
        kernel.me = kernel
        launchers = []
        launchers.append(kernel[lambda meta: launchers])
        kernel[1](1, C=kernel)
        return weakref.ref(kernel)

    watch = make_cycles()
    gc.collect()
    assert watch() is None
