# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors: texts, unsupported statements, sources, launches, and bugs of Eft itself."""
# ruff: noqa: F821, F841, B015, B018 (the kernels are wrong on purpose)

import os

import eft
import eft.language as tl
import numpy as np
import pytest
from eft.compiler.functions import _At
from eft.errors import Mistake
from support import assert_mistake, fails, lower, mistakes


@eft.jit
def undefined_name(x_ptr, n):
    tl.store(x_ptr, n + missing)


def test_undefined_name():
    assert_mistake(undefined_name, "missing", "'missing' is not defined")


def test_text_shows_the_place():
    lines = str(fails(undefined_name)).splitlines()
    assert lines[0].startswith(f"{__file__}:") and lines[0].endswith(": 'missing' is not defined")
    assert lines[1] == "    tl.store(x_ptr, n + missing)"
    assert lines[2] == "                        ^"


@pytest.mark.parametrize("mistake", [Mistake, ZeroDivisionError, eft.CompilationError])
def test_the_place_is_restored_after_a_mistake(mistake):
    class Emitter:
        node = "outer"

        def error(self, message, kind=eft.CompilationError):
            return kind(f"{message} at {self.node}")

    emitter = Emitter()
    expected = eft.InternalError if mistake is ZeroDivisionError else eft.CompilationError
    with pytest.raises(expected) as raised, _At(emitter, "inner"):
        raise mistake("wrong")
    assert emitter.node == "outer"
    if mistake is Mistake:
        assert raised.value.message == "wrong at inner"


@eft.jit
def with_statement(x_ptr, n):
    with n:
        pass


@eft.jit
def nested_function(x_ptr, n):
    def inner():
        pass


@eft.jit
def comprehension(x_ptr, n):
    values = {i for i in (1, 2)}


@eft.jit
def assertion(x_ptr, n):
    assert n > 0


@eft.jit
def set_element(x_ptr, n):
    x_ptr[0] = n


@eft.jit
def set_attribute(x_ptr, n):
    n.value = 1


@eft.jit
def matrix_product(x_ptr, n):
    n @ n


@eft.jit
def power(x_ptr, n):
    n**2


@eft.jit
def starred_target(x_ptr, n):
    a, *b = (1, 2, 3)


@mistakes(
    (with_statement, "with n", "this statement can't be used in a kernel: `with n:`"),
    (nested_function, "def inner", "this statement can't be used in a kernel: `def inner():`"),
    (comprehension, "{i for i", "this expression can't be used in a kernel: `{i for i in (1, 2)}`"),
    (
        set_element,
        "x_ptr[0] = n",
        "an element can't be assigned: a block is written to memory by tl.store",
    ),
    (set_attribute, "n.value = 1", "`n.value` can't be assigned in a kernel"),
    (matrix_product, "n @ n", "the operator `@` is not supported yet"),
    (power, "n**2", "`**` is not supported yet for values that exist at run time"),
    (starred_target, "a, *b", "a starred target can't be used in a kernel"),
)
def test_unsupported(kernel, marker, message):
    assert_mistake(kernel, marker, message)


@eft.jit
def returns_value(x_ptr, n):
    return n


def test_kernel_that_returns_a_value():
    assert_mistake(
        returns_value,
        "return n",
        "a kernel can't return a value, got a value of type int32",
    )


def test_source_that_can_not_be_read():
    namespace = {"eft": eft, "tl": tl}
    exec("@eft.jit\ndef kernel(x_ptr):\n    tl.store(x_ptr, 0)", namespace)
    with pytest.raises(eft.CompilationError) as raised:
        lower(namespace["kernel"], "*fp32")
    assert raised.value.message == (
        "the source of 'kernel' can't be read: a kernel must be defined in a file or in a "
        "notebook's cell, not by exec or in an interactive session"
    )
    assert raised.value.file == "<string>"


def test_kernel_that_is_a_lambda():
    kernel = eft.jit(lambda x_ptr: None)
    with pytest.raises(eft.CompilationError) as raised:
        lower(kernel, "*fp32")
    assert raised.value.message == (
        "'test_kernel_that_is_a_lambda.<locals>.<lambda>' can't be a kernel: it must be defined "
        "by a `def` statement"
    )


