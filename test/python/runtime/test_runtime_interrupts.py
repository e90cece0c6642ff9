# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signals during launches and compiles: exceptions of handlers end calls that would take long."""

import gc
import os
import signal
import threading
import time

import eft
import eft.language as tl
import numpy as np
import pytest
from eft import _runtime
from runtime_kernels import run_child

#: Seconds. A handler runs within 200 ms, or later on a busy machine. Without a signal, the calls
#: that are interrupted here would take minutes, or never end.
SOON = 5.0


@eft.jit
def fill(x):
    tl.store(x + tl.program_id(0), 1)


@eft.jit
def wait_for(x, value):
    """Waits until x[0] is at least `value`. Counts the iterations in x[1] meanwhile."""
    turns = 0
    while tl.load(x) < value:
        turns += 1
        tl.store(x + 1, turns)


@eft.jit
def nested_loops(x, n):
    total = 0.0
    for i in range(n):
        for j in range(n):
            total = total * 0.5 + i + j
    tl.store(x, total)


@eft.jit
def constant_loops(x):
    total = 0.0
    for i in range(1000):
        for j in range(1000):
            for k in range(1000):
                total = total * 0.5 + i + j + k
    tl.store(x, total)


@eft.jit
def exponentials(x, BLOCK: tl.constexpr):
    at = x + tl.arange(0, BLOCK)
    value = tl.load(at)
    for _ in range(200):
        value = tl.exp(value) * 0.001
    tl.store(at, value)


@eft.jit
def long_to_compile(x, BLOCK: tl.constexpr, STEPS: tl.constexpr, SALT: tl.constexpr = 0):
    at = x + tl.arange(0, BLOCK)
    value = tl.load(at)
    for step in tl.static_range(STEPS):
        value = value + tl.sum(value * step) + tl.exp(value)
    tl.store(at, value)


class Interrupted(Exception):
    pass


@pytest.fixture
def alarm():
    """Sends SIGALRM while a function runs. `hits` gets the time of each signal, and at the end the
    seconds that the function ran.

    Garbage collection is off meanwhile: Python drops exceptions that are raised in callbacks of the
    garbage collector, and the package hypothesis has installed one.
    """
    hits = []

    def send(function, after=0.1, every=0.0, raises_at=1):
        def handler(*_):
            hits.append(time.perf_counter())
            if len(hits) == raises_at:
                raise Interrupted

        hits.clear()
        gc.disable()
        before = signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, after, every)
        begin = time.perf_counter()
        try:
            function()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            gc.enable()
            hits.append(time.perf_counter() - begin)
        return hits

    send.hits = hits
    return send


def arrays():
    return np.zeros(16, np.int32), np.zeros(4096, np.float32)


def launches_are_right():
    x = np.zeros(10_000, np.int32)
    for _ in range(3):
        x[:] = 0
        fill[x.size](x)
        assert (x == 1).all()


LONG = {
    "a loop that never ends": lambda x, y: wait_for[1](x, 1),
    "programs that never end": lambda x, y: wait_for[100](x, 1),
    "long loops": lambda x, y: nested_loops[1](y, 10**9),
    "long loops in many programs": lambda x, y: nested_loops[100](y, 10**9),
    "loops of constants": lambda x, y: constant_loops[100](y),
    "many programs": lambda x, y: exponentials[2**31 - 1](y, BLOCK=1024),
}


@pytest.mark.parametrize("situation", LONG)
def test_a_handler_that_raises_ends_a_launch(alarm, situation):
    x, y = arrays()
    launch = LONG[situation]
    with pytest.raises(Interrupted):
        alarm(lambda: launch(x, y))
    assert alarm.hits[-1] < SOON
    launches_are_right()


def test_the_kernel_was_short_before(alarm):
    x, _ = arrays()
    for _ in range(20):
        wait_for[1](x, 0)  # Eft learns that these launches are short, and keeps the GIL
    with pytest.raises(Interrupted):
        alarm(lambda: wait_for[1](x, 1))
    assert alarm.hits[-1] < SOON
    launches_are_right()


def test_a_handler_that_returns_lets_the_launch_go_on(alarm):
    x, _ = arrays()
    with pytest.raises(Interrupted):
        alarm(lambda: wait_for[8](x, 1), every=0.1, raises_at=4)
    assert len(alarm.hits) == 5
    launches_are_right()


def test_a_handler_may_launch(alarm):
    x, _ = arrays()
    before = signal.signal(signal.SIGALRM, lambda *_: (fill[1000](np.zeros(1000, np.int32)), end()))

    def end():
        x[0] = 1  # the launch waits for this

    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        wait_for[4](x, 1)
    finally:
        signal.signal(signal.SIGALRM, before)
    launches_are_right()


