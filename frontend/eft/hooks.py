# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hooks: functions that Eft calls before and after every launch and every compile, for profilers
and tests. A hook that is not set costs nothing.

Programs set the hooks through `triton.knobs.runtime`.
"""

from __future__ import annotations

#: The hooks before and after every launch, called with a `LaunchMetadata`; None for no hook.
launch_enter = launch_exit = None
#: The hooks before and after a kernel is compiled or loaded from the disk cache; None for no hook.
#: Their arguments are those of Triton's `triton.knobs.runtime.jit_cache_hook`.
before_compile = after_compile = None


def set_launch_hooks(enter, leave):
    """Sets the hooks before and after launches; None for no hook."""
    global launch_enter, launch_exit
    from eft import _runtime

    launch_enter, launch_exit = enter, leave
    _runtime.KernelBase._set_all_launch_by_run(enter is not None or leave is not None)


class LaunchMetadata:
    """The argument of a launch hook. `get()` returns a dict: the kernel's `name`, its `function`
    (the compiled kernel), the `stream`, and the entries that the kernel's option `launch_metadata`
    adds.
    """

    def __init__(self, data: dict):
        self.data = data
        self.extras = []

    def add(self, function, args):
        """Adds the entries of the dict `function(*args)`. The first `get` calls the function."""
        self.extras.append((function, args))

    def get(self) -> dict:
        while self.extras:
            function, args = self.extras.pop(0)
            self.data = self.data | function(*args)
        return self.data


def launch(kernel, grid, args, kwargs):
    """Calls the hook before launches, launches a kernel, and calls the hook after launches. Returns
    the compiled kernel."""
    from eft import _runtime

    compiled = _runtime.KernelBase.warmup(kernel, *args, **kwargs)
    stream = 0 if compiled.device < 0 else _runtime.current_stream(compiled.device)
    metadata = LaunchMetadata({"name": compiled.name, "function": compiled, "stream": stream})
    if kernel.launch_metadata is not None:
        names = set(kernel.arg_names)
        bound = kernel.bind(args, {key: value for key, value in kwargs.items() if key in names})
        extents = grid(bound) if callable(grid) else grid
        metadata.add(kernel.launch_metadata, (extents, compiled.metadata, bound))
    if launch_enter is not None:
        launch_enter(metadata)
    kernel._launch(grid, *args, **kwargs)
    if launch_exit is not None:
        launch_exit(metadata)
    return compiled


def call_compile_hook(hook, kernel, device: int, variant):
    """Calls the hook before or after compiles, with the facts about the variant being compiled."""
    from eft.reflection import specialization_data

    name = f"{kernel.__module__}.{kernel.__qualname__}"
    types = dict(zip(kernel.arg_names, variant.types, strict=True))
    types = {name: type or "constexpr" for name, type in types.items()}
    text = ", ".join(f"{name}: {type}" for name, type in types.items())
    warps = variant.options.get("num_warps", 4)
    data = specialization_data(kernel, device, variant)
    hook(
        key=data,
        repr=f"{kernel.__qualname__}[num_warps={warps}]({text})",
        fn=CompiledFunction(kernel.__module__, name, kernel),
        compile={
            "key": data,
            "signature": types,
            "device": device,
            "constants": variant.constexprs,
            "num_warps": warps,
            "num_ctas": variant.options.get("num_ctas", 1),
            "num_stages": variant.options.get("num_stages", 3),
            "enable_fp_fusion": True,
            "launch_cooperative_grid": False,
            "extern_libs": (),
            "configs": [variant.specialization],
            "specialization_data": data,
            "is_warmup": False,
        },
        is_manual_warmup=False,
        already_compiled=False,
    )


class CompiledFunction:
    """The argument `fn` of a compile hook: the name of the kernel's module, the name of the kernel,
    and the kernel itself."""

    def __init__(self, module: str, name: str, jit_function):
        self.module = module
        self.name = name
        self.jit_function = jit_function