class Holder:
    @eft.jit
    def private_parameter(x_ptr, __n):
        pass


def test_parameter_that_is_private_to_a_class():
    with pytest.raises(eft.CompilationError) as raised:
        lower(Holder.private_parameter, "*fp32 i32")
    assert raised.value.message == (
        "the parameter '__n' of 'Holder.private_parameter' is called '_Holder__n', because it is "
        "private to its class: give it another name"
    )


def test_file_whose_name_is_no_text(tmp_path):
    path = os.path.join(tmp_path, os.fsdecode(b"a\xff.py"))
    text = (
        "import eft\nimport eft.language as tl\n@eft.jit\ndef kernel(p, n):\n    tl.store({}, n)\n"
    )
    for target in ("p", "n"):
        with open(path, "w") as file:
            file.write(text.format(target))
        namespace = {}
        exec(compile(text.format(target), path, "exec"), namespace)
        if target == "p":
            lower(namespace["kernel"], "*fp32 i32")
            continue
        with pytest.raises(eft.CompilationError) as raised:
            lower(namespace["kernel"], "*fp32 i32")
        assert (raised.value.file, raised.value.line, raised.value.column) == (path, 5, 5)


def test_what_is_no_function():
    class Kernel:
        pass

    for what in (Kernel, Kernel(), len, "kernel", Kernel.__init__):
        with pytest.raises(TypeError) as raised:
            eft.jit(what)
        assert str(raised.value) == f"@eft.jit takes a function that `def` defines, got {what!r}"


def test_starred_parameters():
    def kernel(**pointers):
        pass

    with pytest.raises(TypeError) as raised:
        eft.jit(kernel)
    assert str(raised.value) == "kernel() can't be compiled: it takes ** parameters"


def test_coroutines():
    async def waits(x_ptr):
        pass

    async def yields(x_ptr):
        yield x_ptr

    for function in (waits, yields):
        with pytest.raises(TypeError) as raised:
            eft.jit(function)
        assert str(raised.value) == (
            f"{function.__name__}() can't be compiled: it is defined by `async def`, and a kernel "
            "by `def`"
        )


def test_call_without_a_grid():
    with pytest.raises(RuntimeError) as raised:
        adds(1, 2)
    assert (
        str(raised.value) == "adds() runs on a grid: call adds[grid](...), or call it from a kernel"
    )


def test_builtin_outside_of_a_kernel():
    for call, name in (
        (lambda: tl.program_id(0), "program_id"),
        (lambda: tl.load(np.zeros(1)), "load"),
        (lambda: tl.extra.libdevice.tanh(1.0), "tanh"),
    ):
        with pytest.raises(RuntimeError) as raised:
            call()
        assert str(raised.value) == (
            f"{name!r} of eft.language can only be called in a kernel: is @eft.jit missing above "
            "the function that calls it?"
        )
    with pytest.raises(RuntimeError) as raised:
        tl.to_tensor(1)
    assert str(raised.value) == (
        "a function of eft.language can only be called in a kernel: is @eft.jit missing above the "
        "function that calls it?"
    )


@pytest.mark.parametrize("module", [eft, tl, tl.extra.libdevice], ids=lambda it: it.__name__)
def test_names_that_no_module_has(module):
    with pytest.raises(AttributeError) as raised:
        module.foo  # noqa: B018
    assert str(raised.value) == f"module {module.__name__!r} has no attribute 'foo'"


def test_types_that_are_not_there():
    with pytest.raises(ValueError) as raised:
        tl.dtype("fp12")
    assert str(raised.value) == "unknown dtype 'fp12'"
    with pytest.raises(TypeError) as raised:
        tl.pointer_type(32)
    assert str(raised.value) == "element_ty must be the dtype of a number, got 32"


def test_a_launch_shows_no_frame_of_the_compiler():
    with pytest.raises(eft.CompilationError) as raised:
        undefined_name[1](np.zeros(1, np.float32), 1)
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__
    frames = [entry.path.name for entry in raised.traceback]
    assert not set(frames) & {"functions.py", "expressions.py", "statements.py", "driver.py"}


