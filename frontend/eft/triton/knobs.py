# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eft's implementation of `triton.knobs`: settings, called knobs. A program sets a knob, or the
knob follows an environment variable.

Some knobs have an effect in Eft. The others can be read and set, too, but setting one of them warns
once that it has no effect. docs/triton.md lists both kinds.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import Protocol, TypedDict

from eft import hooks
from eft.triton import environment

__all__ = [
    "BuildImpl", "CompilationListener", "CompileTimes", "Env", "HookChain", "InitHandleHook",
    "JITHook", "JITHookCompileInfo", "LaunchHook", "NvidiaTool", "PipelineStagesHook", "amd",
    "amd_knobs", "autotuning", "autotuning_knobs", "base_knobs", "build", "build_knobs", "cache",
    "cache_knobs", "compilation", "compilation_knobs", "env", "env_base", "env_bool", "env_class",
    "env_int", "env_nvidia_tool", "env_opt_bool", "env_opt_str", "env_str",
    "env_str_callable_default", "language", "language_knobs", "nvidia", "nvidia_knobs",
    "propagate_env", "proton", "proton_knobs", "redis", "redis_knobs", "refresh_knobs", "runtime",
    "runtime_knobs", "setenv", "toenv",
]  # fmt: skip

#: Whether setting a knob also sets its environment variable, so that processes which are started
#: later have the same setting.
propagate_env: bool = True

_told = set()  # the knobs about which a warning was given


class Env:
    """The class of the object `env`."""


#: Assigning this object to a knob makes the knob follow its environment variable again.
env = Env()


def setenv(key: str, value: str | None) -> None:
    """Sets an environment variable, or removes it if the value is None. Does nothing if
    `propagate_env` is false."""
    if not propagate_env:
        return
    if value is None:
        os.environ.pop(key, None)
    else:
        os.environ[key] = value


def toenv(value) -> tuple[str | None] | None:
    """Returns the text of a value for an environment variable, in a tuple; (None,) if the variable
    must be removed. Returns None if the value has no such text."""
    if value is None:
        return (None,)
    if isinstance(value, bool):
        return ("1" if value else "0",)
    return (str(value),) if isinstance(value, str | int) else None


class env_base:
    """A knob: an attribute of a group of knobs. It has the value of an environment variable until a
    program sets the attribute.

    Args:
        key: the name of the environment variable, or None if there is none.
        default: the value if the variable is not set.
        works: whether the knob has an effect in Eft.
    """

    def __init__(self, key: str | None, default=None, works: bool = False):
        self.key = key
        self.default = default
        self.works = works

    def __set_name__(self, group, name: str):
        self.name = name
        self.group = group.__name__.removesuffix("_knobs")

    def __get__(self, knobs, group=None):
        if knobs is None:
            return self
        if self.name in vars(knobs):
            return self.transform(vars(knobs)[self.name])
        return self.get()

    def __set__(self, knobs, value):
        if isinstance(value, Env):
            vars(knobs).pop(self.name, None)
            return
        vars(knobs)[self.name] = value
        self.changed(value)

    def __delete__(self, knobs):
        if vars(knobs).pop(self.name, None) is not None:
            self.changed(self.get(), again=False)

    def get(self):
        """Returns the value that the environment variable gives."""
        text = os.environ.get(self.key) if self.key else None
        return self.default_value() if text is None else self.parse(text)

    def default_value(self):
        return self.default

    def parse(self, text: str):
        return text

    def transform(self, value):
        """Returns the value that a program reads after it has set `value`."""
        return value

    def changed(self, value, again: bool = True):
        """Is called after a change of the knob. If the knob works in Eft, makes Eft use the new
        value; if not, warns. Also sets the knob's environment variable, unless `again` is false:
        then the value came from that variable."""
        text = toenv(value)
        if self.key and text and again:
            setenv(self.key, text[0])
        if self.works:
            if self.key and text:
                environment.set_own(self.key, text[0])
        elif value not in (None, self.default):
            self.say_without_effect()

    def say_without_effect(self):
        name = f"triton.knobs.{self.group}.{self.name}"
        if name not in _told:
            import warnings

            _told.add(name)
            warnings.warn(f"{name} has no effect in Eft", stacklevel=4)


class env_str(env_base):
    """A knob that is a string."""


class env_opt_str(env_base):
    """A knob that is a string or None."""


class env_str_callable_default(env_str):
    """A knob that is a string. `default` is a function, which returns the value if the variable is
    not set."""

    def default_value(self):
        return self.default()


class env_bool(env_base):
    """A knob that is true or false."""

    def __init__(self, key: str, default: bool = False, works: bool = False):
        super().__init__(key, default, works)

    def parse(self, text: str):
        return environment.is_true(text)


class env_opt_bool(env_bool):
    """A knob that is true, false or None."""

    def __init__(self, key: str, default: bool | None = None, works: bool = False):
        super().__init__(key, default, works)


