# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The attributes of a kernel that programs read: its parameters, its source, its hash, its compiled
variants. Launches don't need these attributes, so each is computed when it is read.

The attributes have the names that Triton gives them.
"""

from __future__ import annotations

import sys

from eft.annotations import annotations_of


class Reflection:
    """A base of `JITFunction` with the attributes that programs read.

    Attributes:
        hash: the `cache_key`, if it was read; else None. Setting `hash` to None makes Eft forget
            the compiled variants, for example after a change of a function that the kernel calls.
        compiled: the loaded variants: for each number of a device (-1: the CPU) a dict of the
            `CompiledKernel`s by their `id`.
        pre_run_hooks: the functions that each launch calls first, see `add_pre_run_hook`.
    """

    @property
    def arg_names(self) -> list[str]:
        return [parameter.name for parameter in self.parameters]

    @property
    def params(self) -> list[KernelParam]:
        """A `KernelParam` for each parameter, in order."""
        return [KernelParam(number, self, each) for number, each in enumerate(self.parameters)]

    @property
    def constexprs(self) -> list[int]:
        """The numbers of the parameters that are known at compile time."""
        return [number for number, each in enumerate(self.parameters) if each.is_constexpr]

    @property
    def signature(self):
        """The function's `inspect.Signature`."""
        from inspect import signature

        if sys.version_info < (3, 14):
            return signature(self.fn)
        from annotationlib import Format

        # An annotation may use a name that is not defined.
        return signature(self.fn, annotation_format=Format.FORWARDREF)

    @property
    def module(self) -> str:
        return self.__module__

    @property
    def __globals__(self) -> dict | None:
        """The function's globals, or the value to which this attribute was set. PyTorch sets it to
        None while it pickles a kernel."""
        return vars(self)["_globals"] if "_globals" in vars(self) else self.fn.__globals__

    @__globals__.setter
    def __globals__(self, value: dict | None):
        self._globals = value

    @property
    def starting_line_number(self) -> int:
        """The number of the first line of `raw_src` in the file, counted from 1."""
        return self.fn.__code__.co_firstlineno

    @property
    def raw_src(self) -> list[str]:
        """The lines of the function's definition in its file, with the decorators."""
        return self._original_source().code_lines

    @property
    def src(self) -> str:
        """The function's source, without decorators and indentation. Setting this attribute
        replaces the source: the new text must define a function with the same name and parameters.
        The compiled variants of this kernel are then forgotten. Kernels that call this kernel keep
        their variants until their `hash` is set to None.

        Raises:
            CompilationError: at the next use, if the new text does not define such a function.
        """
        from textwrap import dedent

        text = dedent("".join(self.source.code_lines))
        lines = text.splitlines(keepends=True)
        is_start = [line.startswith("def ") for line in lines]
        return "".join(lines[is_start.index(True) :]) if any(is_start) else text

    @src.setter
    def src(self, text: str):
        if not isinstance(text, str):
            raise TypeError(f"src must be a str, got {text!r}")
        self._replace_source(text)
        self.hash = None

    def _unsafe_update_src(self, new_src: str):
        """Sets `src`. Since Triton 3.4, this is the only way to do so in Triton."""
        self.src = new_src

    def parse(self):
        """Returns the source as Python's `ast.Module`."""
        import ast

        return ast.parse(self.src)

    @property
    def hash(self) -> str | None:
        return self._hash

    @hash.setter
    def hash(self, value: str | None):
        self._hash = value
        if value is None:
            self.compiled.clear()
            self.constants.clear()
            self.kernels_of_elements.clear()
            self._forget()

    @property
    def cache_key(self) -> str:
        """A hash of the kernel's source and of everything outside that it reads: functions,
        constants, attributes of modules."""
        if self._hash is None:
            self._hash = _hash_of(self)
        return self._hash

    @property
    def used_global_vals(self) -> dict | None:
        """The constants outside of the kernel that its compiled variants have read. The keys are
        (name, `id` of the globals that contain the name), and the values are (value, those
        globals). If this attribute was set, it is the value to which it was set."""
        if "_used_global_vals" in vars(self):
            return self._used_global_vals
        return {
            (name, id(reader.__globals__)): (value, reader.__globals__)
            for (reader, name), (_, value) in self.constants.items()
        }

    @used_global_vals.setter
    def used_global_vals(self, value: dict | None):
        self._used_global_vals = value

    def get_capture_scope(self) -> dict:
        """Returns the variables that the function can use but that are defined outside of it, by
        name: the globals, and the variables of enclosing functions."""
        from eft.closure import Closure

        closure = Closure(self.fn)
        return closure.globals | closure.variables

    @property
    def type(self):
        from eft.language.constexpr import constexpr

        return constexpr(self)

    def is_gluon(self) -> bool:
        return False

    def repr(self, specialization=None) -> str:
        """Returns the name that tools show for the kernel: the result of the option `repr` of `jit`
        for the compiled kernel `specialization`, or else the kernel's module and qualified name."""
        if self._repr is not None:
            return self._repr(specialization)
        return f"{self.__module__}.{self.__qualname__}"

    # -- compiled variants -------------------------------------------------------------------------

    @property
    def device_caches(self) -> DeviceCaches:
        """For each device a tuple of five: the compiled kernels by their `id`s; an empty dict in
        place of Triton's table of keys; the target; the backend; and the function that
        `create_binder` describes."""
        return DeviceCaches(self)

    def create_binder(self):
        """Returns the tuple that `device_caches` has for the current device. Its last element is a
        function that takes the arguments of a launch. It returns the value of each parameter by
        name, a list with the type and the specialization of each, and the launch's options."""
        from eft.triton.runtime.driver import driver

        return self.device_caches[driver.active.get_current_device()]

    def preload(self, specialization_data: str):
        """Compiles and loads a variant that another process has compiled. `specialization_data` is
        the text that the other process passed to its hooks `jit_cache_hook` and
        `jit_post_compile_hook` under the same name. Returns the compiled kernel.

        Raises:
            RuntimeError: the text describes a variant of another kernel, or has a constexpr value
                that can't be restored from text.
        """
        import json

        data = json.loads(specialization_data)
        own = f"{self.__module__}.{self.__qualname__}"
        if data["name"] != own:
            raise RuntimeError(f"specialization_data must be of {own}, got that of {data['name']}")
        return self._compile(
            data["target"],
            data["device"],
            tuple(data["types"]),
            {name: _from_json(value) for name, value in data["constexprs"].items()},
            data["options"],
            tuple(data["specialization"]),
        )


