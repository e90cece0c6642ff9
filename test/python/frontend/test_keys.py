# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The keys of the disk cache: which kernels have different keys, and which a new process finds."""

import dataclasses
import enum
import fractions
import functools
import importlib.util
import math
import os
import subprocess
import sys
import textwrap
import threading
import typing

import eft
import eft.language as tl
import numpy as np
import pytest
from eft import _runtime, driver
from eft.stable_text import NotStable, StableText, stable_text
from support import key_of


@eft.jit
def scale(x_ptr, n, stride, factor, BLOCK: tl.constexpr):
    """Multiplies by a factor."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets * stride, mask=mask)
    tl.store(x_ptr + offsets * stride, x * factor, mask=mask)


def variant(**changes):
    given = {
        "target": "cuda:90",
        "types": ("*fp32", None),
        "constexprs": {"N": 4},
        "options": {"num_warps": 4},
        "specialization": ("", ""),
    }
    return driver.Variant(**{**given, **changes})


def load_module(path, text):
    path.write_text(textwrap.dedent(text))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SOURCE = """
import eft, eft.language as tl
import math, types
other = types.ModuleType("other")
other.SIZE = {size}
C = tl.constexpr({constant})
D: tl.constexpr = {annotated}
TYPE = tl.{type}
function = tl.{function}

@eft.jit
def helper(x, scale={default}):
    return x.to(TYPE) + {added}

def make():
    inner = tl.constexpr({closed})
    @eft.jit
    def kernel(x_ptr, N: tl.constexpr):
        tl.store(x_ptr, function(helper(C)) + N + other.SIZE + math.pi + D + inner)
    return kernel

kernel = make()
"""


GIVEN = {
    "size": 1,
    "constant": 1,
    "annotated": 1,
    "type": "float32",
    "function": "exp",
    "default": 1,
    "added": 1,
    "closed": 1,
}


def test_a_key_has_everything_that_the_code_depends_on(tmp_path, monkeypatch):
    def key(change=None, kind="code", **changes):
        # Each module gets a file of its own, since Python caches the sources that it has read.
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        module = load_module(folder / "m.py", SOURCE.format(**GIVEN | changes))
        return key_of(module.kernel, change or variant(), kind)

    keys = [
        key(),
        key(size=2),
        key(constant=2),
        key(constant=1.0),
        key(annotated=2),
        key(type="float64"),
        key(function="log"),
        key(default=2),
        key(added=2),
        key(closed=2),
        key(variant(target="cuda:80")),
        key(variant(types=("*fp16", None))),
        key(variant(constexprs={"N": 8})),
        key(variant(constexprs={"N": True})),
        key(variant(options={"num_warps": 8})),
        key(variant(specialization=("16", ""))),
        key(variant(target="cpu")),
        key(kind="addresses"),
    ]
    monkeypatch.setattr("eft.version.fingerprint", lambda: "another build")
    keys.append(key())
    assert None not in keys
    assert len(set(keys)) == len(keys)
    monkeypatch.undo()
    assert key() == keys[0]


def reason(function, **changes) -> str:
    """The reason why a variant has no key."""
    with pytest.raises(NotStable) as raised:
        key_of(function, variant(**changes), "code")
    return str(raised.value)


def test_what_has_no_stable_text_is_named():
    lock = threading.Lock()
    assert reason(scale, constexprs={"N": lock}) == (
        "'N' can't be kept from process to process: cannot pickle '_thread.lock' object"
    )

    class Thing:
        size = 1
        lock = threading.Lock()

    constant = tl.constexpr((1, Thing()))

    @eft.jit
    def kernel(x_ptr):
        tl.store(x_ptr, constant[1].size)

    assert reason(kernel) == (
        "'constant[1].lock' can't be kept from process to process: cannot pickle '_thread.lock' "
        "object"
    )


def test_a_module_as_a_value_has_no_stable_text(tmp_path):
    module = load_module(
        tmp_path / "m.py",
        """
        import eft, eft.language as tl, types
        other = types.ModuleType("other")

        @eft.jit
        def kernel(x_ptr, name: tl.constexpr):
            tl.store(x_ptr, getattr(other, name))
        """,
    )
    assert reason(module.kernel) == (
        "'other' is a module of which anything may be read: read its attributes by name"
    )


def test_what_is_read_of_modules_counts_and_nothing_else(tmp_path):
    module = load_module(
        tmp_path / "m.py",
        """
        import eft, eft.language as tl, threading, types, math, numpy as np
        other = types.ModuleType("other")
        other.inner = types.ModuleType("inner")
        other.inner.SIZE = 1
        other.store = threading.Lock()  # which is not what the kernel's `tl.store` is

        @eft.jit
        def kernel(x_ptr):
            tl.store(x_ptr, other.inner.SIZE + math.pi + np.pi)
        """,
    )

    def key():
        return key_of(module.kernel, variant(), "code")

    before = key()
    module.other.inner.unused = 5
    assert key() == before
    module.other.inner.SIZE = 2
    assert key() != before


DECORATED = """
import eft, eft.language as tl, threading
AROUND = [{around}, threading.Lock()]