class env_int(env_base):
    """A knob that is an int."""

    def __init__(self, key: str, default: int = 0, works: bool = False):
        super().__init__(key, default, works)

    def parse(self, text: str):
        try:
            return int(text)
        except ValueError:
            raise RuntimeError(f"{self.key} must be an int, got {text!r}") from None


class env_class(env_base):
    """A knob that is a class or None. The variable gives the class as MODULE:CLASS.

    Args:
        base: the name of a class. The knob's class must be derived from it.
    """

    def __init__(self, key: str, base: str, works: bool = False):
        super().__init__(key, None, works)
        self.base = base

    def parse(self, text: str):
        from importlib import import_module

        module, colon, name = text.partition(":")
        if not colon:
            raise RuntimeError(f"{self.key} must be MODULE:CLASS, got {text!r}")
        found = getattr(import_module(module), name)
        if self.base not in [each.__name__ for each in found.__mro__]:
            raise RuntimeError(f"{self.key} must name a {self.base}, got {text!r}")
        return found


class NvidiaTool:
    """A program of the CUDA toolkit.

    Attributes:
        path: the path of the program.
        version: the release of the toolkit, such as "12.8".
    """

    def __init__(self, path: str, version: str):
        self.path = path
        self.version = version

    @staticmethod
    def from_path(path: str) -> NvidiaTool | None:
        """Returns the program at a path; None if it can't be run or does not print its version."""
        import re
        import subprocess

        try:
            said = subprocess.run([path, "--version"], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        version = re.search(r"release (\d+\.\d+)", said.stdout)
        return NvidiaTool(path, version[1]) if version else None


class env_nvidia_tool(env_base):
    """A knob that is a program of the CUDA toolkit: the program whose path the knob or the variable
    gives, or else the program of this name on PATH. Reading the knob runs the program with
    `--version`. Compiles and launches need none of these programs."""

    def __init__(self, binary: str, works: bool = False):
        super().__init__(f"TRITON_{binary.upper().replace('-', '_')}_PATH", None, works)
        self.binary = binary

    def default_value(self):
        return self.transform(None)

    def parse(self, text: str):
        return self.transform(text)

    def transform(self, value: str | None):
        from shutil import which

        for path in (value, which(self.binary)):
            if path and (tool := NvidiaTool.from_path(path)):
                return tool
        raise RuntimeError(f"{self.binary} is not found: {self.key} names one")


class base_knobs:
    """A group of knobs."""

    @property
    def knob_descriptors(self) -> dict[str, env_base]:
        """The `env_base` objects of the knobs, by the names of the knobs."""
        found = {name: value for each in type(self).__mro__ for name, value in vars(each).items()}
        return {name: value for name, value in found.items() if isinstance(value, env_base)}

    @property
    def knobs(self) -> dict:
        """The values of the knobs, by the names of the knobs."""
        return {name: getattr(self, name) for name in self.knob_descriptors}

    def copy(self):
        """Returns a group with the same settings."""
        made = type(self)()
        vars(made).update(vars(self))
        return made

    def reset(self):
        """Makes every knob follow its environment variable again. Returns the group."""
        for name in self.knob_descriptors:
            delattr(self, name)
        return self

    @contextmanager
    def scope(self):
        """A context that restores the knobs of the group and their environment variables at its
        end."""
        knobs = self.knob_descriptors.values()
        keys = [each.key for each in knobs if each.key]
        keys += [environment.OWN_NAMES[key] for key in keys if key in environment.OWN_NAMES]
        before = {key: os.environ.get(key) for key in keys}
        settings = dict(vars(self))
        try:
            yield
        finally:
            vars(self).clear()
            vars(self).update(settings)
            for key, value in before.items():
                if value is None:
                    os.environ.pop(key, None)
                else:
                    os.environ[key] = value
            self._restored()

    def _restored(self):
        """Is called after all knobs have changed at once."""


class BuildImpl(Protocol):
    """The type of `build.impl`."""


class CompilationListener(Protocol):
    """The type of `compilation.listener`."""


class InitHandleHook(Protocol):
    """The type of the hooks before and after a kernel is loaded."""


class JITHook(Protocol):
    """The type of `runtime.jit_cache_hook`. `eft.hooks.call_compile_hook` shows its arguments."""


class JITHookCompileInfo(TypedDict, total=False):
    """The argument `compile` of a `JITHook`."""


class LaunchHook(Protocol):
    """The type of the hooks before and after launches: a function that takes an
    `eft.hooks.LaunchMetadata`."""


class PipelineStagesHook(Protocol):
    """The type of `runtime.add_stages_inspection_hook`."""


class CompileTimes:
    """The times of the parts of a compile in microseconds, for listeners.

    Attributes:
        ir_initialization: the time for making the first IR.
        lowering_stages: a pair (name, time) for each stage.
        store_results: the time for storing the results.
    """

    def __init__(self, ir_initialization: int, lowering_stages: list, store_results: int):
        self.ir_initialization = ir_initialization
        self.lowering_stages = lowering_stages
        self.store_results = store_results

    @property
    def total_lowering(self) -> int:
        return sum(time for _, time in self.lowering_stages)

    @property
    def total(self) -> int:
        return self.ir_initialization + self.total_lowering + self.store_results


class HookChain:
    """A hook that consists of several functions. Calling it calls each of them with the same
    arguments.

    Attributes:
        calls: the functions, in the order in which they were added.
        reversed: whether the functions are called in reverse order.
        changed: a function that is called after a function was added or removed.
    """

    def __init__(self, reversed: bool = False):
        self.calls = []
        self.reversed = reversed
        self.changed = lambda: None

    def add(self, func) -> None:
        if func not in self.calls:
            self.calls.append(func)
            self.changed()

    def remove(self, func) -> None:
        if func in self.calls:
            self.calls.remove(func)
            self.changed()

    def __call__(self, *args, **kwargs):
        for call in reversed(self.calls) if self.reversed else list(self.calls):
            call(*args, **kwargs)


class build_knobs(base_knobs):
    """The settings of the C compiler that Triton runs. Eft runs no C compiler."""

    cc = env_opt_str("CC")
    cudacrt_path = env_opt_str("TRITON_CUDACRT_PATH")
    cudart_path = env_opt_str("TRITON_CUDART_PATH")
    impl = env_base(None)

    @property
    def backend_dirs(self) -> set[str]:
        return {path for path in (self.cudacrt_path, self.cudart_path) if path is not None}


class redis_knobs(base_knobs):
    """The settings of the server that `triton.runtime.cache.RedisRemoteCacheBackend` uses."""

    key_format = env_str("TRITON_REDIS_KEY_FORMAT", "triton:{key}:{filename}", works=True)
    host = env_str("TRITON_REDIS_HOST", "localhost", works=True)
    port = env_int("TRITON_REDIS_PORT", 6379, works=True)


class cache_knobs(base_knobs):
    """The settings of folders. If `dir` or its variable is set before the first kernel is compiled,
    both Eft's kernels and the files of programs are kept in this folder. If neither is set, Eft's
    kernels are kept in Eft's default folder, and the files of programs in Triton's."""

    home_dir = env_str_callable_default("TRITON_HOME", lambda: os.path.expanduser("~/"), works=True)
    dump_dir = env_str_callable_default(
        "TRITON_DUMP_DIR", lambda: cache.get_triton_dir("dump"), works=True
    )
    override_dir = env_str_callable_default(
        "TRITON_OVERRIDE_DIR", lambda: cache.get_triton_dir("override"), works=True
    )
    dir = env_str_callable_default(
        "TRITON_CACHE_DIR", lambda: cache.get_triton_dir("cache"), works=True
    )
    manager_class = env_class("TRITON_CACHE_MANAGER", "CacheManager", works=True)
    remote_manager_class = env_class(
        "TRITON_REMOTE_CACHE_BACKEND", "RemoteCacheBackend", works=True
    )

    def get_triton_dir(self, dirname: str) -> str:
        return os.path.join(self.home_dir, ".triton", dirname)


class _dump(env_bool):
    """The knob `dump_ir`. If it is true, Eft writes the stages of kernels into `cache.dump_dir`."""

    def changed(self, value, again: bool = True):
        super().changed(value, again)
        environment.set_dump_folder(cache.dump_dir if value else None)


class compilation_knobs(base_knobs):
    """The settings of compiles."""

    override = env_bool("TRITON_KERNEL_OVERRIDE")
    dump_ir = _dump("TRITON_KERNEL_DUMP", works=True)
    dump_ir_extract_di_local_variables = env_bool("LLVM_EXTRACT_DI_LOCAL_VARIABLES")
    store_binary_only = env_bool("TRITON_STORE_BINARY_ONLY")
    always_compile = env_bool("TRITON_ALWAYS_COMPILE", works=True)
    use_ir_loc = env_opt_str("USE_IR_LOC")
    enable_asan = env_bool("TRITON_ENABLE_ASAN")
    disable_line_info = env_bool("TRITON_DISABLE_LINE_INFO")
    front_end_debugging = env_bool("TRITON_FRONT_END_DEBUGGING")
    allow_non_constexpr_globals = env_bool("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS", works=True)
    instrumentation_mode = env_str("TRITON_INSTRUMENTATION_MODE", "")
    listener = env_base(None)


class autotuning_knobs(base_knobs):
    """The settings of autotuning."""

    cache = env_bool("TRITON_CACHE_AUTOTUNING", works=True)
    print = env_bool("TRITON_PRINT_AUTOTUNING", works=True)


class _hook(env_base):
    """A knob that is a function or a `HookChain`, and has no environment variable."""

    def changed(self, value, again: bool = True):
        if self.works:
            runtime._restored()
        else:
            super().changed(value, again)


class runtime_knobs(base_knobs):
    """The settings of launches."""

    interpret = env_bool("TRITON_INTERPRET", works=True)
    debug = env_bool("TRITON_DEBUG", works=True)
    override_arch = env_opt_str("TRITON_OVERRIDE_ARCH")
    launch_enter_hook = _hook(None, HookChain(), works=True)
    launch_exit_hook = _hook(None, HookChain(reversed=True), works=True)
    kernel_load_start_hook = _hook(None, HookChain())
    kernel_load_end_hook = _hook(None, HookChain(reversed=True))
    jit_cache_hook = _hook(None, works=True)
    jit_post_compile_hook = _hook(None, works=True)
    add_stages_inspection_hook = _hook(None)

    def _restored(self):
        """Sets Eft's hooks to those of this group. Later changes of a `HookChain` call this method
        again."""
        for hook in (self.launch_enter_hook, self.launch_exit_hook):
            if isinstance(hook, HookChain):
                hook.changed = self._restored
        hooks.set_launch_hooks(_in_use(self.launch_enter_hook), _in_use(self.launch_exit_hook))
        hooks.before_compile = self.jit_cache_hook
        hooks.after_compile = self.jit_post_compile_hook


def _in_use(hook):
    """Returns the hook; None if it is a `HookChain` without functions."""
    return None if isinstance(hook, HookChain) and not hook.calls else hook


class language_knobs(base_knobs):
    """The settings that change the meaning of Triton's language. The meaning of Eft's language is
    fixed."""

    fp32_default = env_opt_str("TRITON_F32_DEFAULT")
    default_fp_fusion = env_bool("TRITON_DEFAULT_FP_FUSION", True)


class nvidia_knobs(base_knobs):
    """The settings of NVIDIA's tools. Eft does not need these tools to compile, because the CUDA
    driver assembles Eft's PTX."""

    cuobjdump = env_nvidia_tool("cuobjdump", works=True)
    nvdisasm = env_nvidia_tool("nvdisasm")
    ptxas = env_nvidia_tool("ptxas")
    ptxas_blackwell = env_nvidia_tool("ptxas-blackwell")
    dump_nvptx = env_bool("NVPTX_ENABLE_DUMP")
    disable_ptxas_opt = env_bool("DISABLE_PTXAS_OPT")
    ptxas_options = env_opt_str("PTXAS_OPTIONS")
    mock_ptx_version = env_opt_str("TRITON_MOCK_PTX_VERSION")
    dump_ptxas_log = env_bool("TRITON_DUMP_PTXAS_LOG")
    libdevice_path = env_opt_str("TRITON_LIBDEVICE_PATH")
    libcuda_path = env_opt_str("TRITON_LIBCUDA_PATH")


class amd_knobs(base_knobs):
    """The settings for AMD's GPUs, for which Eft does not compile."""

    use_buffer_ops = env_bool("AMDGCN_USE_BUFFER_OPS", True)
    use_buffer_atomics = env_bool("AMDGCN_USE_BUFFER_ATOMICS", True)
    buffer_ops_analyze_small_tensor_range = env_bool("AMDGCN_ANALYZE_SMALL_TENSOR_RANGE")
    dump_amdgcn = env_bool("AMDGCN_ENABLE_DUMP")
    libhip_path = env_opt_str("TRITON_LIBHIP_PATH")
    use_block_pingpong = env_opt_bool("TRITON_HIP_USE_BLOCK_PINGPONG")
    use_in_thread_transpose = env_opt_bool("TRITON_HIP_USE_IN_THREAD_TRANSPOSE")
    use_async_copy = env_bool("TRITON_HIP_USE_ASYNC_COPY")
    scalarize_packed_fops = env_bool("AMDGCN_SCALARIZE_PACKED_FOPS")


class proton_knobs(base_knobs):
    """The settings of the profiler."""

    disable = env_bool("TRITON_PROTON_DISABLE", works=True)
    cupti_lib_dir = env_str("TRITON_CUPTI_LIB_PATH", "")
    enable_nvtx = env_bool("TRITON_ENABLE_NVTX", True)


build = build_knobs()
redis = redis_knobs()
cache = cache_knobs()
compilation = compilation_knobs()
autotuning = autotuning_knobs()
runtime = runtime_knobs()
language = language_knobs()
nvidia = nvidia_knobs()
amd = amd_knobs()
proton = proton_knobs()
runtime._restored()


def refresh_knobs():
    """Reads Triton's environment variables again, which Eft otherwise reads only when `triton` is
    imported."""
    environment.adopt(again=True)
