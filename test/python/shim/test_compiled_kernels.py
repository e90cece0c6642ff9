# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels that `triton.compile` returns, as PyTorch's compiler uses them: their metadata, their
launches by Triton's protocol, and their transfer to another process."""

from __future__ import annotations

import pickle

import eft
import eft.language as tl
import numpy as np
import pytest
from eft import _runtime, hooks
from eft.triton import __version__, knobs
from eft.triton.backends import backends
from eft.triton.backends.compiler import GPUTarget
from eft.triton.compiler import compiler
from eft.triton.runtime.errors import OutOfResources
from support import DTYPES, assert_same_bits

CPU = GPUTarget("cpu", None, 1)


@eft.jit
def scales(x_ptr, y_ptr, n, BLOCK: tl.constexpr, factor):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(y_ptr + offsets, x * factor, mask=offsets < n)


def compiled(target=CPU, options=None, **changes) -> compiler.CompiledKernel:
    types = {"x_ptr": "*fp32", "y_ptr": "*fp32", "n": "i64", "BLOCK": "constexpr", "factor": "fp32"}
    source = compiler.ASTSource(scales, types | changes, {"BLOCK": 64})
    return compiler.compile(source, target=target, options=options)


def arrays():
    return np.arange(100, dtype=np.float32), np.zeros(100, np.float32)


def test_the_metadata_are_those_of_triton():
    made = compiled(GPUTarget("cuda", 90, 32), {"num_warps": 2, "num_stages": 5})
    facts = made.metadata
    assert (facts.name, facts.num_warps, facts.num_stages, facts.num_ctas) == ("scales", 2, 5, 1)
    assert (facts.target, facts.warp_size) == (GPUTarget("cuda", 90, 32), 32)
    assert (facts.shared, facts.cluster_dims, facts.tensordesc_meta) == (0, (1, 1, 1), ())
    assert facts.global_scratch_size == facts.profile_scratch_size == facts.tmem_size == 0
    assert not (facts.launch_cooperative_grid or facts.launch_pdl)
    assert made.packed_metadata == (2, 0)
    assert made.hash == facts.hash and len(bytes.fromhex(made.hash)) == 32
    others = [compiled(), compiled(GPUTarget("cuda", 90, 32)), compiled(n="i32")]
    assert len({made.hash, *(each.hash for each in others)}) == 4
    assert (made.module, made.function, made.n_regs, made.n_spills) == (None,) * 4
    assert made.n_max_threads is None
    assert repr(made) == "<eft kernel scales for cuda:90>"


#: The fields of the metadata of a kernel for NVIDIA's GPUs in Triton 3.6.
FIELDS = """
    allowed_dot_input_precisions arch backend_name debug default_dot_input_precision
    deprecated_fp8_dot_operand_dtypes enable_fp_fusion enable_reflect_ftz extern_libs
    global_scratch_align global_scratch_size hash instrumentation_mode ir_override
    launch_cooperative_grid launch_pdl max_num_imprecise_acc_default maxnreg name num_ctas
    num_stages num_warps profile_scratch_align profile_scratch_size ptx_options ptx_version
    sanitize_overflow shared supported_fp8_dtypes target tensordesc_meta tmem_size triton_version
    warp_size
"""


def test_the_metadata_have_every_field_of_triton():
    made = compiled(GPUTarget("cuda", 90, 32))
    assert set(FIELDS.split()) - set(made.metadata._fields) == set()
    assert made.metadata.triton_version == __version__


def test_the_metadata_of_a_launch_have_the_facts_that_are_the_same_for_all():
    x, y = arrays()
    facts = scales[(2,)](x, y, 100, 64, 2.0).metadata
    assert (facts.num_ctas, facts.cluster_dims, facts.tmem_size) == (1, (1, 1, 1), 0)
    with pytest.raises(AttributeError, match="^a kernel's metadata have no 'nothing'$"):
        _ = facts.nothing
    assert pickle.loads(pickle.dumps(facts)) == facts


