# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The grid, and launches on the host."""

import os
import sys
import threading
import time
import weakref

import eft._runtime as runtime
import numpy as np
import pytest
from runtime_kernels import address_of, holds_in_a_fork, run_child


@pytest.mark.parametrize(
    "grid, extents",
    [
        (3, (3, 1, 1)),
        ((3,), (3, 1, 1)),
        ((3, 4), (3, 4, 1)),
        ([3, 4, 5], (3, 4, 5)),
        (np.int64(3), (3, 1, 1)),
        ((np.int32(2), 3), (2, 3, 1)),
        (lambda meta: 3, (3, 1, 1)),
        (lambda meta: (meta["n"], meta["BLOCK"]), (7, 64, 1)),
    ],
)
def test_grids(make_kernel, grid, extents):
    kernel = make_kernel("n, BLOCK: constexpr")
    kernel[grid](7, BLOCK=64)
    assert kernel.grid() == extents


def test_a_grid_is_a_subscript_without_parentheses(make_kernel):
    kernel = make_kernel("n=1")
    kernel[2, 3]()
    assert kernel.grid() == (2, 3, 1)


def test_a_grid_function_sees_every_argument_by_name(make_kernel):
    kernel = make_kernel("x, y=None, p=0.5, BLOCK: constexpr")
    x, metas = np.zeros(3), []

    def grid(meta):
        metas.append(dict(meta))
        meta.clear()  # the dict is a copy for this function
        return (1,)

    for block in (32, 64):
        kernel[grid](x, BLOCK=block)
    assert [meta.pop("x") is x for meta in metas] == [True, True]
    assert metas == [{"y": None, "p": 0.5, "BLOCK": block} for block in (32, 64)]


def test_a_launcher_can_be_kept(make_kernel):
    kernel = make_kernel("n")
    launcher = kernel[(2,)]
    assert launcher(1) is launcher(2)
    assert (launcher.kernel, launcher.grid) == (kernel, (2,))
    with pytest.raises(TypeError):
        type(launcher)()


class OwnError(Exception):
    pass


@pytest.mark.parametrize("error", [KeyError("BLOCK"), ZeroDivisionError(), OwnError("of its own")])
def test_an_exception_out_of_a_grid_function(make_kernel, error):
    kernel = make_kernel("x, n", name="dropout")

    def grid(meta):
        raise error

    with pytest.raises(type(error)) as caught:
        kernel[grid](1, 2)
    assert caught.value is error
    assert caught.traceback[-1].name == "grid"
    if sys.version_info >= (3, 11):
        assert caught.value.__notes__ == [
            "raised by the grid function of kernel 'dropout', whose argument has the names x, n"
        ]


def test_an_interruption_of_a_grid_function_gets_no_note(make_kernel):
    def grid(meta):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        make_kernel("n", name="dropout")[grid](1)
    assert not hasattr(caught.value, "__notes__")


def test_a_grid_of_more_digits_than_python_prints(make_kernel):
    with pytest.raises(ValueError) as caught:
        make_kernel("n", name="dropout")[10**5000](1)
    assert str(caught.value) == (
        "grid of kernel 'dropout' has an int of 16610 bits programs along one axis, expected 0 to "
        "2147483647"
    )


@pytest.mark.parametrize(
    "grid", [1.5, "3", None, (1, 2.0), (None,), ((1,),), {1}, np.array([1]), (np.ones(1),)]
)
@pytest.mark.parametrize("function", [False, True])
def test_grids_of_other_types(make_kernel, grid, function):
    kernel = make_kernel("n", name="dropout")
    with pytest.raises(TypeError) as caught:
        kernel[(lambda meta: grid) if function else grid](1)
    assert str(caught.value) == (
        "grid of kernel 'dropout' must be 1 to 3 ints, or a function that returns them, got "
        + repr(grid)
    )
    assert kernel.compiled == []


@pytest.mark.parametrize(
    "grid, message",
    [
        ((), "must have 1 to 3 extents, got 0"),
        ((1, 2, 3, 4), "must have 1 to 3 extents, got 4"),
        (-1, "has -1 programs in x, expected 0 to 2147483647 on cpu"),
        ((1, 1, -7), "has -7 programs in z, expected 0 to 2147483647 on cpu"),
        (2**31, "has 2147483648 programs in x, expected 0 to 2147483647 on cpu"),
        ((1, 2**31), "has 2147483648 programs in y, expected 0 to 2147483647 on cpu"),
        (2**80, f"has {2**80} programs along one axis, expected 0 to 2147483647"),
        (
            (2**31 - 1,) * 3,
            "has 2147483647 × 2147483647 × 2147483647 programs, expected fewer than 2^63 in all",
        ),
    ],
)
def test_grids_of_other_sizes(make_kernel, grid, message):
    with pytest.raises(ValueError) as caught:
        make_kernel("n", name="dropout")[grid](1)
    assert str(caught.value) == "grid of kernel 'dropout' " + message


