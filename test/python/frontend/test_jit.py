# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernel object: its parameters, the reasons why variants are compiled, the stages."""

import array
import copy
import logging
import multiprocessing
import pickle
import subprocess
import sys
from types import SimpleNamespace

import eft
import eft.language as tl
import numpy as np
import pytest
import pytorch
from support import assert_at


@eft.jit
def scale(x_ptr, n, stride, factor, BLOCK: tl.constexpr):
    """Multiplies by a factor."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets * stride, mask=mask)
    tl.store(x_ptr + offsets * stride, x * factor, mask=mask)


def test_attributes():
    assert scale.__name__ == "scale"
    assert scale.__doc__ == "Multiplies by a factor."
    assert scale.__module__ == __name__
    assert scale.arg_names == ["x_ptr", "n", "stride", "factor", "BLOCK"]
    assert repr(scale) == f"<eft kernel {__name__}.scale>"


def test_options_of_jit():
    @eft.jit(do_not_specialize=["n", 2], noinline=True, debug=True)
    def kernel(a, n, stride, m: tl.int64, c: "tl.const", k: "*fp32", B: "constexpr"):  # noqa: F722, F821
        pass

    assert [each.kind for each in kernel.parameters] == [0, 1, 1, 1, 0, 1, 2]
    assert kernel.parameters[3].dtype == tl.int64
    assert kernel.parameters[4].is_const
    assert kernel.parameters[5].dtype == tl.pointer_type(tl.float32)
    assert kernel.noinline and kernel.debug


@pytest.mark.parametrize("unknown", ["b", 1, -1])
def test_a_parameter_that_is_not_there(unknown):
    def kernel(a):
        pass

    with pytest.warns(UserWarning) as warned:
        made = eft.jit(kernel, do_not_specialize=[unknown, "a"])
    (warning,) = warned
    message = f"kernel() has no parameter {unknown!r} not to specialize on"
    line = kernel.__code__.co_firstlineno
    assert (str(warning.message), warning.filename, warning.lineno) == (message, __file__, line)
    assert [each.kind for each in made.parameters] == [1]


@pytest.mark.parametrize("option", ["do_not_specialize", "do_not_specialize_on_alignment"])
@pytest.mark.parametrize("value", ["n", 1])
def test_parameters_that_are_no_list(option, value):
    with pytest.raises(TypeError) as raised:
        eft.jit(scale.fn, **{option: value})
    assert str(raised.value) == (
        f"{option} must be a list of parameters' names or numbers, got {value!r}"
    )


def reasons(caplog):
    return [record.message for record in caplog.records if record.name == "eft"]


def test_only_what_the_code_can_use_is_specialized(caplog):
    @eft.jit
    def kernel(x_ptr, n, stride, factor, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + offsets * stride, mask=offsets < n)
        tl.store(x_ptr + offsets * stride, x * factor, mask=offsets < n)

    caplog.set_level(logging.INFO, logger="eft")
    x = np.ones(64, np.float32)
    kernel[1](x, 8, 3, 2.0, BLOCK=16)
    for n in (1, 16, 7, 0):
        kernel[1](x, n, 3, 0.5, BLOCK=16)
    assert reasons(caplog) == ["compiling kernel for cpu: first use"]
    kernel[1](x, 8, 1, 2.0, BLOCK=16)
    kernel[1](x, 3, 16, 2.0, BLOCK=4)
    kernel[1](x[1:], 8, 3, 2.0, BLOCK=16)
    kernel[1](x.astype(np.float64), 8, 3, 2.0, BLOCK=16)
    kernel[1](x, 8, 3, 2.0, BLOCK=16, num_warps=8)
    assert reasons(caplog)[1:] == [
        "compiling kernel for cpu: stride is 1",
        "compiling kernel for cpu: stride is divisible by 16; BLOCK = 4",
        "compiling kernel for cpu: x_ptr is not divisible by 16",
        "compiling kernel for cpu: x_ptr is *fp64",
        "compiling kernel for cpu: num_warps = 8",
    ]


def test_stages():
    x = np.ones(64, np.float32)
    kernel = scale[4](x, 64, 1, 2.0, BLOCK=16)
    assert isinstance(kernel, eft.CompiledKernel)
    assert (x == 2).all()
    assert list(kernel.asm) == ["ir", "placed", "llvm", "asm"]
    assert "func.func @scale" in kernel.asm["ir"]
    assert "#eft.layout" in kernel.asm["placed"]
    assert "define" in kernel.asm["llvm"]
    assert ".text" in kernel.asm["asm"]
    with pytest.raises(KeyError):
        kernel.asm["ptx"]
    assert kernel.metadata._asdict() == {
        "name": "scale",
        "target": "cpu",
        "num_warps": 4,
        "shared": 0,
        "maxnreg": None,
        "programs_per_block": 1,
        "max_programs": (2**31 - 1,) * 3,
    }
    assert repr(kernel) == "<eft kernel scale for cpu>"


def test_a_bound_on_registers(tmp_path, monkeypatch):
    for directory in (None, tmp_path, tmp_path):  # the third time, the code is in the cache
        if directory is not None:
            monkeypatch.setenv("EFT_CACHE_DIR", str(directory))
        free, bound, tight = (
            scale.warmup(tl.float32, 64, 1, 2.0, BLOCK=128, target="cuda:90", **options)
            for options in ({}, {"maxnreg": 64}, {"maxnreg": 32})
        )
        assert ".maxnreg" not in free.asm["ptx"]
        assert ".maxntid 128, 2, 1\n.maxnreg 64" in bound.asm["ptx"]
        assert ".maxnreg 32" in tight.binary.decode()
        assert [each.metadata.maxnreg for each in (free, bound, tight)] == [None, 64, 32]


def test_programs_per_block_are_in_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EFT_CACHE_DIR", str(tmp_path))
    for _ in range(2):  # the second time, nothing is compiled
        kernel = scale.warmup(tl.float32, 64, 1, 2.0, BLOCK=32, target="cuda:90", num_warps=1)
        assert kernel.metadata.programs_per_block == 7
        assert ".maxntid 32, 7, 1" in kernel.asm["ptx"]
        monkeypatch.delattr("eft.compiling.compile_here", raising=False)


def test_a_bound_on_registers_runs(device):
    x = device.put(np.ones(64, np.float32))
    kernel = scale[4](x, 64, 1, 2.0, BLOCK=16, maxnreg=32)
    assert (device.get(x) == 2).all()
    assert kernel.metadata.maxnreg == 32
    assert scale[4](x, 64, 1, 2.0, BLOCK=16, maxnreg=40) is not kernel
    assert scale[4](x, 64, 1, 2.0, BLOCK=16, maxnreg=32) is kernel


def test_warmup_with_arguments():
    x = np.ones(64, np.float32)
    kernel = scale.warmup(x, 64, 1, 2.0, BLOCK=16, grid=(4,))
    assert (x == 1).all()
    assert scale[4](x, 64, 1, 2.0, BLOCK=16) is kernel


@pytest.mark.parametrize(
    "argument",
    [tl.float32, np.dtype(np.float32), eft.MockTensor(tl.float32), np.ones(4, np.float32)],
)
def test_warmup_for_a_target(argument):
    compilation = scale.warmup(argument, 64, 1, 2.0, BLOCK=128, grid=None, target="cuda:90")
    assert list(compilation.asm) == ["ir", "placed", "llvm", "ptx"]
    assert ".target sm_90" in compilation.asm["ptx"]
    assert "!eft.ptr<f32> {eft.divisibility = 16 : i32}" in compilation.asm["ir"]
    assert compilation.binary.decode() == compilation.asm["ptx"]
    assert compilation.metadata.target == "cuda:90"


@eft.jit
def tells_options(x_ptr, num_warps, maxnreg: tl.constexpr):
    tl.store(x_ptr, num_warps * 100 + maxnreg)


def test_options_that_are_parameters():
    """An argument with the name of an option also sets the option if its parameter is constexpr."""
    x = np.zeros(1, np.int32)
    made = tells_options.warmup(x, num_warps=64, maxnreg=40)
    assert (made.metadata.num_warps, made.metadata.maxnreg) == (4, 40)
    assert tells_options[1](x, num_warps=64, maxnreg=40) is made
    assert x[0] == 6440
    with pytest.raises(TypeError, match="option 'maxnreg' must be an int from 1 to 255, or None"):
        tells_options.warmup(x, num_warps=1, maxnreg=0, target="cpu")


def test_warmup_reads_arrays_as_a_launch_does():
    interface = np.ones(4, np.float16).__array_interface__
    for each, element in (
        (array.array("f", [1, 2]), "f32"),  # an array of Python's standard library, without a dtype
        (SimpleNamespace(__array_interface__=interface), "f16"),
    ):
        compilation = scale.warmup(each, 4, 1, 2.0, BLOCK=16, target="cpu")
        assert f"!eft.ptr<{element}>" in compilation.asm["ir"]
    with pytest.raises(eft.CompilationError, match="read-only"):
        scale.warmup(np.frombuffer(bytes(16), np.int32), 4, 1, 2, BLOCK=16, target="cpu")
    for wrong, text in (
        (np.ones(4, complex), "argument 'x_ptr' has element type complex128, expected bool, int8"),
        (np.ones(4, ">f4"), "argument 'x_ptr' has element type >f4, expected bool, int8 to int64"),
        ("one", "argument 'x_ptr' must be an array, got str"),
    ):
        with pytest.raises(TypeError, match=f"^{text}"):
            scale.warmup(wrong, 4, 1, 2.0, BLOCK=16, target="cpu")


def test_warmup_for_a_tensor_without_memory():
    torch = pytest.importorskip("torch", reason=pytorch.REASON)
    x = torch.empty(4, dtype=torch.float16, device="meta")
    assert "!eft.ptr<f16>" in scale.warmup(x, 4, 1, 2.0, BLOCK=16, target="cpu").asm["ir"]


@pytest.mark.parametrize(
    "args, kwargs, message",
    [
        ((tl.float32,), {}, "scale() is missing the argument 'n'"),
        ((tl.float32, 1, 1, 1, 1, 1), {}, "scale() takes 5 arguments, got 6"),
        ((tl.float32,), {"m": 1}, "scale() got an unexpected keyword argument 'm'"),
        ((tl.float32,), {"x_ptr": 1}, "scale() got multiple values for argument 'x_ptr'"),
        (
            (np.dtype(np.complex64), 1, 1, 1, 1),
            {},
            "argument 'x_ptr': no kernel can work on dtype('complex64')",
        ),
        ((tl.void, 1, 1, 1, 1), {}, "argument 'x_ptr': no kernel can work on eft.language.void"),
        (
            (tl.block_type(tl.int32, (4,)), 1, 1, 1, 1),
            {},
            "argument 'x_ptr': no kernel can work on int32[4]",
        ),
        (
            (tl.float32, 1 << 70, 1, 1, 1),
            {},
            "argument 'n': an integer must be from -2**63 to 2**64 - 1, got ~2**70",
        ),
        (
            (tl.float32, 1, 1, 1, 1),
            {"num_warps": "4"},
            "kernel 'scale': option 'num_warps' must be a power of two from 1 to 32, got '4'",
        ),
        (
            (tl.float32, 1, 1, 1, 1),
            {"num_stages": -1},
            "kernel 'scale': option 'num_stages' must be an int from 0 to 1000, got -1",
        ),
        (
            (tl.float32, 1, 1, 1, 1),
            {"target": 90},
            "target must be a str such as 'cuda:90' or 'cpu', got 90",
        ),
    ],
)
def test_warmup_with_wrong_arguments(args, kwargs, message):
    with pytest.raises(TypeError) as raised:
        scale.warmup(*args, **{"target": "cuda:90"} | kwargs)
    assert str(raised.value) == message


@pytest.mark.parametrize("target", ["", "tpu", "cuda:", "sm_9x"])
def test_an_unknown_target(target):
    with pytest.raises(ValueError) as raised:
        scale.warmup(tl.float32, 1, 1, 1.0, 16, target=target)
    assert str(raised.value).endswith(f"such as 'host:x86-64-v3', got '{target}'")


@pytest.mark.parametrize(("number", "shown"), [("999", "99.9"), ("5000000000", "500000000.0")])
def test_a_target_that_no_gpu_has(number, shown):
    with pytest.raises(ValueError) as raised:
        scale.warmup(tl.float32, 1, 1, 1.0, 16, target=f"cuda:{number}")
    assert str(raised.value) == (
        f"no GPU has compute capability {shown}, which target 'cuda:{number}' names"
    )


FACTOR = tl.constexpr(4)
ADDED: tl.constexpr = 1
shape = tl.constexpr(1)


@eft.jit
def scaled(x):
    return x * FACTOR


@eft.jit
def reads_constants(x_ptr, n, N: tl.constexpr):
    x = tl.zeros((4,), tl.int32)
    tl.store(x_ptr, scaled(n) + ADDED + (x.shape[0] - 4))


@pytest.mark.parametrize(
    "name, value, marker, message",
    [
        ("FACTOR", tl.constexpr(5), "FACTOR", "'FACTOR' has changed from 4 to 5"),
        ("FACTOR", tl.constexpr(4.0), "FACTOR", "'FACTOR' has changed from 4 to 4.0"),
        ("ADDED", 2, "ADDED", "'ADDED' has changed from 1 to 2"),
    ],
)
def test_a_constant_that_changes_between_variants(monkeypatch, name, value, marker, message):
    x = np.zeros(1, np.int32)
    reads_constants[1](x, 3, N=1)
    monkeypatch.setitem(globals(), name, value)
    reads_constants[1](x, 3, N=1)  # this variant is compiled already
    with pytest.raises(eft.CompilationError) as raised:
        reads_constants[1](x, 3, N=repr(value))
    assert raised.value.message == (
        message + " since 'reads_constants' was first compiled, which reads it: pass it as an "
        "argument"
    )
    assert_at(raised.value, marker)
    monkeypatch.undo()
    reads_constants[1](x, 3, N=repr(value))
    assert x[0] == 13


def test_what_is_no_constant_of_the_kernel_may_change(monkeypatch):
    x = np.zeros(1, np.int32)
    reads_constants[1](x, 3, N=1)
    monkeypatch.setitem(globals(), "shape", tl.constexpr(2))  # the kernel reads `x.shape`
    monkeypatch.setitem(globals(), "FACTOR", tl.constexpr(2 + 2))
    reads_constants[1](x, 3, N="other")


def test_import_brings_in_little():
    # Some Python installations import modules at every start; these do not count.
    program = "import sys; before = set(sys.modules); import eft; print(set(sys.modules) - before)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    modules = set(eval(done.stdout))
    assert "eft._runtime" in modules
    assert not modules & {"numpy", "torch", "inspect", "ast", "logging", "json", "hashlib"}
    assert not modules & {"eft._compiler", "eft.compiler", "eft.driver"}


CACHED = """
import sys
import eft, eft.language as tl
import numpy as np

