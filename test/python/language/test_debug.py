# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The output of kernels that print, and assertions in kernels."""

import os
import subprocess
import sys
import textwrap

import eft
import eft.language as tl
import numpy as np
import pytest
from eft import _runtime
from support import assert_mistake, mistakes


def printed(device, capfd) -> list[str]:
    """The lines that kernels have printed."""
    if device.name == "cuda":
        _runtime.synchronize(0)
    return capfd.readouterr().out.splitlines()


@eft.jit
def prints_block(x_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.device_print("x", tl.load(x_ptr + i))


def test_a_line_for_each_element(device, capfd):
    x = np.arange(-3, 13, dtype=np.int32)
    prints_block[(2,)](device.put(x), N=16)
    lines = printed(device, capfd)
    expected = [f"pid ({p}, 0, 0) idx ({i:2}) x: {x[i]}" for p in range(2) for i in range(16)]
    assert sorted(lines) == sorted(expected)
    if device.name == "cpu":
        # The lines of one program come in order.
        for program in range(2):
            mine = [line for line in lines if line.startswith(f"pid ({program},")]
            assert mine == expected[16 * program :][:16]


@pytest.mark.parametrize(
    "name, value, text",
    [
        ("int8", -5, "-5"),
        ("uint8", 250, "250"),
        ("int64", -(2**40), str(-(2**40))),
        ("uint64", 2**63, str(2**63)),
        ("float16", 0.5, "0.500000"),
        ("float32", -1.25, "-1.250000"),
        ("float64", 1e300, f"{1e300:f}"),
        ("float32", np.nan, "nan"),
        ("float32", -np.inf, "-inf"),
        ("bool", True, "1"),
    ],
)
def test_values_of_every_type(device, capfd, name, value, text):
    prints_block[1](device.put(np.full(4, value, name)), N=4)
    assert sorted(printed(device, capfd)) == [
        f"pid (0, 0, 0) idx ({i}) x: {text}" for i in range(4)
    ]


@eft.jit
def prints_much(x_ptr, n):
    program = tl.program_id(1)
    tl.device_print("100% here")
    tl.device_print("pair: ", program, n)
    tl.device_print("", n, hex=True)
    tl.device_print(" small ", tl.load(x_ptr).to(tl.int16), hex=True)
    x = tl.load(x_ptr + tl.arange(0, 2)[:, None] * 2 + tl.arange(0, 2)[None, :])
    print("matrix", x)


def test_texts_and_shapes(device, capfd):
    x = np.array([-1, 20, 30, 40], np.int64)
    prints_much[(1, 1, 1)](device.put(x), 255)
    p = "pid (0, 0, 0)"
    assert sorted(printed(device, capfd)) == sorted(
        [
            f"{p} 100% here",
            f"{p} idx () pair: (operand 0) 0",
            f"{p} idx () pair: (operand 1) 255",
            f"{p} idx (): 0x000000ff",
            f"{p} idx () small: 0xffff",
            f"{p} idx (0, 0) matrix: -1",
            f"{p} idx (0, 1) matrix: 20",
            f"{p} idx (1, 0) matrix: 30",
            f"{p} idx (1, 1) matrix: 40",
        ]
    )


@eft.jit
def prints_columns(x_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows, columns = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    tl.device_print("x", tl.load(x_ptr + rows[:, None] + columns[None, :] * ROWS))


@pytest.mark.parametrize("rows, columns", [(1, 1), (1, 8), (32, 2), (16, 64)])
def test_the_lines_of_a_block_are_in_row_major_order(device, capfd, rows, columns):
    x = np.arange(rows * columns, dtype=np.int32).reshape(columns, rows).T
    prints_columns[1](device.put(np.arange(x.size, dtype=np.int32)), ROWS=rows, COLUMNS=columns)
    lines = printed(device, capfd)
    widths = [len(str(extent - 1)) for extent in x.shape]
    expected = [
        f"pid (0, 0, 0) idx ({row:{widths[0]}}, {column:{widths[1]}}) x: {value}"
        for (row, column), value in np.ndenumerate(x)
    ]
    if device.name != "cpu":
        lines, expected = sorted(lines), sorted(expected)
    assert lines == expected


@eft.jit
def prints_addresses(x_ptr, N: tl.constexpr):
    tl.device_print("at", x_ptr + tl.arange(0, N))


def test_pointers(device, capfd):
    x = np.zeros(4, np.int32)
    out = device.put(x)
    prints_addresses[1](out, N=2)
    address = out.ctypes.data if device.name == "cpu" else out.data_ptr()
    expected = [f"pid (0, 0, 0) idx ({i}) at: 0x{address + 4 * i:016x}" for i in range(2)]
    assert sorted(printed(device, capfd)) == expected


def test_lines_of_many_programs_are_whole(device, capfd):
    x = np.arange(64, dtype=np.int32)
    prints_block[(50,)](device.put(x), N=64)
    expected = [f"pid ({p}, 0, 0) idx ({i:2}) x: {i}" for p in range(50) for i in range(64)]
    assert sorted(printed(device, capfd)) == sorted(expected)


@eft.jit
def checked(x_ptr, y_ptr, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    x = tl.load(x_ptr + i, mask=i < n, other=-1)
    tl.device_assert(x >= 0, "x is negative", mask=i < n)
    tl.store(y_ptr + i, x, mask=i < n)


LINE = 1 + next(
    number for number, line in enumerate(open(__file__)) if "tl.device_assert(x >= 0" in line
)


@eft.jit(debug=True)
def checks_many(x_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    x = tl.load(x_ptr + i)
    tl.device_assert(x < 100)
    tl.store(x_ptr + i, x + 1)


@pytest.mark.parametrize("rows, columns", [(1, 1), (4, 1), (16, 32), (256, 128)])
def test_every_element_is_checked(device, rows, columns):
    for place in {0, rows * columns // 2 + columns // 2, rows * columns - 1}:
        x = np.arange(rows * columns, dtype=np.int32) % 100
        x[place] = 99
        out = device.put(x)
        checks_many[1](out, ROWS=rows, COLUMNS=columns)
        np.testing.assert_array_equal(device.get(out), x + 1)
        x[place] = 100
        out = device.put(x)
        with pytest.raises(eft.DeviceAssertionError):
            checks_many[1](out, ROWS=rows, COLUMNS=columns)
        np.testing.assert_array_equal(device.get(out), x)


def run_checked(device, x, **options):
    y = device.put(np.full_like(x, -7))
    checked[(eft.cdiv(x.size, 32),)](device.put(x), y, x.size, N=32, **options)
    return device.get(y)


def test_an_assertion_that_fails(device):
    x = np.arange(100, dtype=np.int32)
    np.testing.assert_array_equal(run_checked(device, x, debug=True), x)
    x[70] = -4
    with pytest.raises(eft.DeviceAssertionError) as raised:
        run_checked(device, x, debug=True)
    assert str(raised.value) == (
        f"{__file__}:{LINE}: x is negative (an assertion failed in program (2, 0, 0))"
    )
    # After a failed assertion, launches still work.
    x[70] = 4
    np.testing.assert_array_equal(run_checked(device, x, debug=True), x)


def test_a_program_whose_assertion_fails_does_nothing_more(device):
    x = np.arange(64, dtype=np.int32)
    x[40] = -1
    y = device.put(np.full_like(x, -7))
    with pytest.raises(eft.DeviceAssertionError):
        checked[(2,)](device.put(x), y, 64, N=32, debug=True)
    np.testing.assert_array_equal(device.get(y), [*range(32), *[-7] * 32])


def test_assertions_cost_nothing_if_nobody_wants_them(device):
    x = np.full(40, -1, np.int32)
    np.testing.assert_array_equal(run_checked(device, x), x)
    np.testing.assert_array_equal(run_checked(device, x, debug=False), x)


@eft.jit(debug=True)
def asserts_in_a_loop(x_ptr, n):
    total = 0
    for i in range(n):
        total += tl.load(x_ptr + i)
        assert total < 100, "too much"
    tl.store(x_ptr, total)


def test_the_statement_and_the_decorator(device):
    out = device.put(np.full(20, 10, np.int32))
    asserts_in_a_loop[1](out, 9)
    assert device.get(out)[0] == 90
    with pytest.raises(eft.DeviceAssertionError, match="too much .an assertion failed in program"):
        asserts_in_a_loop[1](out, 20)
    assert device.get(out)[0] == 90


SCRIPT = """
import eft, eft.language as tl, numpy as np
from pathlib import Path

@eft.jit
def kernel(x_ptr):
    tl.device_print("x", tl.load(x_ptr))
    tl.device_assert(tl.load(x_ptr) == 0)

kernel[1](np.zeros(1, np.int32))
try:
    kernel[1](np.ones(1, np.int32))
except eft.DeviceAssertionError as error:
    print("raised", str(error).replace(__file__, "script.py"))
"""


@pytest.mark.parametrize("debug, raised", [("1", True), ("0", False), ("", False)])
def test_the_environment_and_the_disk_cache(tmp_path, debug, raised):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    expected = ["pid (0, 0, 0) idx () x: 0", "pid (0, 0, 0) idx () x: 1"]
    if raised:
        message = "script.py:8 (an assertion failed in program (0, 0, 0))"
        expected.append(f"raised {message}")
    for _ in range(2):  # the second process reads the code from the cache
        environment = {**os.environ, "EFT_DEBUG": debug, "EFT_CACHE_DIR": str(tmp_path / "cache")}
        done = subprocess.run(
            [sys.executable, script], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines() == expected


@eft.jit
def prefix_at_run_time(x_ptr, n):
    tl.device_print(n)


@eft.jit
def foreign_prefix(x_ptr, n):
    tl.device_print("größe", n)


@eft.jit
def hexadecimal_by_number(x_ptr, n):
    tl.device_print("n", n, hex=1)


@eft.jit
def float_condition(x_ptr, n):
    tl.device_assert(tl.load(x_ptr))


@eft.jit
def message_at_run_time(x_ptr, n):
    tl.device_assert(n > 0, n)


@mistakes(
    (
        prefix_at_run_time,
        "tl.device_print(",
        "device_print needs a str of printable ASCII characters first, got a value of type int32",
    ),
    (
        foreign_prefix,
        "tl.device_print(",
        "device_print needs a str of printable ASCII characters first, got 'größe'",
    ),
    (hexadecimal_by_number, "tl.device_print(", "hex must be True or False, got 1"),
    (
        float_condition,
        "tl.device_assert(",
        "device_assert needs a condition of type int1, got a value of type fp32",
    ),
    (
        message_at_run_time,
        "tl.device_assert(",
        "device_assert needs its message to be a str, got a value of type int32",
    ),
)
def test_mistakes(kernel, marker, message):
    assert_mistake(kernel, marker, message)
