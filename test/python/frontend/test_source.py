# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The source of a function: where it ends in its file, and the places of its parts."""

import ast
import importlib.machinery
import importlib.util
import inspect
import linecache
import subprocess
import sys
import types
import zipfile

import eft
import eft.language as tl
import numpy as np
import pytest
from eft.driver import Variant
from eft.source import Source, Summary
from eft.text import text_of
from support import key_of

# fmt: off


@eft.jit(
    do_not_specialize=["n"],
)
def long_head(
    x_ptr,
    n,
):
    """A text
that is not indented."""
# A comment that is not indented.
    value = (
n
    )

    tl.store(x_ptr, value)
    # The last comment.


@eft.jit
def one_line(x_ptr): tl.store(x_ptr, 1)


@eft.jit
def before_something(x_ptr):
    tl.store(x_ptr, 1)
after_something = 1


class Outer:
    class Inner:
        @eft.jit
        def indented(x_ptr):
            text: tl.constexpr = """
  less than the function"""
            tl.store(x_ptr, text)

    attribute = 1


if True:
    @eft.jit
    def in_a_block(x_ptr):
        if x_ptr is None:
            pass
        else:
            tl.store(x_ptr, 1)
else:
    in_a_block = None


@eft.jit
def without_code_at_the_end(x_ptr):
    tl.store(x_ptr, 1)
    return
    """A text
of which no code is made"""
    tl.store(x_ptr, missing)  # noqa: F821


@eft.jit
def at_the_end_of_a_function(x_ptr):
    tl.store(x_ptr, 1)

# fmt: on


FUNCTIONS = [
    long_head,
    one_line,
    before_something,
    Outer.Inner.indented,
    in_a_block,
    without_code_at_the_end,
    at_the_end_of_a_function,
]


@pytest.mark.parametrize("kernel", FUNCTIONS, ids=lambda kernel: kernel.__name__)
def test_it_is_what_python_finds(kernel):
    source = kernel.source
    lines, first_line = inspect.getsourcelines(kernel.fn)
    assert source.first_line == first_line
    # `inspect` omits blank lines and comments at the end of the function.
    assert "".join(source.lines).startswith("".join(lines).rstrip())
    rest = "".join(source.lines)[len("".join(lines).rstrip()) :].splitlines()
    assert all(not line.strip() or line.strip().startswith("#") for line in rest)
    assert source.tree.name == kernel.__name__


@pytest.mark.parametrize("kernel", FUNCTIONS, ids=lambda kernel: kernel.__name__)
def test_the_cache_has_its_summary(kernel, monkeypatch):
    text = text_of(kernel.fn)
    with monkeypatch.context() as patch:
        patch.setattr("eft._runtime.cache_get", lambda key: None)
        parsed = Source(kernel.fn, text)
    cached = Source(kernel.fn, text)
    # For one function the code's line table does not show the end, so the source is parsed.
    assert (cached._tree is None) == (kernel is not without_code_at_the_end)
    assert cached.lines == parsed.lines
    for name in Summary.__slots__:
        assert getattr(cached.summary, name) == getattr(parsed.summary, name)
    assert ast.dump(cached.tree) == ast.dump(parsed.tree)
    assert cached.code_lines == parsed.code_lines


def test_code_without_places():
    """Some tools make code objects without a line table."""
    code = before_something.fn.__code__.replace(co_linetable=b"")
    source = eft.jit(types.FunctionType(code, globals())).source
    assert source.lines == before_something.source.lines


def test_the_file_is_one_line_longer_than_the_function():
    source = before_something.source
    assert source.lines[-1].strip() == "tl.store(x_ptr, 1)"


def test_a_function_of_a_notebook():
    text = "import eft\n\n@eft.jit\ndef in_a_cell(x_ptr):\n    pass\n"
    linecache.cache["<cell 1>"] = len(text), None, text.splitlines(True), "<cell 1>"
    names = {}
    exec(compile(text, "<cell 1>", "exec"), names)
    assert "".join(names["in_a_cell"].source.lines) == text.split("\n\n", 1)[1]


@pytest.mark.parametrize(
    "text",
    [
        "\f@eft.jit\ndef kernel(x_ptr):\n    pass\n\f\nx = 1\n",
        "@eft.jit\n\fdef kernel(x_ptr):\n    pass\n\fx = 1\n",
        "if True:\n \f  @eft.jit\n  def kernel(x_ptr):\n \f    pass\n\f  x = 1\n",
    ],
)
def test_form_feeds(tmp_path, text):
    path = tmp_path / "pages.py"
    path.write_text(f"import eft\n{text}")
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    source = names["kernel"].source
    assert "x = 1" not in "".join(source.lines)
    line, column = source.place(source.tree.body[0])
    assert source.line(line)[column - 1 :] == "pass"