def test_a_bug_is_not_the_users_mistake(monkeypatch):
    def broken(*args):
        raise KeyError("oops")

    monkeypatch.setattr("eft.language.operators.compare", broken)
    with pytest.raises(eft.InternalError) as raised:
        lower(assertion, "*fp32 i32")
    lines = str(raised.value).splitlines()
    assert lines[0] == "KeyError: 'oops'"
    assert lines[1] == "This is a bug in Eft. Please report this text, and the kernel."
    assert lines[2].startswith(f"at {__file__}:")


@eft.jit
def extent(x_ptr, n, N: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, N), 0.0)


@pytest.mark.parametrize(
    "launch, message",
    [
        (
            lambda x: extent[1](x),
            "extent() missing 2 required positional arguments: 'n' and 'N'",
        ),
        (
            lambda x: extent[1](x, 1, 32, block=2),
            "extent() got an unexpected keyword argument 'block'; the options are num_warps, "
            "num_stages, num_ctas, maxnreg and debug",
        ),
        (
            lambda x: extent[1](x, 1, N=[32]),
            "kernel 'extent': argument 'N' is a constexpr and must be hashable, got list",
        ),
        (
            lambda x: extent[1](x.astype(np.complex64), 1, 32),
            "kernel 'extent': argument 'x_ptr' has element type complex64, expected bool, int8 to "
            "int64, uint8 to uint64, float16, bfloat16, float32, float64 or an 8-bit float",
        ),
    ],
    ids=["missing", "unknown", "unhashable", "dtype"],
)
def test_arguments_of_a_launch(launch, message):
    with pytest.raises(TypeError) as raised:
        launch(np.zeros(32, np.float32))
    assert str(raised.value) == message


@eft.jit
def plain(x_ptr):
    tl.store(x_ptr, 1)


def compiled_from(text, monkeypatch):
    """The error that the compile of `plain` raises if its IR is replaced by `text`."""
    from eft import _compiler, compiling, driver

    module = _compiler.Context().parse(text)
    lower = compiling._lower

    def changed(*args, **options):
        lowered = lower(*args, **options)
        lowered.module = module
        lowered.specialize = lambda specialization: None
        return lowered

    monkeypatch.setattr(compiling, "_lower", changed)
    variant = driver.Variant("cpu", ("*fp32",), {}, {"num_warps": 4}, ("",))
    with pytest.raises((eft.CompilationError, eft.InternalError)) as raised:
        compiling.compile_here(plain, variant)
    return raised.value


def test_what_the_compiler_refuses_at_a_place(monkeypatch):
    line = plain.source.first_line + 2
    text = f"""
    func.func @f() {{ return }}
    func.func @g() {{ return }} loc(callsite("{__file__}":{line}:5 at "caller.py":7:3))
    """
    error = compiled_from(text, monkeypatch)
    assert type(error) is eft.CompilationError
    assert "is a second public function" in error.message
    assert (error.file, error.line, error.column) == (__file__, line, 5)
    assert error.source == "    tl.store(x_ptr, 1)"
    assert error.calls == [("caller.py", 7, 3, "a kernel")]


def test_what_the_compiler_refuses_without_a_place(monkeypatch):
    error = compiled_from("module {} loc(unknown)", monkeypatch)
    assert type(error) is eft.InternalError
    assert error.message == (
        "compiling 'plain' failed: 'builtin.module' op has no public function to compile"
    )
    assert "target='cpu'" in error.report


@eft.jit
def adds(x_ptr, n):
    n + n


def test_ir_that_does_not_verify_is_a_bug(monkeypatch):
    from eft.language import operators
    from eft.language.tensor import op

    monkeypatch.setitem(
        operators.BINARY, "add", ("+", lambda x, y: op("arith.addf", [x, y], x.type))
    )
    with pytest.raises(eft.InternalError) as raised:
        lower(adds, "*fp32 i32")
    assert raised.value.message.startswith(
        "the frontend made IR that does not verify: 'arith.addf'"
    )
    line = adds.fn.__code__.co_firstlineno + 2
    assert raised.value.report.startswith(f"{__file__}:{line}:5\nmodule")
