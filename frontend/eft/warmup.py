# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`kernel.warmup`: compiles a kernel without a launch. An argument may be an array, or only its
type, such as `tl.float32`."""

from __future__ import annotations

from eft import _runtime, driver
from eft.errors import CompilationError, Mistake
from eft.kernel import Compilation, CompiledKernel
from eft.language.constants import number_dtype
from eft.language.constexpr import constexpr, unwrap
from eft.language.dtypes import NUMBERS, dtype, from_name, from_signature
from eft.mock import MockTensor
from eft.parameters import VALUE, Parameter
from eft.tuple_arguments import flatten, has_tuples

#: The options of a launch: first Eft's own, then those of Triton that are accepted without effect.
_OPTIONS = (
    *("num_warps", "num_stages", "num_ctas", "maxnreg", "debug"),
    *("enable_fp_fusion", "enable_reflect_ftz", "launch_pdl", "launch_cooperative_grid"),
    *("sanitize_overflow", "instrumentation_mode", "cluster_dims", "extern_libs"),
    *("ptx_options", "warp_size"),
)


def stands_for_array(value) -> bool:
    """Returns whether an argument of a warmup only gives the type of an array: a dtype, a
    `MockTensor`, or a tensor of PyTorch without memory. For a tuple, whether one of its elements
    does; for a tensor descriptor, whether its array does."""
    if isinstance(value, tuple | list):
        return any(map(stands_for_array, value))
    if is_descriptor(value):
        value = value.base
    is_type = isinstance(value, dtype | MockTensor) or _is_library_dtype(value)
    return is_type or getattr(value, "is_meta", False) is True  # PyTorch's device "meta"


def is_descriptor(value) -> bool:
    """Returns whether a value is an `eft.TensorDescriptor`. Does not import the class, which few
    programs need."""
    return getattr(type(value), "_eft_descriptor", False)


def _is_library_dtype(value) -> bool:
    return "dtype" in type(value).__name__.lower()


def _library_dtype(value) -> dtype | None:
    """Returns Eft's dtype for a dtype of another library; None if there is none."""
    return from_name(str(value).split(".")[-1]) if _is_library_dtype(value) else None


def warmup(function, args, kwargs, target: str | None) -> CompiledKernel | Compilation:
    """Compiles `function` for these arguments; see `JITFunction.warmup`."""
    options = _runtime.read_options(function.__name__, _take_options(function, kwargs))
    options = function.effective(options)
    values = bind(function, args, kwargs)
    if has_tuples(function, values.values()):
        # Here an element that is a dtype takes the place of an array, so it is no constant.
        function, values = flatten(function, values, (constexpr, str))
    values = {name: unwrap(value) for name, value in values.items()}
    load = target is None
    if load:
        target = _target_here(values)
    elif not isinstance(target, str):
        raise TypeError(f"target must be a str such as 'cuda:90' or 'cpu', got {target!r}")
    else:
        from eft import _compiler

        target = _compiler.target_name(target)
    constexprs = {
        each.name: values[each.name]
        for each in function.parameters
        if each.is_constexpr or values[each.name] is None
    }
    types = tuple(
        None if each.name in constexprs else _type(each, values[each.name])
        for each in function.parameters
    )
    try:
        found, known = driver.address_parameters(function, target, types, constexprs, options)
        divisors = {number: rest for number, *rest in found}
        special = tuple(
            _specialization(values[each.name], types[number], divisors.get(number))
            if types[number] is not None and each.kind == VALUE
            else ""
            for number, each in enumerate(function.parameters)
        )
        variant = driver.Variant(target, types, constexprs, options, special)
        if load:
            return driver.load(function, variant, 0, known)
        return driver.compile_variant(function, variant, None, known)
    except CompilationError as error:
        raise error.with_traceback(None) from None


def _take_options(function, kwargs: dict) -> dict:
    """Returns the options of a launch among the arguments. Removes them from `kwargs`, except those
    that are also parameters. An argument sets an option and a parameter of the same name if the
    parameter is a constexpr; otherwise it sets the parameter only."""
    parameters = {each.name: each for each in function.parameters}
    names = [name for name in _OPTIONS if name in kwargs]
    return {
        name: unwrap(kwargs[name] if name in parameters else kwargs.pop(name))
        for name in names
        if name not in parameters or parameters[name].is_constexpr
    }


