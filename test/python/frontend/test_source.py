# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a function ends in its file, and where its parts are."""

import inspect
import linecache

import eft
import eft.language as tl
import pytest
from eft.source import Source

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
def at_the_end_of_a_function(x_ptr):
    tl.store(x_ptr, 1)

# fmt: on


FUNCTIONS = [
    long_head,
    one_line,
    before_something,
    Outer.Inner.indented,
    in_a_block,
    at_the_end_of_a_function,
]


@pytest.mark.parametrize("kernel", FUNCTIONS, ids=lambda kernel: kernel.__name__)
def test_it_is_what_python_finds(kernel):
    source = Source(kernel.fn)
    lines, first_line = inspect.getsourcelines(kernel.fn)
    assert source.first_line == first_line
    # Python leaves out what follows of blank lines and comments.
    assert source.text.startswith("".join(lines).rstrip())
    rest = source.text[len("".join(lines).rstrip()) :].splitlines()
    assert all(not line.strip() or line.strip().startswith("#") for line in rest)
    assert source.tree.name == kernel.__name__


def test_the_file_is_one_line_longer_than_the_function():
    source = before_something.source
    assert source.lines[-1].strip() == "tl.store(x_ptr, 1)"


def test_a_function_of_a_notebook():
    text = "import eft\n\n@eft.jit\ndef in_a_cell(x_ptr):\n    pass\n"
    linecache.cache["<cell 1>"] = len(text), None, text.splitlines(True), "<cell 1>"
    names = {}
    exec(compile(text, "<cell 1>", "exec"), names)
    assert names["in_a_cell"].source.text == text.split("\n\n", 1)[1]


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
    assert "x = 1" not in source.text
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
            Source(names["first"].fn)
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