def test_a_compile_is_ended(alarm, tmp_path):
    _, y = arrays()
    with pytest.raises(Interrupted):
        alarm(lambda: long_to_compile[1](y, BLOCK=2048, STEPS=200))
    assert alarm.hits[-1] < SOON
    launches_are_right()
    long_to_compile[1](y, BLOCK=64, STEPS=2)


def test_the_process_ends_while_a_compile_that_nobody_waits_for_goes_on(tmp_path):
    child = run_child(
        """
import numpy as np, os, signal, sys, threading
sys.path.insert(0, os.environ["TEST_FOLDER"])
from test_runtime_interrupts import long_to_compile
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    long_to_compile[1](np.zeros(4096, np.float32), BLOCK=2048, STEPS=200)
except KeyboardInterrupt:
    print("interrupted", flush=True)
""",
        TEST_FOLDER=os.path.dirname(__file__),
        EFT_CACHE_DIR=str(tmp_path),
    )
    assert (child.returncode, child.stdout) == (0, "interrupted\n"), child.stderr


@pytest.fixture
def ctrl_c():
    """Installs Python's own handler of SIGINT, which processes started in the background lack."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_is_a_keyboard_interrupt():
    x, _ = arrays()
    timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        wait_for[2](x, 1)
    timer.join()
    launches_are_right()


def test_launches_of_other_threads_go_on(alarm):
    x, _ = arrays()
    other = np.zeros(16, np.int32)
    thread = threading.Thread(target=lambda: wait_for[4](other, 1))
    thread.start()
    with pytest.raises(Interrupted):
        alarm(lambda: wait_for[4](x, 1))
    turns = other[1]
    time.sleep(0.05)
    assert other[1] != turns  # the programs are still running
    other[0] = 1
    thread.join(SOON)
    assert not thread.is_alive()
    launches_are_right()


def test_a_thread_that_was_expected_to_be_short_gives_the_gil_up():
    x, _ = arrays()
    for _ in range(20):
        wait_for[1](x, 0)
    thread = threading.Thread(target=lambda: wait_for[1](x, 1))
    thread.start()
    time.sleep(0.05)  # cannot return if the new thread keeps the GIL
    x[0] = 1
    thread.join(SOON)
    assert not thread.is_alive()


def test_code_that_eft_did_not_compile_is_ended_between_programs(alarm, make_kernel):
    kernel = make_kernel("milliseconds", code="nap")
    programs = _runtime.host_threads() * 8 * 10  # the pool hands out 10 programs at a time
    with pytest.raises(Interrupted):
        alarm(lambda: kernel[programs](20))
    assert alarm.hits[-1] < 1.2  # without the signal, 1.6 s: 80 × 20 ms


def fork_in_a_handler(function, in_parent, expected: str, delay: float = 0.1) -> bool:
    """Forks in a signal's handler while `function` runs. In the parent, the handler calls
    `in_parent`, and `function` must return. In the child, `function` must raise a RuntimeError. But
    if the signal came before Eft's launch or compile began, `function` returns in the child, too.

    Returns:
        Whether the child raised the error.
    """
    children = []

    def handler(*_):
        children.append(os.fork())
        if children[0] != 0:
            in_parent()

    status = 1
    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, delay)
    try:
        function()
        status = 2
    except RuntimeError as error:
        if children != [0]:
            raise
        status = 0 if str(error).startswith(expected) else 1
    finally:
        # Only the parent runs the tests after this one.
        if children == [0]:
            os._exit(status)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert children, "the signal came too late"
    ended = os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1])
    assert ended in (0, 2)
    launches_are_right()
    return ended == 0


def test_a_fork_in_a_handler():
    x, _ = arrays()
    wait_for[4](x, 0)  # compiled before the signal comes
    assert fork_in_a_handler(
        lambda: wait_for[4](x, 1),
        lambda: x.__setitem__(0, 1),  # ends the parent's launch
        "a signal's handler forked inside a launch",
    )


def test_a_fork_in_a_handler_during_a_compile():
    _, y = arrays()
    # The signal must come during the compile itself. On a busy machine, the Python code before the
    # compile takes longer, so several delays are tried.
    assert any(
        fork_in_a_handler(
            lambda: long_to_compile[1](y, BLOCK=1024, STEPS=40, SALT=time.time_ns()),  # not cached
            lambda: None,
            "a signal's handler forked inside a compile",
            delay,
        )
        for delay in (0.1, 0.2, 0.4, 0.8, 1.6)
    )