def bind(function, args, kwargs) -> dict:
    """Returns the value of each parameter, by name.

    Raises:
        TypeError: the arguments don't fit the parameters.
    """
    try:
        return function.bind(args, kwargs)
    except Mistake as mistake:
        raise TypeError(str(mistake)) from None


def type_and_specialization(parameter, value) -> tuple[str, str]:
    """Returns the type of an argument in a signature, and the specialization that its value would
    have if it reached an address of one-byte elements: "16", "1" or ""."""
    type = _type(parameter, unwrap(value))
    return type, _specialization(unwrap(value), type, (16,)) if parameter.kind == VALUE else ""


def argument_type(value) -> str:
    """Returns the type of an argument in a signature."""
    return _type(Parameter("argument", None, None, True), unwrap(value))


def _is_number(value) -> bool:
    return isinstance(value, bool | int | float)


def _type(parameter, value) -> str:
    """Returns the type of an argument in the signature."""
    if is_descriptor(value):
        return _descriptor_type(parameter, value)
    if _is_number(value):
        return _number_type(parameter, value)
    if not stands_for_array(value):
        _, found, is_read_only, _ = _read(value, f"argument {parameter.name!r}")
        return f"*{'k' if is_read_only else ''}{found}"
    element = getattr(value, "dtype", value)
    if isinstance(element, dtype) and element.is_ptr():
        return element.signature
    found = element if isinstance(element, dtype) else _library_dtype(element)
    if found not in NUMBERS:
        raise TypeError(f"argument {parameter.name!r}: no kernel can work on {element!r}")
    return f"*{found.signature}"


def _descriptor_type(parameter, value) -> str:
    """Returns the type of a tensor descriptor in the signature, which must equal the type that a
    launch gives it: see frontend/bindings/runtime/DescriptorReader.h."""
    element = _type(parameter, value.base).removeprefix("*")
    padding = ", nan" if value.padding == "nan" else ""
    wide = ", i64" if any(extent != _as_int32(extent) for extent in value.shape) else ""
    return f"tensordesc<{element}{list(value.block_shape)}{padding}{wide}>"


def _as_int32(number: int) -> int:
    return (number + 2**31) % 2**32 - 2**31


def _number_type(parameter, value) -> str:
    """Returns the type of a number in the signature, as a launch does: a float is fp64 if the
    parameter is annotated as fp64, else fp32; an int that needs uint32 is i64."""
    try:
        found = number_dtype(value)
    except Mistake as mistake:
        raise TypeError(f"argument {parameter.name!r}: {mistake}") from None
    if found.is_floating():
        is_double = parameter.dtype is not None and parameter.dtype.is_fp64()
        return "fp64" if is_double else "fp32"
    return "i64" if found.is_uint32() else found.signature


def address_of(value) -> int:
    """Returns the address of an array; 0 for a value that only gives a type."""
    return 0 if stands_for_array(value) else _read(value)[0]


def _read(array, words: str = "an array") -> tuple:
    """Reads an array as a launch does. Returns its address, its element type, whether it is
    read-only, and the number of its GPU."""
    return _runtime.read_array(array, words)


def _specialization(value, type: str, divisors) -> str:
    """Returns the specialization of a value; see `eft.driver.Variant`. `divisors` are the divisors
    on which launches specialize an integer; None if the integer does not reach an address."""
    if type.startswith("*"):
        return "16" if address_of(value) % 16 == 0 else ""
    if is_descriptor(value):
        elements = 16 // from_signature(type).pointer.element_ty.itemsize
        return str(elements) if value.shape[-1] % elements == 0 else ""
    if divisors is None or not isinstance(value, int) or isinstance(value, bool):
        return ""
    if value == 1:
        return "1"
    return next((str(divisor) for divisor in divisors if value % divisor == 0), "")


def _target_here(values: dict) -> str:
    """Returns the target on which a launch with these arguments would run."""
    places = [
        _read(value)[3]
        for value in (each.base if is_descriptor(each) else each for each in values.values())
        if hasattr(value, "dtype") and not _is_number(value) and not stands_for_array(value)
    ]
    gpus = [place for place in places if place is not None and place >= 0]
    if (places and not gpus) or _runtime.device_count() == 0:
        return "cpu"
    return _runtime.device_properties(gpus[0] if gpus else 0)["target"]