def test_a_file_that_has_changed(tmp_path):
    text = "import eft\n@eft.jit\ndef first(a):\n    pass\n"
    path = tmp_path / "changed.py"
    path.write_text(text)
    names = {}
    exec(compile(text, str(path), "exec"), names)
    for changed in (text.replace("first", "other"), text.replace("(a)", "(a, b)")):
        path.write_text(changed)
        with pytest.raises(eft.CompilationError) as raised:
            Source(names["first"].fn, text_of(names["first"].fn))
        assert raised.value.message == (
            "the file of 'first' has changed since Python read it: start it again"
        )


def test_columns_are_counted_in_characters():
    @eft.jit
    def kernel(x_ptr):
        tl.store(x_ptr, "ü" + wrong)  # noqa: F821

    with pytest.raises(eft.CompilationError) as raised:
        kernel.warmup(tl.int32, target="cpu")
    error = raised.value
    assert error.source[error.column - 1 :].startswith("wrong")


# -- when a file changes ------------------------------------------------------------------------

STORES = """import eft
import eft.language as tl

@eft.jit
def kernel(x_ptr):
    tl.store(x_ptr, {})
"""


@pytest.fixture(autouse=True)
def no_compiled_files(monkeypatch):
    """Turns bytecode files off. Python would run the old one if the changed file has the same size
    and was written in the same second."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)


def import_file(path, text):
    """Writes the text to the file `path`, and returns it as a module named for the file."""
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def stored(kernel) -> float:
    x = np.zeros(1, np.float32)
    kernel[(1,)](x)
    return x[0]


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_text(STORES.format(2)),  # a file of equal size, changed at once
        lambda path: path.write_text("# A line more.\n" + STORES.format(2)),
        lambda path: path.write_text("no Python at all ("),
        lambda path: path.write_text(""),
        lambda path: path.unlink(),
    ],
)
def test_a_file_that_changes_after_import_changes_no_kernel(tmp_path, change):
    path = tmp_path / "edited.py"
    module = import_file(path, STORES.format(1))
    change(path)
    assert stored(module.kernel) == 1


def test_a_module_that_is_loaded_again_has_its_new_source(tmp_path):
    path = tmp_path / "again.py"
    for number in range(1, 6):
        # All files have one size, and can have one time: the file system's clock is coarse.
        assert stored(import_file(path, STORES.format(number)).kernel) == number


def test_the_key_of_the_cache_goes_by_the_decorated_text(tmp_path):
    path = tmp_path / "keyed.py"
    variant = Variant("cpu", ("*fp32",), {}, {}, ("",))
    first = import_file(path, STORES.format(1)).kernel
    second = import_file(path, STORES.format(2)).kernel
    again = import_file(path, STORES.format(1)).kernel
    path.write_text("")
    one, other, same = (key_of(each, variant, "code") for each in (first, second, again))
    assert one == same
    assert one != other


def test_errors_show_the_decorated_text(tmp_path):
    path = tmp_path / "shown.py"
    kernel = import_file(path, STORES.format("wrong")).kernel
    path.write_text("something else\n" * 9)
    with pytest.raises(eft.CompilationError) as raised:
        stored(kernel)
    assert (raised.value.line, raised.value.source) == (6, "    tl.store(x_ptr, wrong)")


def test_errors_of_the_compiler_show_the_decorated_text(tmp_path):
    path = tmp_path / "refused.py"
    kernel = import_file(path, STORES.format("tl.sum(tl.sort(tl.arange(0, 1 << 20)))")).kernel
    path.write_text("something else\n" * 9)
    with pytest.raises(eft.CompilationError) as raised:
        kernel.warmup(tl.float32, target="cpu")
    assert (raised.value.line, raised.value.source) == (5, "def kernel(x_ptr):")


@pytest.mark.parametrize(
    "changed",
    [
        STORES.format(2),
        STORES.format("1.0"),  # equal numbers of different types
        STORES.format(1).replace("tl.store", "tl.load"),
        STORES.format(1).replace("kernel", "other"),
        STORES.format(1).replace("(x_ptr)", "(x_ptr, n)"),
        "\n" + STORES.format(1),
        "text = '''\n" + STORES.format(1),
        "import eft\n",
    ],
)
def test_a_function_decorated_after_its_file_has_changed(tmp_path, changed):
    path = tmp_path / "late.py"
    function = import_file(path, STORES.format(1)).kernel.fn
    assert stored(eft.jit(function)) == 1
    path.write_text(changed)
    with pytest.raises(eft.CompilationError) as raised:
        stored(eft.jit(function))
    assert raised.value.message == (
        "the file of 'kernel' has changed since Python read it: start it again"
    )


@pytest.mark.parametrize(
    "text",
    [
        """