class KernelParam:
    """A parameter of a kernel, with the attributes that Triton's class of this name has.

    Attributes:
        num: its number, from 0.
        name: its name.
        is_constexpr: whether it is known at compile time.
        is_const: whether it points to memory that the kernel only reads.
        do_not_specialize, do_not_specialize_on_alignment: whether an option of `jit` keeps launches
            from specializing on its value. Both have the same value.
    """

    def __init__(self, num: int, kernel: Reflection, parameter):
        self.num = num
        self.name = parameter.name
        self.is_constexpr = parameter.is_constexpr
        self.is_const = parameter.is_const and not parameter.is_constexpr
        self.do_not_specialize = not parameter.specialize and parameter.dtype is None
        self.do_not_specialize_on_alignment = self.do_not_specialize
        self._kernel = kernel
        self._dtype = parameter.dtype

    @property
    def _param(self):
        """The parameter's `inspect.Parameter`, which needs the kernel's function."""
        return list(self._kernel.signature.parameters.values())[self.num]

    @property
    def annotation(self) -> str:
        """The annotation as text: "constexpr", a type in the words of a signature ("*fp32"), any
        other annotation's text or name, or "" if there is no annotation."""
        if self.is_constexpr:
            return "constexpr"
        if self._dtype is not None:
            return self.annotation_type
        found = annotations_of(self._kernel.fn).get(self.name, "")
        return found if isinstance(found, str) else getattr(found, "__name__", str(found))

    @property
    def annotation_type(self) -> str:
        """The type that the annotation names, in the words of a signature; "" if it names none."""
        if self._dtype is None:
            return ""
        text = self._dtype.signature
        return "u1" if text == "i1" else text

    @property
    def default(self):
        """The default, or `inspect.Parameter.empty`."""
        return self._param.default

    @property
    def has_default(self) -> bool:
        return self._param.default is not self._param.empty

    def __repr__(self):
        return f"KernelParam({self.num}, {str(self._param)!r})"


class DeviceCaches(dict):
    """The compiled variants of a kernel, by the number of the device; see
    `Reflection.device_caches`. Clearing the dict makes Eft forget the variants."""

    def __init__(self, kernel):
        self._kernel = kernel
        super().__init__((device, self._made(device)) for device in kernel.compiled)

    def __missing__(self, device):
        self[device] = made = self._made(device)
        return made

    def _made(self, device):
        from eft.triton.compiler.compiler import make_backend
        from eft.triton.runtime.driver import driver

        target = driver.active.get_current_target()
        kernels = self._kernel.compiled.setdefault(_own_number(device), {})
        backend = make_backend(target)
        return (
            kernels,
            {},
            target,
            backend,
            lambda *args, **kwargs: _bind(self._kernel, backend, args, kwargs),
        )

    def clear(self):
        super().clear()
        self._kernel.hash = None


