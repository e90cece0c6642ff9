# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Annotations of parameters, fields and globals. Some annotations name undefined things: those in
quotes, and from Python 3.14 on also those without quotes."""

import sys
import types

import numpy as np
import pytest

MISSING = "Missing.Name" if sys.version_info >= (3, 14) else "'Missing.Name'"

READS = """
import typing

import eft
import eft.language as tl

{constants}

@eft.jit
def kernel(x_ptr):
    tl.store(x_ptr, N)
"""


def run(path, text, names):
    """Writes a text to a file, runs it with the globals `names`, and returns `names`."""
    path.write_text(text)
    exec(compile(text, str(path), "exec"), names)
    return names


@pytest.fixture(params=["no module", "a module"])
def names(request):
    if request.param == "no module":
        yield {"__name__": "nowhere"}
    else:
        module = types.ModuleType("annotated_here")
        sys.modules[module.__name__] = module
        yield vars(module)
        del sys.modules[module.__name__]


def stored(kernel) -> float:
    x = np.zeros(1, np.float32)
    kernel[(1,)](x)
    return float(x[0])


@pytest.mark.parametrize(
    "constants",
    [
        "N: tl.constexpr = 4",
        "N: 'tl.constexpr' = 4",
        "if True:\n    N: tl.constexpr = 4\nelse:\n    M: int = 5",
        f"N: tl.constexpr = 4\nM: {MISSING} = 5",
    ],
)
def test_a_global_annotated_as_constexpr(tmp_path, names, constants):
    run(tmp_path / "reads.py", READS.format(constants=constants), names)
    assert stored(names["kernel"]) == 4


def test_a_global_annotated_after_a_kernel_was_called(tmp_path, names):
    path = tmp_path / "reads.py"
    kernel = run(path, READS.format(constants="M: tl.constexpr = 4; N = tl.constexpr(M)"), names)[
        "kernel"
    ]
    assert stored(kernel) == 4
    path = tmp_path / "next.py"
    kernel = run(path, READS.format(constants="N: tl.constexpr = 5"), names)["kernel"]
    assert stored(kernel) == 5


def test_a_parameter_whose_annotation_names_nothing(tmp_path):
    names = run(
        tmp_path / "parameters.py",
        f"""
import eft
import eft.language as tl

@eft.jit
def kernel(x_ptr: {MISSING}, n: tl.constexpr = 7, m: list[{MISSING}] = 8):
    tl.store(x_ptr, n + m)
""",
        {"__name__": "nowhere"},
    )
    kernel = names["kernel"]
    assert stored(kernel) == 15
    assert [each.is_constexpr for each in kernel.params] == [False, True, False]
    assert [each.annotation for each in kernel.params][:2] == ["Missing.Name", "constexpr"]
    assert list(kernel.signature.parameters) == ["x_ptr", "n", "m"]


def test_fields_whose_annotations_name_nothing(tmp_path):
    names = run(
        tmp_path / "fields.py",
        f"""
import typing

import eft
import eft.language as tl

class Pair(typing.NamedTuple):
    first: {MISSING}
    second: tl.constexpr

class Plain:
    kind: {MISSING}
    value = 3

@eft.jit
def kernel(x_ptr, pair):
    second: tl.constexpr = pair.second
    tl.store(x_ptr, pair.first + second)

@eft.constexpr_function
def value():
    return Plain.value

@eft.jit
def reads_a_class(x_ptr):
    tl.store(x_ptr, value())
""",
        {"__name__": "nowhere"},
    )
    x = np.zeros(1, np.float32)
    names["kernel"][(1,)](x, names["Pair"](2, 40))
    assert x[0] == 42
    assert stored(names["reads_a_class"]) == 3


def test_an_aggregate_whose_annotation_names_nothing(tmp_path):
    message = (
        "^the field 'x' of Wrong is annotated with 'Missing.Name', which names nothing: name "
        "'Missing' is not defined"
    )
    with pytest.raises(NameError, match=message):
        run(
            tmp_path / "aggregate.py",
            f"import eft\n\n@eft.aggregate\nclass Wrong:\n    x: {MISSING}\n",
            {"__name__": "nowhere"},
        )


@pytest.mark.skipif(sys.version_info < (3, 14), reason="earlier Pythons evaluate annotations")
def test_an_annotation_that_names_nothing_in_part(tmp_path, names):
    text = READS.format(constants="N: tl.constexpr = 4\nM: int | Missing = 5")
    text += """
@eft.jit
def scaled(x_ptr, n: tl.constexpr, m: int | Missing = 8):
    tl.store(x_ptr, N + n)
"""
    run(tmp_path / "reads.py", text, names)
    assert stored(names["kernel"]) == 4
    scaled = names["scaled"]
    assert [each.annotation for each in scaled.params] == ["", "constexpr", "int | Missing"]
    x = np.zeros(1, np.float32)
    scaled[(1,)](x, 3)
    assert x[0] == 7


def test_an_annotation_that_fails(tmp_path, names):
    """Python's error is raised: at the definition, or from Python 3.14 on where Eft reads it."""
    text = "import eft\n@eft.jit\ndef kernel(x_ptr, n: 1 / 0 = 8):\n    pass\n"
    with pytest.raises(ZeroDivisionError):
        run(tmp_path / "reads.py", text, names)
