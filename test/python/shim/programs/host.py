# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that read attributes of kernels and compiled kernels, and set hooks."""

import numpy as np
import triton
import triton.language as tl
from arrays import normal, zeros
from program import program, raised
from triton.compiler import ASTSource


@triton.jit
def scale(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr = 128):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) * factor, mask=mask)


def _arguments(device, n=200):
    return device.put(normal(n)), device.put(zeros(n)), n, 3.0


@program
def what_a_kernel_says_of_itself(device):
    return [
        (scale.arg_names, ["x_ptr", "out_ptr", "n", "factor", "BLOCK"]),
        (scale.constexprs, [4]),
        ([each.name for each in scale.params if each.is_constexpr], ["BLOCK"]),
        ([each.has_default for each in scale.params], [False] * 4 + [True]),
        (scale.params[4].default, 128),
        (scale.__name__, "scale"),
        (scale.fn.__name__, "scale"),
        (list(scale.signature.parameters), scale.arg_names),
        (scale.src.startswith("def scale(x_ptr, out_ptr"), True),
        (scale.raw_src[0], "@triton.jit\n"),
        (len(scale.cache_key), 64),
        (isinstance(scale, triton.JITFunction), True),
        (isinstance(scale, triton.KernelInterface), True),
        (triton.JITFunction(scale.fn).arg_names, scale.arg_names),
        (scale.do_not_specialize, []),
    ]


@program
def a_kernel_is_not_called(device):
    return raised(RuntimeError, "", lambda: scale(1, 2, 3, 4))


@program
def a_launch_returns_what_ran(device):
    x, out, n, factor = _arguments(device)
    kernel = scale[(2,)](x, out, n, factor)
    again = scale[(2,)](x, out, n, factor)
    return [
        (device.get(out), normal(200) * np.float32(3)),
        (kernel is again, True),
        (kernel.metadata.num_warps, 4),
        (kernel.metadata.name, "scale"),
        (kernel.metadata.num_ctas, 1),
        (isinstance(kernel.hash, str), True),
        ("scale" in kernel.asm["ttir"], True),
        (all(name in kernel.asm for name in ("ttir", "ttgir", "llir")), True),
        (isinstance(kernel.metadata.shared, int), True),
    ]


@program
def a_stage_that_is_not_there(device):
    kernel = scale.warmup(*_arguments(device), grid=(1,))
    return raised(KeyError, "amdgcn", lambda: kernel.asm["amdgcn"])


@program
def compiles_before_it_launches(device):
    x, out, n, factor = _arguments(device)
    mock = triton.MockTensor(tl.float32)
    kernel = scale.warmup(mock, mock, 1000, 2.0, grid=(1,))
    same = scale.warmup(x, out, n, factor, BLOCK=64, num_warps=2, grid=(1,))
    return [
        (device.get(out), zeros(200)),
        (kernel.metadata.name, "scale"),
        (same.metadata.num_warps, 2),
    ]


@program
def launches_what_is_compiled(device):
    x, out, n, factor = _arguments(device)
    kernel = scale.warmup(x, out, n, factor, grid=(2,))
    kernel[(2, 1, 1)](x, out, n, factor, 128)
    return device.get(out), normal(200) * np.float32(3)


@program
def one_number_or_a_function_as_the_grid(device):
    x, out, n, factor = _arguments(device)
    scale[lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),)](x, out, n, factor, BLOCK=32)
    return device.get(out), normal(200) * np.float32(3)


@program
def calls_hooks_around_a_launch(device):
    seen = []
    knobs = triton.knobs.runtime

    def enter(metadata):
        seen.append(("enter", metadata.get()["name"]))

    def leave(metadata):
        seen.append(("exit", metadata.get()["name"]))

    knobs.launch_enter_hook.add(enter)
    knobs.launch_exit_hook.add(leave)
    try:
        x, out, n, factor = _arguments(device)
        scale[(2,)](x, out, n, factor)
    finally:
        knobs.launch_enter_hook.remove(enter)
        knobs.launch_exit_hook.remove(leave)
    scale[(2,)](x, out, n, factor)
    return seen, [("enter", "scale"), ("exit", "scale")]