def around(*given):
    return lambda function: function

@around(AROUND, {around})
@eft.jit
@around(AROUND)
def kernel(x_ptr, N: tl.constexpr):
    tl.store(x_ptr, N)
"""


def test_decorators_do_not_count(tmp_path):
    keys = set()
    for around in (1, 2):
        folder = tmp_path / str(around)
        folder.mkdir()
        module = load_module(folder / "m.py", DECORATED.format(around=around))
        keys.add(key_of(module.kernel, variant(), "code"))
        assert module.kernel.source.definition.startswith("def kernel(x_ptr")
    assert len(keys) == 1


def test_the_line_and_the_name_of_the_file_count_and_its_folder_does_not(tmp_path):
    def key(path, before=""):
        path.parent.mkdir(exist_ok=True)
        module = load_module(path, before + textwrap.dedent(SOURCE.format(**GIVEN)))
        return key_of(module.kernel, variant(), "code")

    first = key(tmp_path / "a" / "m.py")
    assert key(tmp_path / "b" / "m.py") == first
    assert key(tmp_path / "a" / "n.py") != first
    # The code also contains the line numbers of the functions that the kernel calls.
    assert key(tmp_path / "c" / "m.py", before="\n") != first


def test_decorators_of_an_indented_function_do_not_count():
    def same(function):
        return function

    @same
    @eft.jit
    def kernel(x_ptr):
        tl.store(x_ptr, 1)

    assert kernel.source.lines[0].lstrip().startswith("@same\n")
    assert kernel.source.definition.strip() == ("def kernel(x_ptr):\n        tl.store(x_ptr, 1)")


def test_a_global_that_only_a_comprehension_reads_counts(tmp_path):
    module = load_module(
        tmp_path / "m.py",
        """
        import eft, eft.language as tl
        C = tl.constexpr(1)

        @eft.jit
        def kernel(x_ptr):
            a, b = [tl.load(x_ptr + i + C) for i in range(2)]
            tl.store(x_ptr, a + b)
        """,
    )
    before = key_of(module.kernel, variant(), "code")
    module.C = tl.constexpr(2)
    assert key_of(module.kernel, variant(), "code") != before


@eft.jit
def uses_python(x_ptr, N: tl.constexpr):
    total = tl.zeros((N,), tl.float32) - float("inf")
    for i in range(int(3.0)):
        for j in tl.static_range(min(2, 3)):
            for k in tl.range(0, max(1, 2), num_stages=1):
                total += abs(i) + j + k
    if isinstance(N, int) and bool(len(tuple((1, 2)))) and hasattr(N, "real"):
        part: tl.constexpr = "real"
        tl.store(x_ptr + tl.arange(0, N), total * getattr(N, part))


def test_a_kernel_that_uses_pythons_own_functions_has_a_key():
    keys = [key_of(uses_python, variant(), kind) for kind in ("code", "addresses")]
    assert len(set(keys)) == 2


# -- texts of values -------------------------------------------------------------------------------


def test_everything_in_the_language_has_a_text_of_its_own():
    found = {}
    for module in (tl, tl.math, math):
        for name, value in vars(module).items():
            if not name.startswith("_"):
                assert found.setdefault(stable_text(value), value) is value, name


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 1


@dataclasses.dataclass(frozen=True)
class Config:
    size: int = 1

    @property
    def twice(self):
        return 2 * self.size


@dataclasses.dataclass(frozen=True)
class Other:
    size: int = 1


@dataclasses.dataclass(frozen=True, slots=True)
class Slots:
    size: int = 1


class Pair(typing.NamedTuple):
    a: int
    b: int


class Sum(typing.NamedTuple):
    a: int
    b: int

    @property
    def total(self):
        return self.a + self.b


def adder(n):
    return lambda x: x + n


VALUES = [
    None, ..., True, False, 1, 2, 1.0, 0.0, -0.0, float("inf"), float("nan"), 10**5000,
    "", "1", b"1", 1j, -1j, (), (1,), (1.0,), [1], {1}, frozenset([1]), {1: 2}, {1: 3}, {2: 3},
    slice(1), slice(1, 2), range(1), range(1, 2), (1, (2,)), (1, 2), ("1, str 2",), ("1", "2"),
    Color.RED, Color.BLUE, Color, Level.LOW, Level,
    Config(), Config(2), Config, Other(), Slots(), Slots(2), Pair(1, 2), Sum(1, 2), Pair, Sum,
    adder(1), adder(2), lambda x: x - 1, functools.partial(adder, 1), functools.partial(adder, 2),
    functools.lru_cache(adder(3)), functools.lru_cache(adder(4)), adder,
    tl.float32, tl.pointer_type(tl.float32), tl.float16, tl.PropagateNan.ALL, tl.PropagateNan.NONE,
    np, np.float32, np.dtype("f4"), np.dtype("i4"), np.exp, np.log, np.arange(3), np.arange(4),
    math.exp, math.log, len, int, float, print, fractions.Fraction(1, 2), fractions.Fraction(1, 3),
    "abc".upper, "abd".upper, "abc".lower, Color.__members__,
]  # fmt: skip


def test_different_values_have_different_texts():
    texts = {}
    for value in VALUES:
        other = texts.setdefault(stable_text(value), value)
        assert other is value, (other, value)


def test_values_of_pytorch_have_texts_of_their_own():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    values = [torch.float32, torch.float16, torch.device("cpu"), torch.exp, torch.log, torch]
    assert len({stable_text(value) for value in values}) == len(values)


def test_equal_values_have_one_text():
    for make in (
        lambda: (1, [2], {"a": Config(3)}),
        lambda: Color(1),
        lambda: frozenset(["one", "two", "three"]),
        lambda: np.float32(2),
        lambda: adder(1),
    ):
        assert stable_text(make()) == stable_text(make())
    assert stable_text(tl.constexpr(3)) == stable_text(3) == stable_text(np.int64(3))


def test_what_holds_itself_has_a_text():
    def make(last):
        found = [1]
        found += [found, last]
        return found

    assert stable_text(make(2)) == stable_text(make(2)) != stable_text(make(3))


def test_what_is_nested_deeply_has_none():
    value = ()
    for _ in range(100_000):
        value = (value,)
    with pytest.raises(NotStable, match="is nested too deeply"):
        StableText().of(value)


def test_large_arrays_have_no_text():
    with pytest.raises(NotStable, match="it is an array"):
        stable_text(np.zeros(1 << 16))


CODE = """
import dataclasses, eft, eft.language as tl
from eft.language import constexpr_function
COUNT = {count}
TABLE = {{"a": {entry}}}