def test_a_launch_takes_the_arguments_of_the_kernel():
    made = compiled()
    x, y = arrays()
    made._init_handles()
    assert isinstance(made.module, eft.CompiledKernel) and made.function is made.module
    protocol = (0, made.function, made.packed_metadata, None, None, None)
    made.run(2, 1, 1, *protocol, x, y, 100, 64, 3)
    np.testing.assert_array_equal(y, x * 3)
    made[(2,)](x, y, 80, 64, 0.5)
    np.testing.assert_array_equal(y, np.where(x < 80, x * 0.5, x * 3))


def test_a_launch_loads_the_kernel():
    made = compiled()
    x, y = arrays()
    made.run(2, 1, 1, 0, None, None, None, None, None, x, y, 100, 64, 3.0)
    np.testing.assert_array_equal(y, x * 3)
    module = made.module
    made._init_handles()
    assert made.module is module is not None


def test_a_kernel_of_one_argument():
    @eft.jit
    def ones(x_ptr):
        tl.store(x_ptr, 1.0)

    made = compiler.compile(compiler.ASTSource(ones, {"x_ptr": "*fp32"}), target=CPU)
    x = np.zeros(1, np.float32)
    made[(1, 1, 1)](x)
    assert x[0] == 1


def test_hooks_are_called_around_a_launch():
    made, seen = compiled(), []
    x, y = arrays()
    assert made.launch_metadata((2, 1, 1), 0, x, y, 100, 64, 3.0) is None
    with knobs.runtime.scope():
        knobs.runtime.launch_enter_hook.add(lambda metadata: seen.append(metadata.get()["name"]))
        knobs.runtime.launch_exit_hook.add(lambda metadata: seen.append(y[1]))
        made[(2,)](x, y, 100, 64, 3.0)
        knobs.runtime.launch_enter_hook.calls.clear()
        knobs.runtime.launch_exit_hook.calls.clear()
    assert seen == ["scales", 3.0]
    assert hooks.launch_enter is None


def test_the_metadata_of_a_launch_have_what_the_kernel_adds(monkeypatch):
    kernel = eft.jit(
        scales.fn, launch_metadata=lambda grid, _, given: {"flops": given["n"] * grid[0]}
    )
    types = {"x_ptr": "*fp32", "y_ptr": "*fp32", "n": "i64", "BLOCK": "constexpr", "factor": "fp32"}
    made = compiler.compile(compiler.ASTSource(kernel, types, {"BLOCK": 64}), target=CPU)
    monkeypatch.setattr(hooks, "launch_enter", lambda metadata: None)
    facts = made.launch_metadata((2, 1, 1), 7, *arrays(), 100, 64, 3.0).get()
    assert facts == {"name": "scales", "function": made.function, "stream": 7, "flops": 200}


def test_a_kernel_goes_into_another_process(monkeypatch):
    """PyTorch sets some attributes of a kernel's function to None, and then pickles the kernel's
    attributes."""
    made = compiled()
    kernel = made.src.fn = compiled().src.fn
    before = kernel.fn, kernel.__globals__, kernel.used_global_vals, kernel.repr
    kernel.fn = kernel.__globals__ = kernel.used_global_vals = None
    kernel.repr = None
    try:
        facts = made.metadata._asdict()
        data = pickle.dumps({**vars(made), "metadata": None, "run": None}), pickle.dumps(facts)
    finally:
        kernel.fn, kernel.__globals__, kernel.used_global_vals, kernel.repr = before
    again = compiler.CompiledKernel.__new__(compiler.CompiledKernel)
    vars(again).update(pickle.loads(data[0]), metadata=made.metadata)
    assert pickle.loads(data[1]) == facts
    fn = again.src.fn
    assert fn is not kernel and fn.fn is None
    assert (fn.__name__, fn.arg_names, fn.constexprs) == ("scales", kernel.arg_names, [3])
    assert [(each.num, each.is_constexpr) for each in fn.params][2:4] == [(2, False), (3, True)]
    assert fn.__globals__ is None and fn.used_global_vals is None
    assert again.hash == made.hash and list(again.asm) == []
    x, y = arrays()
    again[(2,)](x, y, 100, 64, 3.0)
    np.testing.assert_array_equal(y, x * 3)
    assert kernel.__globals__ is globals()