@program
def calls_a_hook_around_a_compile(device):
    seen = []
    kernel = triton.JITFunction(scale.fn)
    with triton.knobs.runtime.scope():
        triton.knobs.runtime.jit_post_compile_hook = lambda **given: seen.append(
            (given["fn"].name.rpartition(".")[2], given["compile"]["num_warps"])
        )
        kernel[(2,)](*_arguments(device), num_warps=8)
        kernel[(2,)](*_arguments(device), num_warps=8)
    return seen, [("scale", 8)]


@program
def calls_a_hook_before_each_run(device):
    seen = []
    kernel = triton.JITFunction(scale.fn)
    kernel.add_pre_run_hook(lambda *args, **kwargs: seen.append(args[2]))
    kernel[(2,)](*_arguments(device))
    kernel[(1,)](*_arguments(device, 100))
    return seen, [200, 100]


@program
def names_a_launch(device):
    seen = []

    def describe(grid, metadata, arguments):
        return {"name": f"{metadata.name}_{grid[0]}", "elements": arguments["n"]}

    kernel = triton.jit(launch_metadata=describe)(scale.fn)

    def enter(metadata):
        found = metadata.get()
        seen.append((found["name"], found["elements"]))

    triton.knobs.runtime.launch_enter_hook.add(enter)
    try:
        kernel[(2,)](*_arguments(device))
    finally:
        triton.knobs.runtime.launch_enter_hook.remove(enter)
    return seen, [("scale_2", 200)]


@program
def compiles_for_a_target(device):
    source = ASTSource(
        scale,
        signature={"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "factor": "fp32",
                   "BLOCK": "constexpr"},
        constexprs={"BLOCK": 64},
    )  # fmt: skip
    target = triton.backends.compiler.GPUTarget("cuda", 90, 32)
    kernel = triton.compile(source, target=target, options={"num_warps": 2})
    return [
        (kernel.metadata.num_warps, 2),
        (kernel.metadata.name, "scale"),
        (kernel.metadata.target, target),
        (".entry scale" in kernel.asm["ptx"], True),
        (kernel.src is source, True),
        (list(source.signature), scale.arg_names),
    ]


@program
def numbers_of_the_host(device):
    return [
        ([triton.cdiv(7, 2), triton.cdiv(8, 2)], [4, 4]),
        ([triton.next_power_of_2(n) for n in (1, 5, 64, 65)], [1, 8, 64, 128]),
        (str(tl.float16), "fp16"),
        (tl.float32.primitive_bitwidth, 32),
        (tl.int8.is_int(), True),
        (tl.pointer_type(tl.float32).element_ty == tl.float32, True),
        (str(tl.pointer_type(tl.int64)), "pointer<int64>"),
        (tl.constexpr(3).value, 3),
    ]


@program
def reads_an_array_as_another_type(device):
    x = device.put(normal(64))
    out = device.put(zeros(64, dtype="int32"))
    copy[(1,)](triton.reinterpret(x, tl.int32), out, 64)
    return device.get(out), normal(64).view("int32")


@triton.jit
def copy(x_ptr, out_ptr, N: tl.constexpr):
    offsets = tl.arange(0, N)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets))


@program
def measures_time(device):
    arguments = _arguments(device)
    time = triton.testing.do_bench(lambda: scale[(2,)](*arguments), warmup=1, rep=2)
    three = triton.testing.do_bench(
        lambda: scale[(2,)](*arguments), warmup=1, rep=2, quantiles=[0.5, 0.2, 0.8]
    )
    return [(time > 0, True), (len(three), 3), (three[1] <= three[0] <= three[2], True)]


class _Noted(triton.KernelInterface):
    def __init__(self, fn):
        self.fn = fn
        self.grids = []

    def run(self, *args, grid, warmup, **kwargs):
        self.grids.append(grid)
        return self.fn.run(*args, grid=grid, warmup=warmup, **kwargs)


@program
def a_class_that_launches_in_its_own_way(device):
    noted = _Noted(scale)
    x, out, n, factor = _arguments(device)
    noted[(2,)](x, out, n, factor)
    return [(noted.grids, [(2,)]), (device.get(out), normal(200) * np.float32(3))]


@program
def values_that_are_not_specialized(device):
    kernel = triton.jit(do_not_specialize=["n"])(scale.fn)
    ran = [kernel[(2,)](*_arguments(device, n)) for n in (200, 160, 1, 199)]
    return len({id(each) for each in ran}), 1