def test_exceptions_of_grid_functions_pass_through(make_kernel):
    kernel = make_kernel("n")
    with pytest.raises(KeyError, match="BLOCK"):
        kernel[lambda meta: meta["BLOCK"]](1)
    with pytest.raises(TypeError):
        kernel[lambda: 1](1)


@pytest.mark.parametrize("grid", [0, (0,), (5, 0), (0, 3, 3)])
def test_an_empty_grid_launches_nothing(make_kernel, grid):
    kernel = make_kernel("counts", code="count")
    counts = np.zeros(20, np.int32)
    assert isinstance(kernel[grid](counts), runtime.LoadedKernel)
    assert not counts.any()


@pytest.mark.parametrize("grid", [(1,), (7,), (1000,), (13, 7), (5, 6, 7), (100000,)])
def test_every_program_runs_once(make_kernel, grid):
    kernel = make_kernel("counts", code="count")
    counts = np.zeros(np.prod(grid), np.int32)
    for _ in range(20):
        kernel[grid](counts)
    assert (counts == 20).all()


def test_a_kernel_computes(make_kernel):
    kernel = make_kernel("x, out, a, n", code="add")
    x = np.random.default_rng(0).random(100_000, np.float32)
    out = np.zeros_like(x)
    kernel[lambda meta: (-(-meta["n"] // 64),)](x, out, 1.5, x.size)
    assert (out == x + np.float32(1.5)).all()


def test_several_python_threads_launch_at_once(make_kernel):
    kernel = make_kernel("counts", code="count")
    results = [np.zeros(5000, np.int32) for _ in range(8)]

    def launch(counts):
        for _ in range(50):
            kernel[(5000,)](counts)

    threads = [threading.Thread(target=launch, args=(counts,)) for counts in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((counts == 50).all() for counts in results)


def test_other_python_threads_run_during_a_launch(make_kernel):
    kernel = make_kernel("milliseconds", code="nap")
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.monotonic()
    kernel[1](300)
    end = time.monotonic()
    stop.set()
    thread.join()
    assert sum(begin + 0.05 < at < end - 0.05 for at in ticks) > 20


def test_a_forked_child_launches(make_kernel):
    kernel = make_kernel("counts", code="count")
    kernel[1000](np.zeros(1000, np.int32))

    def counts_all():
        counts = np.zeros(100_000, np.int32)
        kernel[100_000](counts)
        return (counts == 1).all()

    assert holds_in_a_fork(counts_all)


def test_load_host_without_code():
    with pytest.raises(ValueError, match="kernel 'k' has no code: its address is 0"):
        runtime.LoadedKernel.load_host(0, None, "k")


def test_loaded_kernels_are_made_by_loading(library):
    class Mine(runtime.LoadedKernel):
        pass

    for type_ in (runtime.LoadedKernel, Mine):
        with pytest.raises(TypeError, match=r"are made by load_cuda\(\) and load_host\(\)"):
            type_()
    mine = Mine.load_host(address_of(library, "record"), library, "k")
    mine.asm = {"asm": "text"}
    assert type(mine) is Mine and mine.asm["asm"] == "text"


def test_the_code_lives_as_long_as_the_kernel(library):
    class Owner:
        pass

    owner = Owner()
    watch = weakref.ref(owner)
    loaded = runtime.LoadedKernel.load_host(address_of(library, "record"), owner, "k")
    del owner
    assert watch() is not None
    del loaded
    assert watch() is None


def test_a_wrong_number_of_threads():
    child = run_child(
        "import eft._runtime as r\ntry: r.host_threads()\nexcept ValueError as e: print(e)",
        EFT_NUM_THREADS="many",
    )
    assert child.stdout == "EFT_NUM_THREADS must be an integer from 1 to 4096, got 'many'\n"


def test_the_number_of_threads():
    child = run_child("import eft._runtime as r; print(r.host_threads())", EFT_NUM_THREADS="3")
    assert child.stdout == "3\n"
    assert 1 <= runtime.host_threads() <= os.cpu_count()