def test_the_stages_have_triton_s_names_too():
    for asm in (compiled(GPUTarget("cuda", 90, 32)).asm, scales[1](*arrays(), 1, 64, 3.0).asm):
        for name, stage in (("ttir", "ir"), ("ttgir", "placed"), ("llir", "llvm")):
            assert name in asm and asm[name] == asm[stage] and name not in list(asm)
    assert "ptx" not in asm and "wasm" not in asm
    with pytest.raises(KeyError) as raised:
        asm["ptx"]
    assert raised.value.args == (
        "kernel 'scales' for cpu has no stage 'ptx', it has ir, placed, llvm, asm",
    )


def test_the_code_for_a_gpu_is_pickled():
    made = compiled(GPUTarget("cuda", 90, 32))
    asm = pickle.loads(pickle.dumps(made.asm))
    assert asm["ptx"] == made.asm["ptx"]
    assert set(asm) == {"ptx"} | set(made.asm) - {"ir", "placed", "llvm"}


def test_a_kernel_that_needs_more_shared_memory_than_there_is(monkeypatch):
    made = compiled(GPUTarget("cuda", 90, 32))
    made.metadata = made.metadata._replace(shared=300000)
    monkeypatch.setattr(_runtime, "device_count", lambda: 1)
    monkeypatch.setattr(_runtime, "device_properties", lambda _: {"max_shared_memory": 232448})
    with pytest.raises(OutOfResources) as raised:
        made._init_handles()
    assert str(raised.value) == (
        "out of resource: shared memory, Required: 300000, Hardware limit: 232448. Reducing block "
        "sizes or `num_stages` may help."
    )
    assert made.module is None


def test_arrays_where_the_kernel_does_not_run(monkeypatch):
    made = compiled(GPUTarget("cuda", 90, 32))
    monkeypatch.setattr("eft.driver.load_code", lambda code, device, assertions_trap: code)
    with pytest.raises(ValueError) as raised:
        made[(2,)](*arrays(), 100, 64, 3.0)
    assert str(raised.value) == (
        "kernel 'scales' was compiled for cuda:90, and its arrays are on cpu"
    )


@pytest.mark.parametrize(
    "arguments, known, given",
    [
        (lambda x, y: (x, None, 100, 64, 3.0), "*fp32 as 'y_ptr'", "None"),
        (lambda x, y: (x, 3, 100, 64, 3.0), "*fp32 as 'y_ptr'", "i32"),
        (lambda x, y: (x, y, y, 64, 3.0), "i64 as 'n'", "*fp32"),
        (lambda x, y: (x, y, 1.5, 64, 3.0), "i64 as 'n'", "fp32"),
    ],
)
def test_arguments_of_another_kind(arguments, known, given):
    with pytest.raises(TypeError) as raised:
        compiled()[(2,)](*arguments(*arrays()))
    assert str(raised.value) == f"kernel 'scales' was compiled for {known}, got {given}"


@pytest.mark.parametrize(
    "value", [0, 0.0, -0.0, 3, 0.1, -65504.0, 1e-7, float("inf"), float("nan")]
)
@pytest.mark.parametrize("type", ["fp16", "bf16", "fp32", "fp64"])
def test_a_number_becomes_one_of_its_type(type, value):
    @eft.jit
    def stores(x_ptr, value):
        tl.store(x_ptr, value)

    source = compiler.ASTSource(stores, {"x_ptr": "*fp64", "value": type})
    x = np.zeros(1)
    compiler.compile(source, target=CPU)[(1,)](x, value)
    assert_same_bits(x, np.array([value], DTYPES[type]).astype(np.float64))