def without_function(kernel: Reflection) -> dict:
    """Returns the attributes of a kernel whose `fn` was set to None, for pickling."""
    from eft import _runtime

    parameters = [
        {name: value for name, value in vars(each).items() if value is not _runtime.MISSING}
        for each in kernel.parameters
    ]
    names = (
        "__name__", "__qualname__", "__module__", "__doc__", "do_not_specialize",
        "do_not_specialize_on_alignment", "noinline", "debug", "version", "launch_metadata",
        "_hash", "_globals", "_used_global_vals", "_hash_lock", "repr",
    )  # fmt: skip
    facts = {name: vars(kernel)[name] for name in names if name in vars(kernel)}
    return {**facts, "parameters": parameters}


def restore(kind: type, facts: dict) -> Reflection:
    """Returns a kernel of the class `kind` with the attributes `facts`, the result of
    `without_function`. The kernel has no function, so it can't be compiled."""
    from eft import _runtime
    from eft.parameters import Parameter

    kernel = kind.__new__(kind)
    parameters = []
    for each in facts["parameters"]:
        made = Parameter.__new__(Parameter)
        vars(made).update({"default": _runtime.MISSING, **each})
        parameters.append(made)
    empty = {"variants": [], "constants": {}, "compiled": {}, "pre_run_hooks": []}
    vars(kernel).update(
        {"fn": None, "_text": None, "_source": None, "_repr": None, **empty, **facts}
    )
    kernel.parameters = parameters
    kernel._initialize()
    return kernel


def _own_number(device: int) -> int:
    """Returns the number that `Reflection.compiled` uses for the driver's device number `device`:
    the same number, or -1 on a machine without a GPU."""
    from eft import _runtime

    return device if _runtime.device_count() else -1


def _bind(kernel, backend, args, kwargs):
    """Binds the arguments of a launch; see `Reflection.create_binder` for the result."""
    from eft import warmup

    names = set(kernel.arg_names)
    options = {name: value for name, value in kwargs.items() if name not in names}
    bound = warmup.bind(kernel, args, {k: v for k, v in kwargs.items() if k in names})
    specialization = [
        ("constexpr", value)
        if each.is_constexpr or value is None
        else warmup.type_and_specialization(each, value)
        for each, value in zip(kernel.parameters, bound.values(), strict=True)
    ]
    return bound, specialization, backend.parse_options(options)


def specialization_data(kernel, device: int, variant) -> str:
    """Returns a variant of a kernel as JSON, which `preload` in another process reads."""
    import json

    return json.dumps(
        {
            "name": f"{kernel.__module__}.{kernel.__qualname__}",
            "target": variant.target,
            "device": device,
            "types": variant.types,
            "constexprs": {name: _to_json(value) for name, value in variant.constexprs.items()},
            "options": variant.options,
            "specialization": variant.specialization,
        }
    )


def _to_json(value):
    from eft.language.dtypes import describe, dtype

    if isinstance(value, dtype):
        return {"dtype": value.signature}
    if isinstance(value, list | tuple):
        return {"tuple": [_to_json(each) for each in value]}
    is_long = isinstance(value, int) and value.bit_length() > 64
    if value is None or (isinstance(value, bool | int | float | str) and not is_long):
        return value
    return {"text": describe(value)}  # for people to read: `preload` refuses it


def _from_json(value):
    from eft.language.dtypes import from_signature

    if not isinstance(value, dict):
        return value
    ((kind, inner),) = value.items()
    if kind == "dtype":
        return from_signature(inner)
    if kind == "tuple":
        return tuple(_from_json(each) for each in inner)
    raise RuntimeError(f"a kernel can't be preloaded for the constexpr value {inner}")


def _hash_of(kernel) -> str:
    from hashlib import sha256

    from eft.stable_text import NotStable, StableText

    try:
        text = StableText().of(kernel)
    except NotStable:  # hash only the kernel's own source
        text = f"{kernel.__module__}.{kernel.__qualname__}\n{kernel.src}"
    facts = f"{text}\0{kernel.starting_line_number}"
    return sha256(facts.encode(errors="surrogatepass")).hexdigest()
