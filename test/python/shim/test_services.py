# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of `triton` that programs use beside the language: the device, caches, profiles and
tools."""

from __future__ import annotations

import json
import os
import sys

import eft
import eft.language as tl
import eft.testing
import numpy as np
import pytest
from eft import _runtime, gpu_testing
from eft.triton import knobs, profiler
from eft.triton.backends import backends
from eft.triton.backends.compiler import BaseBackend, GPUTarget
from eft.triton.backends.driver import DriverBase
from eft.triton.compiler import compiler
from eft.triton.runtime import _allocation, _async_compile, autotuner, cache, errors, jit
from eft.triton.runtime.driver import driver
from eft.triton.tools import compile as tools_compile
from eft.triton.tools import disasm
from eft.triton.tools.tensor_descriptor import TensorDescriptor
from pytorch import needs_torch

PAPER = {
    "name": "Paper", "target": "cuda:90", "compute_capability": (9, 0), "multiprocessor_count": 132,
    "clock_rate_khz": 1980000, "memory_clock_khz": 3201000, "memory_bus_bits": 6144,
    "max_shared_memory": 232448, "max_registers_per_block": 65536,
}  # fmt: skip


@pytest.fixture
def paper_gpu(monkeypatch):
    """Replaces functions of the runtime, which then report a GPU that cannot be used."""
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(_runtime, "device_count", lambda: 1)
    monkeypatch.setattr(_runtime, "device_properties", lambda device: dict(PAPER))
    monkeypatch.setattr(_runtime, "current_stream", lambda device: 5)


@eft.jit(launch_metadata=lambda grid, metadata, args: {"bytes": 4 * args["n"], "text": "no number"})
def doubles(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)


# -- the device ------------------------------------------------------------------------------------


def test_the_facts_about_a_gpu(paper_gpu):
    active = driver.active
    assert active.get_current_target() == GPUTarget("cuda", 90, 32)
    assert active.get_device_capability() == (9, 0) and active.get_current_stream() == 5
    facts = active.utils.get_device_properties(0)
    assert facts["max_shared_mem"] == 232448 and facts["mem_bus_width"] == 6144
    assert (facts["warpSize"], facts["max_num_regs"]) == (32, 65536)
    assert (facts["sm_clock_rate"], facts["mem_clock_rate"]) == (1980000, 3201000)
    assert compiler.max_shared_mem(0) == 232448
    assert backends["nvidia"].driver.is_active() and not backends["cpu"].driver.is_active()


def test_a_variable_makes_the_cpu_the_device(paper_gpu, monkeypatch):
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    active = driver.active
    assert active.get_current_target() == GPUTarget("cpu", None, 1)
    assert active.get_active_torch_device() == "cpu"
    assert (active.get_device_capability(), active.get_current_stream()) == ((0, 0), 0)
    facts = active.utils.get_device_properties(0)
    assert facts["multiprocessor_count"] == _runtime.host_threads() and facts["warpSize"] == 1


def test_a_driver_of_a_program(monkeypatch):
    class Own(DriverBase):
        is_active = classmethod(lambda cls: True)
        map_python_to_cpp_type = get_current_target = get_active_torch_device = None
        get_benchmarker = None

    own = Own()
    driver.set_active(own)
    assert driver.active is own
    driver.reset_active()
    assert driver.active is driver.default and isinstance(driver.active, DriverBase)


def test_types_in_c():
    assert driver.active.map_python_to_cpp_type("*fp16") == "CUdeviceptr"
    assert driver.active.map_python_to_cpp_type("u32") == "uint32_t"
    with pytest.raises(ValueError) as raised:
        driver.active.map_python_to_cpp_type("f8")
    assert str(raised.value) == (
        "expected a type of a signature such as '*fp32' or 'i32', got 'f8'"
    )


def test_backends_by_their_targets():
    cuda, cpu = GPUTarget("cuda", 90, 32), GPUTarget("cpu", None, 1)
    backend = compiler.make_backend(cuda)
    options = backend.parse_options({"num_warps": 8, "waves_per_eu": 2})
    assert (options.num_warps, options.arch, options.backend_name) == (8, "sm90", "cuda")
    assert options.hash() != backend.parse_options({}).hash()
    assert backend.hash() != compiler.make_backend(cpu).hash()
    assert isinstance(backend, BaseBackend) and (cuda.name, cpu.name) == ("cuda:90", "cpu")
    with pytest.raises(RuntimeError, match=r"^Eft compiles for 'cuda' and 'cpu', got GPUTarget\("):
        compiler.make_backend(GPUTarget("hip", "gfx942", 64))
    with pytest.raises(ValueError, match=r"^CPUBackend can't compile for GPUTarget\("):
        backends["cpu"].compiler(cuda)


# -- kernels ---------------------------------------------------------------------------------------


def source(**changes):
    facts = {
        "signature": {"x_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"},
        "constexprs": {"BLOCK": 16},
        "attrs": {(0,): [["tt.divisibility", 16]]},
    }
    return compiler.ASTSource(doubles, **{**facts, **changes})


def test_a_kernel_is_compiled_for_a_target():
    made = compiler.compile(source(), target=GPUTarget("cuda", 80, 32), options={"num_warps": 2})
    assert ".target sm_80" in made.asm["ptx"] and ".reqntid 64" in made.asm["ptx"]
    assert "eft.divisibility = 16" in made.asm["ir"]
    assert (made.src.name, made.metadata.num_warps) == ("doubles", 2)
    assert source().hash() != source(constexprs={"BLOCK": 32}).hash()
    assert "eft.divisibility" not in compiler.compile(source(attrs=None)).asm["ir"]


def test_every_divisor_of_an_argument_counts():
    made = compiler.compile(source(attrs={(1,): [["tt.divisibility", 8]]}))
    assert "i32 {eft.divisibility = 8 : i32}" in made.asm["ir"]
    made = compiler.compile(source(attrs={(1,): [["tt.divisibility", 48]]}))
    assert "i32 {eft.divisibility = 16 : i32}" in made.asm["ir"]


@pytest.mark.parametrize(
    "use, error, message",
    [
        (
            lambda: compiler.compile(3),
            TypeError,
            "compile takes an ASTSource or the path of a file, got 3",
        ),
        (
            lambda: compiler.compile(source(), target="cuda:90"),
            TypeError,
            "target must be a GPUTarget, got 'cuda:90'",
        ),
        (
            lambda: compiler.compile(source(constexprs={})),
            TypeError,
            "doubles() has no value for the constexpr 'BLOCK'",
        ),
        (
            lambda: compiler.compile(source(signature={"x_ptr": "*f", "n": "i32"})),
            TypeError,
            "the type of 'x_ptr' must be one such as '*fp32' or 'i32', got '*f'",
        ),
        (
            lambda: source(signature={0: "*fp32"}),
            TypeError,
            "a signature's keys must be parameters' names, got 0",
        ),
    ],
)
def test_mistakes_in_what_is_compiled(use, error, message):
    with pytest.raises(error) as raised:
        use()
    assert str(raised.value) == message


def test_the_place_of_a_kernel():
    class Tuned:
        fn = doubles

    line = doubles.starting_line_number + 1  # below the decorator
    assert jit.get_jit_fn_file_line(Tuned) == (__file__, line)
    assert jit.get_full_name(doubles) == f"{__name__}.doubles"
    assert isinstance(doubles, jit.JITCallable) and isinstance(eft.cdiv, jit.JITCallable)
    assert isinstance(eft.cdiv, jit.ConstexprFunction) and not isinstance(len, jit.JITCallable)


@pytest.mark.parametrize(
    "value, name", [(1, "i32"), (2**40, "i64"), (1.5, "fp32"), (True, "i1"), (np.ones(1), "*fp64")]
)
def test_types_of_arguments(value, name):
    assert jit.mangle_type(value) == name


@eft.jit
def reads_bits(x_ptr, out):
    tl.static_assert(x_ptr.dtype.element_ty == tl.int32)
    tl.store(out, tl.load(x_ptr))


def test_an_array_of_other_elements():
    x, out = np.ones(4, np.float32), np.zeros(1, np.int32)
    wrapped = jit.reinterpret(x, tl.int32)
    reads_bits[(1,)](wrapped, out)
    assert out[0] == x.view(np.int32)[0]
    assert jit.reinterpret(wrapped, x.dtype) is x
    assert str(wrapped) == "TensorWrapper[int32]([1. 1. 1. 1.])"
    with pytest.raises(TypeError, match="^reinterpret takes a tensor, got int$"):
        jit.reinterpret(3, tl.int32)


@needs_torch
def test_a_tensor_of_other_elements():
    import torch

    x, out = torch.ones(4), torch.zeros(1, dtype=torch.int32)
    wrapped = jit.reinterpret(x, torch.int32)
    reads_bits[(1,)](wrapped, out)
    assert out[0] == x.view(torch.int32)[0]
    assert wrapped.clone().shape == x.shape and wrapped.data_ptr() == x.data_ptr()
    assert wrapped.element_size() == 4 and wrapped.stride(0) == 1


# -- errors and memory -----------------------------------------------------------------------------


def test_errors_have_a_common_base():
    for name in errors.__all__:
        assert issubclass(getattr(errors, name), eft.errors.EftError)
    assert str(errors.PTXASError("bad")) == "PTXAS error: bad"
    assert str(errors.InterpreterError("why")) == "why"
    error = errors.OutOfResources(300000, 232448, "shared memory")
    assert str(error).startswith(
        "out of resource: shared memory, Required: 300000, Hardware limit: 232448."
    )
    import pickle

    again = pickle.loads(pickle.dumps(error))
    assert (again.required, again.limit, again.name) == (300000, 232448, "shared memory")


def test_allocators_are_kept():
    with pytest.raises(RuntimeError, match="^no allocator is set: triton.set_allocator sets one$"):
        _allocation._allocator.get()(1, 16, None)
    token = _allocation._allocator.set(print)
    assert _allocation._allocator.get() is print
    _allocation._allocator.reset(token)


def test_compiles_in_the_background():
    from concurrent.futures import ThreadPoolExecutor

    done = []
    with ThreadPoolExecutor(1) as pool, _async_compile.AsyncCompileMode(pool) as mode:
        first = mode.submit("key", lambda: 7, done.append)
        assert mode.submit("key", lambda: 8, done.append) is first
        with pytest.raises(RuntimeError, match="^an AsyncCompileMode is entered already$"):
            _async_compile.AsyncCompileMode(pool).__enter__()
        fails = mode.submit("other", lambda: 1 // 0, done.append)
        assert fails.result(ignore_errors=True) is None
        with pytest.raises(ZeroDivisionError):
            fails.result()
        del mode.future_kernels["other"]
    assert done == [7] and first.kernel == 7


def test_tuning_is_of_its_own_module():
    for name in autotuner.__all__:
        assert getattr(autotuner, name) is not None


# -- files -----------------------------------------------------------------------------------------


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    return tmp_path


def test_files_under_a_key(folder):
    files = cache.get_cache_manager("ab" * 32)
    assert files.get_file("a.json") is None and files.get_group("all") is None
    path = files.put("text", "a.json", binary=False)
    assert open(path).read() == "text" and files.get_file("a.json") == path
    assert open(files.put(b"\0", "b.bin"), "rb").read() == b"\0"
    files.put_group("all", {"a.json": path, "gone": path + "x"})
    assert cache.get_cache_manager("ab" * 32).get_group("all") == {"a.json": path}
    assert cache.get_cache_manager("cd" * 32).get_file("a.json") is None
    assert os.path.dirname(os.path.dirname(path)) == str(folder)
    assert sorted(os.listdir(os.path.dirname(path))) == ["__grp__all", "a.json", "b.bin"]


def test_files_that_override_others(folder, monkeypatch):
    monkeypatch.setenv("TRITON_OVERRIDE_DIR", str(folder / "mine"))
    assert cache.get_override_manager("ab").get_file("a") is None
    assert not (folder / "mine").exists()


def test_a_file_that_cannot_be_kept_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    files = cache.FileCacheManager("key")
    (tmp_path / "key" / "folder").mkdir()
    with pytest.raises(OSError):
        files.put(b"data", "folder")
    assert os.listdir(tmp_path / "key") == ["folder"]


class Remote(cache.RemoteCacheBackend):
    files: dict = {}

    def get(self, filenames):
        return {name: self.files[name] for name in filenames if name in self.files}

    def put(self, filename, data):
        self.files[filename] = data


def test_files_on_another_machine(folder, monkeypatch):
    monkeypatch.setenv("TRITON_REMOTE_CACHE_BACKEND", f"{__name__}:Remote")
    monkeypatch.setenv("TRITON_CACHE_MANAGER", "eft.triton.runtime.cache:RemoteCacheManager")
    files = cache.get_cache_manager("ab")
    assert files.get_file("a") is None and files.get_group("all") is None
    path = files.put("text", "a")
    files.put_group("all", {"a": path})
    assert Remote.files["a"] == b"text"
    os.remove(path)
    assert files.get_group("all") == {"a": path} and open(path).read() == "text"
    monkeypatch.delenv("TRITON_REMOTE_CACHE_BACKEND")
    with pytest.raises(RuntimeError) as raised:
        cache.get_cache_manager("ab")
    assert str(raised.value) == (
        "there is no remote cache: TRITON_REMOTE_CACHE_BACKEND names one as MODULE:CLASS"
    )


def test_keys_tell_sources_options_and_targets_apart():
    backend = compiler.make_backend(GPUTarget("cuda", 90, 32))
    options = backend.parse_options({})
    key = cache.get_cache_key(source(), backend, options, {})
    others = [
        cache.get_cache_key(source(constexprs={"BLOCK": 8}), backend, options, {}),
        cache.get_cache_key(source(), backend, backend.parse_options({"num_warps": 8}), {}),
        cache.get_cache_key(source(), backend, options, {"A": "1"}),
    ]
    assert key not in others and key.startswith(cache.triton_key())
    assert cache.make_so_cache_key("v", {0: "*fp32"}, {}, ()) == cache.make_so_cache_key(
        "v", {0: "*fp16"}, {}, ()
    )


# -- profiles --------------------------------------------------------------------------------------


def node(tree: dict, *names: str) -> dict:
    for name in names:
        (tree,) = [each for each in tree["children"] if each["frame"]["name"] == name]
    return tree


def test_launches_are_timed_under_their_scopes(tmp_path):
    x = np.ones(64, np.float32)
    session = profiler.start(str(tmp_path / "first"))

    @profiler.scope("decorated", {"flops": 10})
    def run():
        doubles[(4,)](x, 64, BLOCK=16)

    run()
    run()
    with profiler.cpu_timed_scope("outer"), profiler.state("inner"):
        doubles[(4,)](x, 64, BLOCK=16)
    profiler.deactivate(session)
    run()
    profiler.activate(session)
    profiler.enter_scope("open")
    with pytest.raises(ValueError, match="^expected to be in the scope 'other', got 'open'$"):
        profiler.exit_scope("other")
    profiler.exit_scope()
    with pytest.raises(ValueError, match="^expected to be in the scope None, got none$"):
        profiler.exit_scope()
    profiler.finalize(session)
    run()

    (tree, _) = json.loads((tmp_path / "first.hatchet").read_text())
    kernel = node(tree, "decorated", "doubles")["metrics"]
    assert (kernel["count"], kernel["bytes"]) == (2, 512) and kernel["time (ns)"] > 0
    assert node(tree, "decorated")["metrics"] == {"flops": 20}
    assert node(tree, "outer", "inner", "doubles")["metrics"]["count"] == 1
    assert node(tree, "outer")["metrics"]["cpu_time (ns)"] > 0
    assert set(kernel) == {"count", "bytes", "time (ns)"}
    assert not knobs.runtime.launch_enter_hook.calls and not knobs.runtime.launch_exit_hook.calls


def test_a_profiled_function(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    @profiler.profile(name="second")
    def run():
        doubles[(1,)](np.ones(16, np.float32), 16, BLOCK=16)
        return 3

    assert run() == 3
    with pytest.raises(ValueError, match="^output_format must be 'hatchet', got 'chrome_trace'$"):
        profiler.finalize(output_format="chrome_trace")
    profiler.finalize()
    assert node(json.loads((tmp_path / "second.hatchet").read_text())[0], "doubles")
    monkeypatch.setenv("TRITON_PROTON_DISABLE", "1")
    assert profiler.start() is None


# -- tools -----------------------------------------------------------------------------------------


def test_a_descriptor_of_an_array():
    x = np.zeros((8, 16), np.float32)
    made = TensorDescriptor.from_tensor(x, [4, 8])
    assert (tuple(made.shape), list(made.strides), made.padding) == ((8, 16), [16, 1], "zero")


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"shape": []}, "a descriptor has 1 to 5 dimensions, got 0"),
        ({"block_shape": [4]}, "block_shape must have 2 elements like shape, got 1"),
        ({"block_shape": [4, 6]}, "the extents of block_shape are powers of two, got 6"),
        ({"shape": [8, 0]}, "extents are positive, got [8, 0]"),
        ({"strides": [16, 2]}, "the last stride must be 1, got 2"),
        ({"strides": [15, 1]}, "strides must be multiples of 16 bytes, got one of 60"),
        ({"padding": "one"}, "padding must be 'zero' or 'nan', got 'one'"),
        (
            {"base": np.zeros((8, 16), np.int32), "padding": "nan"},
            "padding 'nan' needs floats, got int32",
        ),
    ],
)
def test_mistakes_in_a_descriptor(changes, message):
    x = np.zeros((8, 16), np.float32)
    facts = {"base": x, "shape": [8, 16], "strides": [16, 1], "block_shape": [4, 8]}
    with pytest.raises(AssertionError) as raised:
        TensorDescriptor(**{**facts, **changes})
    assert str(raised.value) == message


@eft.jit
def takes_a_descriptor(x, out, n: tl.constexpr):
    tl.store(out, x.shape[0])


@pytest.mark.parametrize(
    "launch",
    [
        lambda x, out: takes_a_descriptor[1](x, out, 1),
        lambda x, out: takes_a_descriptor.warmup(x, out, 1, grid=(1,)),
        lambda x, out: eft.autotune([eft.Config({"n": 1})], key=[])(takes_a_descriptor)[1](x, out),
    ],
    ids=["launch", "warmup", "autotuned"],
)
def test_a_launch_takes_a_descriptor(launch):
    x, out = np.zeros((8, 16), np.float32), np.zeros(1, np.int32)
    compiled = launch(TensorDescriptor.from_tensor(x, [4, 8]), out)
    assert (compiled or takes_a_descriptor).source is not None


def test_a_kernel_of_one_variant_takes_a_descriptor():
    target = GPUTarget("cpu", None, 1)
    signature = {"x": "tensordesc<fp32[4, 8]>", "out": "*i32", "n": "constexpr"}
    made = compiler.compile(
        compiler.ASTSource(takes_a_descriptor, signature, {"n": 1}), target=target
    )
    x, out = TensorDescriptor.from_tensor(np.zeros((8, 16), np.float32), [4, 8]), np.zeros(1, "i4")
    made[1](x, out, 1)
    assert out[0] == 8
    with pytest.raises(TypeError, match=r"was compiled for tensordesc<fp32\[4, 8\]> as 'x', got"):
        made[1](TensorDescriptor.from_tensor(x.base, [8, 8]), out, 1)


def test_instructions_as_text():
    said = (
        '\tcode for sm_90\n\t\tFunction : kernel\n\t.headerflags\t@"EF_CUDA_SM90"\n'
        "        /*0000*/                   LDC R1, c[0x0][0x28] ;   /* 0x00000a00ff017b82 */\n"
        "                                                            /* 0x000fe20000000800 */\n"
        "        /*0010*/              @!P0 EXIT ;                   /* 0x000000000000894d */\n"
    )
    assert disasm.sass_lines(said) == "Function:kernel\nLDC R1, c[0x0][0x28];\n@!P0 EXIT;\n"


def test_a_kernel_as_files(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(
        "import triton\nimport triton.language as tl\n\n\n"
        "@triton.jit\ndef fill(x_ptr, B: tl.constexpr):\n"
        "    tl.store(x_ptr + tl.arange(0, B), 1.0)\n"
    )
    args = tools_compile.CompileArgs(
        path=str(path), kernel_name="fill", signature="*fp32:16, 16", target="cuda:90:32",
        out_path=tmp_path / "made",
    )  # fmt: skip
    assert tools_compile.compile_kernel(args) == 0
    assert {"made.c", "made.h"} <= set(os.listdir(tmp_path))


# -- testing ---------------------------------------------------------------------------------------


def test_what_a_gpu_can_reach(paper_gpu):
    assert eft.testing.get_dram_gbps(0) == pytest.approx(4916.7, abs=0.1)
    reach = eft.testing.get_max_tensorcore_tflops
    assert reach(tl.float16, 1.98e6, 0) == pytest.approx(535.3, abs=0.1)
    assert reach("torch.float32", 1.98e6) * 4 == reach(tl.float8e5, 1.98e6)
    assert eft.testing.get_max_simd_tflops(tl.float32, 1.98e6) == pytest.approx(33.5, abs=0.1)
    with pytest.raises(RuntimeError, match=r"^dtype must be one of \[16, 32\] bits, got int8$"):
        eft.testing.get_max_simd_tflops(tl.int8, 1.98e6)


def test_numbers_of_the_driver(tmp_path, monkeypatch):
    program = tmp_path / "nvidia-smi"
    program.write_text('#!/bin/sh\necho "$*" >> log\necho "1350, 1215"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.chdir(tmp_path)
    assert gpu_testing.nvsmi(["clocks.current.sm", "clocks.current.memory"]) == [1350, 1215]
    monkeypatch.setattr(_runtime, "device_properties", lambda device: dict(PAPER))
    with eft.testing.set_gpu_clock(1350, 1215) as (tflops, gbps):
        assert (tflops, gbps) == (pytest.approx(365.0, abs=0.1), pytest.approx(1866.2, abs=0.1))
    assert (tmp_path / "log").read_text().splitlines()[-3:] == [
        "-i 0 -rgc",
        "-i 0 -rmc",
        "-i 0 -pm 0",
    ]
    with pytest.raises(RuntimeError, match="^the GPU must run at 1000 MHz, got 1350$"):
        with eft.testing.set_gpu_clock(1000, 1215):
            pass


def test_a_test_under_a_checker(tmp_path, monkeypatch):
    program = tmp_path / "compute-sanitizer"
    program.write_text('#!/bin/sh\n[ "$5" = a::b ] && echo "ERROR SUMMARY: $ERRORS errors"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    runs = []

    @eft.testing.cuda_memcheck(size=4)
    def checked(size, request):
        runs.append(size)

    class request:
        class node:
            nodeid = "a::b"

    checked(size=3, request=request)
    monkeypatch.setenv("ERRORS", "0")
    checked(size=4, request=request)
    monkeypatch.setenv("ERRORS", "2")
    with pytest.raises(AssertionError, match="^compute-sanitizer found errors:\nERROR SUMMARY: 2"):
        checked(size=4, request=request)
    monkeypatch.setenv("EFT_MEMCHECK", "1")
    checked(size=4, request=request)
    assert runs == [3, 4]


@pytest.mark.parametrize("wrong", [{"return_mode": "mode"}, {"quantiles": [2]}])
def test_mistakes_in_times_of_graphs(wrong):
    with pytest.raises(ValueError, match="must be"):
        eft.testing.do_bench_cudagraph(lambda: None, **wrong)