#: By type, numbers and the results of rounding them. Ties go to even, numbers beyond the range to
#: an infinity. Rounding to fp32 first would drop 2**-30 and 2**-40, and rounding a long int to fp64
#: first would drop the 1 at its end. Either would make the number a tie.
ROUNDED = {
    "fp16": {
        65519.99: 65504.0,
        65520.0: np.inf,
        -1e6: -np.inf,
        1e39: np.inf,
        2**40: np.inf,
        1 + 2**-11 + 2**-40: 1 + 2**-10,
        1 + 2**-11: 1.0,
        2**-24: 2**-24,
        2**-25: 0.0,
        3 * 2**-26: 2**-24,
        2**-14 - 2**-26: 2**-14,
    },
    "bf16": {
        1e39: np.inf,
        -1e308: -np.inf,
        2.0**128 - 2.0**119: np.inf,
        2.0**128 - 2.0**119 - 2.0**90: 2.0**128 - 2.0**120,
        1 + 2**-8 + 2**-30: 1 + 2**-7,
        1 + 2**-8: 1.0,
        2**60 + 2**52 + 1: 2**60 + 2**53,
        -(2**60) - 2**52 - 1: -(2**60) - 2**53,
        2**-134: 0.0,
        3 * 2**-135: 2**-133,
        5e-324: 0.0,
    },
    "fp32": {
        1e39: np.inf,
        2**60 + 2**36 + 1: 2**60 + 2**37,
        -(2**60) - 2**36 - 1: -(2**60) - 2**37,
        2**64 - 1: 2**64,
    },
    "fp64": {1e39: 1e39, 2**64 - 1: 2**64, 2**60 + 2**7 + 1: 2**60 + 2**8},
}


@pytest.mark.parametrize("type", ROUNDED)
def test_a_number_is_rounded_once(type):
    @eft.jit
    def stores(x_ptr, value):
        tl.store(x_ptr, value)

    source = compiler.ASTSource(stores, {"x_ptr": "*fp64", "value": type})
    launch = compiler.compile(source, target=CPU)[(1,)]
    x = np.zeros(1)
    for value, rounded in ROUNDED[type].items():
        launch(x, value)
        assert x[0] == rounded, value


@pytest.mark.parametrize("type", ["fp16", "bf16", "fp32", "fp64"])
@pytest.mark.parametrize(
    "value, mistake",
    [
        (None, " was compiled for {} as 'value', got None"),
        (np.zeros(1), " was compiled for {} as 'value', got *fp64"),
        ("3", ": argument 'value' must be an array, int, float, bool or None, got str"),
        (
            2**2000,
            ": argument 'value' must be an int from -2**63 to 2**64 - 1, got one of 2001 bits",
        ),
    ],
    ids=["none", "array", "text", "long"],
)
def test_what_is_no_number_of_64_bits_is_no_float(type, value, mistake):
    @eft.jit
    def stores(x_ptr, value):
        tl.store(x_ptr, value)

    made = compiler.compile(
        compiler.ASTSource(stores, {"x_ptr": "*fp64", "value": type}), target=CPU
    )
    with pytest.raises(TypeError) as raised:
        made[(1,)](np.zeros(1), value)
    assert str(raised.value) == f"kernel 'stores'{mistake.format(type)}"


