# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names outside of the language that Triton has and Eft lacks. Each name has a stand-in. A
script may import the stand-in, derive a class from it, catch it as an exception, and use it as an
annotation. Any other use raises an error with the name.

docs/triton.md lists the same names; a test compares the two lists.
"""

from __future__ import annotations

from types import ModuleType

from eft.version import __version__

_COMPILES = "it lowers and compiles kernels by itself, in eft.compiler and eft._compiler"
_LAUNCHES = "it launches kernels by itself, in eft._runtime"
_NO_AMD = "it compiles for NVIDIA's GPUs and CPUs"
_NO_INTERPRETER = "it compiles for the CPU instead of interpreting"

#: By the name of a module of Triton's: the reason why Eft lacks some of its names, and these names.
_NAMES = {
    "triton.backends.amd.compiler": (
        _NO_AMD,
        "get_min_dot_size is_in_thread_transpose_enabled is_pingpong_schedule_enabled",
    ),
    "triton.backends.amd.driver": (
        _NO_AMD,
        "HIPLauncher HIPUtils make_launcher make_tensordesc_arg ty_to_cpp wrap_handle_tensordesc",
    ),
    "triton.backends.nvidia.compiler": (
        _COMPILES,
        "file_hash get_features get_ptx_version_from_options get_ptxas get_ptxas_version "
        "ptx_get_version",
    ),
    "triton.backends.nvidia.driver": (
        _LAUNCHES,
        "CudaLauncher libcuda_dirs library_dirs make_launcher make_tensordesc_arg "
        "wrap_handle_tensordesc",
    ),
    "triton.compiler.code_generator": (
        _COMPILES,
        "ASTFunction BoundJITMethod CodeGenerator ContainsReturnChecker ast_to_ttir "
        "check_identifier_legality enter_sub_region flatten_values_to_ir mangle_fn "
        "unflatten_ir_values",
    ),
    "triton.compiler.compiler": (_COMPILES, "CompileTimer convert_type_repr parse"),
    "triton.runtime.build": ("it runs no C compiler", "compile_module_from_src"),
    "triton.runtime.interpreter": (
        _NO_INTERPRETER,
        "ASTTransformer BlockPointerHandle ExtraFunctions FunctionRewriter GridExecutor "
        "InterpreterBuilder InterpreterOptions ReduceOps ReduceScanOpInterface ScanOps "
        "TensorDescHandle TensorHandle interpreter_builder",
    ),
    "triton.runtime.jit": (
        _LAUNCHES,
        "BoundConstexprFunction DependenciesFinder compute_cache_key convert_to_tuple_if_list "
        "create_function_from_signature serialize_specialization_data",
    ),
    "triton.testing": (
        "triton.testing.do_bench and do_bench_cudagraph time kernels",
        "cublas cuda_graph_without_gc do_bench_cudagraph_proton do_bench_proton",
    ),
    "triton.tools.disasm": ("get_sass leaves the encodings out", "parseCtrl processSassLines"),
}

#: The modules of which Eft has no name at all: the reason, and the names.
MODULES = {
    "triton.language.semantic": (_COMPILES, "IncompatibleTypeErrorImpl TritonSemantic"),
    "triton.tools.gsan": ("kernels are not instrumented", "main"),
    "triton.profiler.data": (
        "finalize writes what was measured",
        "advance_phase clear get get_msgpack is_phase_complete",
    ),
    "triton.profiler.metric": (
        "metrics are numbers of the host",
        "scalar_metric_kernel set_metric_kernels tensor_metric_kernel transform_tensor_metrics",
    ),
    "triton.tools.build_extern": (
        "it makes Triton's own sources",
        "ExternLibrary LLVMDisassembler Libdevice Symbol build convert_type to_unsigned",
    ),
    "triton.tools.link": (
        "python -m eft compile writes what a program links",
        "HeaderParser KernelLinkerMeta LinkerError gen_signature gen_signature_with_full_args "
        "make_algo_decls make_default_algo_kernel make_func_pointers make_get_num_algos_decl "
        "make_get_num_algos_def make_global_decl make_kernel_hints_dispatcher make_kernel_load_def "
        "make_kernel_meta_const_dispatcher",
    ),
    "triton.tools.ragged_tma": (
        "its arrays begin beyond what TensorDescriptor describes, which is not supported yet",
        "atomic_add_ragged create_ragged_descriptor load_ragged store_ragged to_ragged_indices",
    ),
    "triton.profiler.context": ("launches are noted under scopes alone", "depth"),
    "triton.profiler.flags": ("sessions are on where they were started", "ProfilerFlags flags"),
    "triton.profiler.hooks": ("triton.knobs.runtime has the hooks", "HookManager"),
    "triton.profiler.hooks.hook": ("triton.knobs.runtime has the hooks", "Hook HookManager"),
    "triton.profiler.hooks.instrumentation": (
        "kernels are not instrumented",
        "CudaAllocator Instrumentation InstrumentationHook",
    ),
    "triton.profiler.hooks.launch": ("triton.knobs.runtime has the hooks", "LaunchHook"),
    "triton.profiler.language": (
        "kernels are not instrumented",
        "disable_semantic enable_semantic enter_scope exit_scope record scope",
    ),
    "triton.profiler.mode": (
        "launches are timed by events in every mode",
        "BaseMode Default InstrumentationMode MMA Optimize PCSampling",
    ),
    "triton.profiler.proton": (
        "triton.profiler.start begins a profile",
        "do_setup_and_execute execute_as_main is_pytest main parse_arguments run_profiling",
    ),
    "triton.profiler.specs": ("it does not know what devices reach", "max_bps max_flops"),
    "triton.profiler.viewer": ("Hatchet shows the files that finalize writes", "main"),
}

#: Those of `MODULES` that are packages, which contain further modules.
PACKAGES = {"triton.profiler.hooks"}


class _Refusing(type):
    """The class of stand-ins. Raises an error for every use of a stand-in except those that
    `Missing` allows."""

    def __call__(cls, *args, **kwargs):
        refuse(cls._name, cls._reason)

    def __getitem__(cls, key):
        refuse(cls._name, cls._reason)

    __iter__ = __enter__ = __call__

    def __repr__(cls):
        return f"<{cls._name}, which Eft does not have>"

    def __getattr__(cls, name: str):
        if name.startswith("_"):  # Python itself reads such attributes
            raise AttributeError(name)
        refuse(cls._name, cls._reason)


class Missing(Exception, metaclass=_Refusing):
    """The base of the stand-ins. A program may derive from a stand-in, catch it, and use it as an
    annotation. Any other use raises an error that names the stand-in."""

    _name = _reason = ""


def _make(name: str, reason: str = "") -> type[Missing]:
    return _Refusing(name.rpartition(".")[2], (Missing,), {"_name": name, "_reason": reason})


def is_missing(module: str, name: str) -> bool:
    """Whether Triton has `module.name`, and Eft does not."""
    return name in _NAMES.get(module, ("", ""))[1].split()


def attribute(module: str, name: str):
    """Returns the stand-in for `module.name`.

    Raises:
        AttributeError: Triton does not have this name either.
    """
    if not is_missing(module, name):
        raise AttributeError(f"Eft {__version__} has nothing named {module}.{name}")
    return _make(f"{module}.{name}", _NAMES[module][0])


def make_module(name: str) -> ModuleType:
    """Returns the module `name`, one of `MODULES`, whose names are all stand-ins."""
    reason, names = MODULES[name]
    module = ModuleType(name, f"Stands for `{name}`, which Eft does not have: {reason}.")
    for each in names.split():
        setattr(module, each, _make(f"{name}.{each}", reason))
    return module


def refuse(name: str, reason: str = ""):
    """Raises a NotImplementedError which says that Eft does not have `name`."""
    text = f"Eft {__version__} does not have {name}"
    raise NotImplementedError(f"{text}: {reason}" if reason else text)