def inner(n):
    return n + {added} + COUNT

@constexpr_function
def outer(n, default={default}):
    return [inner(i) + TABLE["a"] for i in range(n)][-1]

@dataclasses.dataclass(frozen=True)
class Config:
    size: int
    @property
    def twice(self):
        return {factor} * self.size

CONFIG = tl.constexpr(Config({size}))

@eft.jit
def one(x):
    return x

@eft.jit
def two(x):
    return x + 1

f, g, h = one, two, {third}

@eft.jit
def kernel(x_ptr):
    tl.store(x_ptr, f(1) + g(2) + h(3) + outer(3) + CONFIG.twice)
"""
BASE = {
    "count": 1,
    "entry": 1,
    "added": 1,
    "default": 1,
    "factor": 2,
    "size": 4,
    "third": "one",
}


def test_python_functions_and_classes_count_with_all_that_they_read(tmp_path):
    def key(**changes):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        module = load_module(folder / "m.py", CODE.format(**BASE | changes))
        return key_of(module.kernel, variant(), "code")

    keys = [key(), key(third="two")]
    keys += [key(**{name: BASE[name] + 1}) for name in BASE if name != "third"]
    assert len(set(keys)) == len(keys)
    assert key() == keys[0]


# -- a second process ------------------------------------------------------------------------------


SCRIPT = """
import logging, sys
import numpy as np
import eft, eft.language as tl
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")