class C:
 class D:
  @eft.jit
  def kernel(x_ptr):
   __private = 7
   tl.store(x_ptr, __private)
kernel = C.D.kernel
""",
        """
def f(a):
\tclass C:
\t\t@eft.jit
\t\tdef kernel(x_ptr):
\t\t\ttl.store(x_ptr, a)
\treturn C.kernel
kernel = f(tl.constexpr(7))
""",
        """
if True:
    @eft.jit
    def kernel(x_ptr):
        tl.store(x_ptr, tl.maximum(*[i for i in (3, 7)]))
""",
        """
@eft.jit(debug=(lambda kernel: False)(0))
def kernel(x_ptr):
    tl.store(x_ptr, 7)
""",
        """
@eft.jit
def kernel(x_ptr): tl.store(x_ptr, 1)
@eft.jit
def kernel(x_ptr): tl.store(x_ptr, 7)
""",
        """
@eft.jit
def kernel(x_ptr):
    'äöü'; tl.store(x_ptr, 7)
""",
    ],
)
def test_a_new_file_is_known_by_its_code(tmp_path, text):
    head = "from __future__ import annotations\nimport eft\nfrom eft import language as tl\n"
    assert stored(import_file(tmp_path / "new.py", head + text).kernel) == 7


def test_a_cell_whose_statements_are_compiled_one_by_one():
    text = STORES.format(7)
    linecache.cache["<cell 2>"] = len(text), None, text.splitlines(True), "<cell 2>"
    names = {}
    for statement in ast.parse(text).body:
        exec(compile(ast.Module([statement], []), "<cell 2>", "exec"), names)
    assert stored(names["kernel"]) == 7


def test_a_module_in_an_archive(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("packed_kernels.py", STORES.format(7))
    monkeypatch.syspath_prepend(tmp_path / "packed.zip")
    module = importlib.import_module("packed_kernels")
    (tmp_path / "packed.zip").unlink()
    assert stored(module.kernel) == 7


@pytest.mark.parametrize(
    "contents",
    [
        STORES.format(7).encode("utf-8-sig"),
        STORES.format(7).replace("\n", "\r\n").encode(),
        b"# coding: latin-1\n" + STORES.format("7); ('h\xe4'").encode("latin-1"),
    ],
    ids=["byte-order mark", "carriage returns", "latin-1"],
)
def test_how_a_file_may_be_encoded(tmp_path, contents):
    path = tmp_path / "encoded.py"
    path.write_bytes(contents)
    names = {"__name__": "encoded"}
    exec(compile(contents, str(path), "exec"), names)
    assert stored(names["kernel"]) == 7


def test_a_loader_that_rewrites_what_it_compiles(tmp_path):
    class Loader(importlib.machinery.SourceFileLoader):
        def source_to_code(self, data, path):
            return super().source_to_code(data.replace(b"assert", b"0,"), path)

    path = tmp_path / "rewritten.py"
    path.write_text(STORES.format("7)\n    assert (True"))
    spec = importlib.util.spec_from_file_location(
        "rewritten", loader=Loader("rewritten", str(path))
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert stored(module.kernel) == 7


def run_python(*arguments, text=None):
    run = subprocess.run([sys.executable, *arguments], input=text, capture_output=True, text=True)
    return run.stdout + run.stderr


SHOWS = (
    STORES.format(7)
    + "\nimport numpy as np\nx = np.zeros(1); kernel[(1,)](x); print('stored', x)\n"
)


def test_a_kernel_on_the_command_line():
    output = run_python("-c", SHOWS)
    if sys.version_info >= (3, 13):  # Python 3.13 keeps the text of the command line
        assert "stored [7.]" in output
    else:
        assert "the source of 'kernel' can't be read" in output


def test_a_kernel_from_standard_input():
    assert "the source of 'kernel' can't be read" in run_python("-", text=SHOWS)


def test_a_kernel_in_a_doctest(tmp_path):
    path = tmp_path / "example.txt"
    path.write_text(
        """
>>> import eft, eft.language as tl, numpy as np
>>> @eft.jit
... def kernel(x_ptr):
...     tl.store(x_ptr, 7)
>>> x = np.zeros(1)
>>> _ = kernel[(1,)](x)
>>> float(x[0])
7.0
"""
    )
    assert run_python("-m", "doctest", str(path)) == ""