@eft.autotune([eft.Config({"BLOCK": 64}), eft.Config({"BLOCK": 128})], key=["n"])
@eft.jit
def adds(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, tl.load(x_ptr + offsets) + 1)

x = np.zeros(1024, np.float32)
before = set(sys.modules)
adds[lambda meta: (1024 // meta["BLOCK"],)](x, 1024)
assert (x >= 1).all()
print(set(sys.modules) - before)
"""


def test_a_launch_whose_choice_and_code_are_cached_brings_in_little(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(CACHED)
    for _ in range(2):
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    modules = set(eval(done.stdout))
    assert "eft.driver" in modules
    assert not modules & {"hashlib", "copy", "json", "re", "inspect", "ast", "tokenize", "logging"}
    assert not modules & {"eft.compiler.emitter", "eft.warmup", "eft.tuning.measuring"}
    assert not modules & {"eft._compiler", "eft.hooks", "eft.left_out", "eft.reasons"}
    assert not modules & {"eft.compiling", "eft.syntax", "eft.asm", "eft.metadata", "eft.threads"}


def test_threads_compile_at_once():
    from concurrent.futures import ThreadPoolExecutor

    def run(block):
        x = np.ones(1024, np.float32)
        scale[eft.cdiv(1024, block)](x, 1024, 1, float(block), BLOCK=block)
        return (x == block).all()

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(run, [2**k for k in range(4, 11)] * 4))


class Holder:
    @eft.jit
    def method(x_ptr):
        tl.store(x_ptr, 1)


@pytest.mark.parametrize(
    "value", [scale, Holder.method, tl.PropagateNan.ALL, tl.float8e5, tl.float32, tl.exp]
)
@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))]
)
def test_copies(value, copied):
    again = copied(value)
    assert again == value
    assert again is value or isinstance(value, tl.dtype) or value == tl.float8e5


def test_a_kernel_in_what_is_copied():
    holds = copy.deepcopy({"kernel": scale, "n": [1]})
    assert holds["kernel"] is scale


def test_a_kernel_that_can_not_be_found_by_name():
    @eft.jit
    def local(x_ptr):
        pass

    with pytest.raises((AttributeError, pickle.PicklingError), match="local object"):
        pickle.dumps(local)
    assert copy.copy(local) is local


def test_a_kernel_in_another_process():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(type, (scale,)).__name__ == "JITFunction"