@eft.jit
def kernel(x_ptr, N: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, N), tl.arange(0, N))

x = np.zeros(32, np.int32)
compiled = kernel[1](x, N=32)
print(x.sum(), "eft.compiling" in sys.modules)
print("func.func" in compiled.asm["ir"])
"""


def run_script(path, **environment):
    import os

    command = [sys.executable, str(path)]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **environment}, check=True
    )
    return done.stdout.splitlines()


def test_a_second_process_finds_the_code_on_the_disk(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    cache = {"EFT_CACHE_DIR": str(tmp_path / "cache")}
    assert run_script(script, **cache) == [
        "compiling kernel for cpu: first use",
        "496 True",
        "True",
    ]
    assert run_script(script, **cache) == ["496 False", "True"]


LEFT_OUT = """
import logging, sys, threading
import numpy as np
import eft, eft.language as tl
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")

class Held:
    pass

held = Held()
{fill}
HELD = tl.constexpr(held)

@eft.jit
def kernel(x_ptr):
    tl.store(x_ptr, HELD.size)

kernel[1](np.zeros(1, np.int32))
"""


def test_a_kernel_that_is_left_out_is_logged_and_shown(tmp_path):
    script, cache = tmp_path / "script.py", {"EFT_CACHE_DIR": str(tmp_path / "cache")}

    def shown():
        import os

        done = subprocess.run(
            [sys.executable, "-m", "eft", "info"],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, **cache},
        )
        return [line for line in done.stdout.splitlines() if line.startswith("not kept")]

    script.write_text(LEFT_OUT.format(fill="held.size, held.lock = 1, threading.Lock()"))
    why = "'HELD.lock' can't be kept from process to process: cannot pickle '_thread.lock' object"
    for _ in range(2):
        assert run_script(script, **cache) == [
            "compiling kernel for cpu: first use",
            f"not keeping kernel for cpu in the cache: {why}",
        ]
        assert shown() == [f"not kept   __main__.kernel: {why}"]
    script.write_text(LEFT_OUT.format(fill="held.size = 1"))
    assert run_script(script, **cache) == ["compiling kernel for cpu: first use"]
    assert shown() == []
    assert run_script(script, **cache) == []


def test_a_cache_that_keeps_nothing_is_logged(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(LEFT_OUT.format(fill="held.size = 1"))
    small = run_script(script, EFT_CACHE_DIR=str(tmp_path / "cache"), EFT_CACHE_SIZE="100")
    assert small[1].startswith("not keeping kernel for cpu in the cache: its ")
    assert small[1].endswith(" bytes are more than the cache's bound of 100 (EFT_CACHE_SIZE)")
    (tmp_path / "file").write_text("")
    for environment, why in (
        ({"EFT_CACHE_SIZE": "0"}, "the cache is off (EFT_CACHE_SIZE is 0)"),
        (
            {"EFT_CACHE_DIR": str(tmp_path / "file")},
            f"'{tmp_path / 'file'}' can't be written: Not a directory",
        ),
    ):
        assert run_script(script, **environment) == [
            "compiling kernel for cpu: first use",
            f"not keeping kernel for cpu in the cache: {why}",
        ]


def test_a_file_whose_name_is_no_text(tmp_path):
    folder = tmp_path / os.fsdecode(b"\xff")
    folder.mkdir()
    module = load_module(
        folder / os.fsdecode(b"odd\xff.py"),
        """
        import eft, eft.language as tl

        @eft.jit
        def kernel(x_ptr):
            tl.store(x_ptr, 3.0)
        """,
    )
    x = np.zeros(1, np.float32)
    module.kernel[(1,)](x)
    assert x[0] == 3
    variant = driver.Variant("cpu", ("*fp32",), {}, {"num_warps": 4}, ("16",))
    assert _runtime.cache_get(key_of(module.kernel, variant, "code")) is not None
    assert len(module.kernel.cache_key) == 64