@pytest.mark.parametrize("grid", [2, [2], np.int64(2), lambda given: 128 // given["BLOCK"]])
def test_a_grid_is_one_that_a_launch_takes(grid):
    x, y = arrays()
    compiled()[grid](x, y, 100, 64, 3.0)
    np.testing.assert_array_equal(y, x * 3)


@pytest.mark.parametrize("grid", [(1, 1, 1, 7), (), -1, (1.5,), "x", lambda _: (1, 1, 1, 7)])
def test_a_grid_that_no_launch_takes(grid):
    x, y = arrays()
    messages = []
    for kernel in (scales, compiled()):
        with pytest.raises((TypeError, ValueError)) as raised:
            kernel[grid](x, y, 100, 64, 3.0)
        messages.append(str(raised.value))
    assert messages[0].startswith("grid of kernel 'scales' ") and messages[1] == messages[0]


def test_a_hook_gets_the_extents_of_a_grid_function(monkeypatch):
    seen = []
    kernel = eft.jit(scales.fn, launch_metadata=lambda grid, *_: {"programs": grid[0]})
    types = {"x_ptr": "*fp32", "y_ptr": "*fp32", "n": "i64", "BLOCK": "constexpr", "factor": "fp32"}
    made = compiler.compile(compiler.ASTSource(kernel, types, {"BLOCK": 64}), target=CPU)
    monkeypatch.setattr(hooks, "launch_enter", lambda metadata: seen.append(metadata.get()))
    made[lambda given: (128 // given["BLOCK"],)](*arrays(), 100, 64, 3.0)
    assert [each["programs"] for each in seen] == [2]


@pytest.mark.parametrize(
    "given, mistake",
    [
        (
            (),
            "missing 5 required positional arguments: 'x_ptr', 'y_ptr', 'n', 'BLOCK', and 'factor'",
        ),
        ((*arrays(), 100, 64), "missing 1 required positional argument: 'factor'"),
        ((*arrays(), 100, 64, 3.0, 7), "takes 5 positional arguments but 6 were given"),
    ],
)
def test_too_few_arguments_or_too_many(given, mistake):
    made = compiled()
    launches = (
        made[(2,)],
        lambda *args: made.run(2, 1, 1, 0, None, None, None, None, None, *args),
        scales[(2,)],
    )
    for launch in launches:
        with pytest.raises(TypeError) as raised:
            launch(*given)
        assert str(raised.value) == f"scales() {mistake}"


def test_no_hook_is_called_for_a_launch_with_too_few_arguments(monkeypatch):
    monkeypatch.setattr(hooks, "launch_enter", lambda metadata: pytest.fail("called"))
    with pytest.raises(TypeError, match="missing 1 required"):
        compiled()[(2,)](*arrays(), 100, 64)


def test_what_is_known_at_compile_time_may_be_any_argument():
    x, y = arrays()
    compiled()[(2,)](x, y, 100, [], 3.0)
    np.testing.assert_array_equal(y, x * 3)


def test_what_a_launch_returns_is_a_compiled_kernel():
    x, y = arrays()
    assert isinstance(scales[(2,)](x, y, 100, 64, 3.0), compiler.CompiledKernel)
    assert isinstance(compiled(), compiler.CompiledKernel)
    assert not isinstance(scales, compiler.CompiledKernel)


def test_what_a_warmup_returns_is_launched_by_itself():
    """Triton's softmax tutorial reads the number of registers of such a kernel before a launch."""
    x, y = arrays()
    kernel = scales.warmup(x, y, 100, 64, 3.0, grid=(1,))
    kernel._init_handles()
    assert (kernel.n_regs, kernel.n_spills, kernel.metadata.shared) == (None, None, 0)
    assert kernel.n_max_threads is None
    other = scales.warmup(x, y, 100, 64, 3.0, grid=(1,), num_warps=8)
    assert len(kernel.hash) == 64 and kernel.hash != other.hash
    kernel[(2, 1, 1)](x, y, 100, 64, 3.0)
    np.testing.assert_array_equal(y, x * 3)
    kernel.run(
        2, 1, 1, 0, kernel.function, kernel.packed_metadata, None, None, None, x, y, 100, 64, 2
    )
    np.testing.assert_array_equal(y, x * 2)


def test_the_driver_of_the_cpu_answers_for_the_cpu(monkeypatch):
    monkeypatch.setattr(_runtime, "device_count", lambda: 1)
    assert backends["cpu"].driver().get_current_target() == CPU
