# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stable texts: texts that identify values. The same value has the same text in every process, and
different values have different texts. The keys of the disk cache consist of stable texts.

The text of a number, a string or a tuple is its type and its value. The text of a function consists
of its source or its code, and of the texts of everything that it reads. The text of a class
consists of the texts of its attributes. The text of any other object consists of what `pickle`
would store of it. So most objects that can be pickled have a text; a large array has none.
Functions, classes and modules of Python, of its standard library, and of installed packages that
have a version are represented by their names and the version, because they change only if the
version changes.
"""

from __future__ import annotations

import os
import sys
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MappingProxyType,
    MethodType,
    ModuleType,
)

from eft._runtime import MISSING
from eft.annotations import annotations_of
from eft.closure import Closure
from eft.language.builtin import is_constexpr_function
from eft.language.constexpr import unwrap
from eft.language.dtypes import dtype

#: Attributes of classes that don't affect what a class does.
_SILENT = frozenset(
    """__abstractmethods__ __annotate__ __annotate_func__ __annotations_cache__ __classdictcell__
    __dict__ __doc__ __firstlineno__ __module__ __static_attributes__ __weakref__
    _abc_impl""".split()
)
#: The size from which an array has no text. The key of a larger array would cost more than the
#: cache saves.
_MOST_BYTES = 1 << 16
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: the class was made at run time
_STANDARD_LIBRARY = os.path.dirname(os.__file__) + os.sep
_PACKAGES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


class NotStable(Exception):
    """A value has no text that would be the same in another process.

    Attributes:
        path: the steps, such as ".size" or "[0]", that lead from the value whose text was requested
            to the value without a text. The last step comes first.
        why: the reason.
    """

    def __init__(self, why: str):
        super().__init__(why)
        self.path = []
        self.why = why

    def __str__(self):
        path = "".join(reversed(self.path)).removeprefix(".")
        return f"{path!r} {self.why}" if path else f"it {self.why}"


def stable_text(value) -> str:
    """Returns the stable text of one value.

    Raises:
        NotStable: the value has no stable text.
    """
    return StableText().of(value)


class StableText:
    """Writes the texts of values that belong together. An object that was written before is written
    as its number. So an object that contains itself has a text, and a text tells one object that
    occurs twice from two equal objects.
    """

    def __init__(self):
        # By `id`: the object's number, and the object. The reference keeps its `id` from being
        # reused.
        self._met = {}

    def of(self, value, step: str = "") -> str:
        """Returns the text of `value`. `step`, such as ".size", leads from the containing value to
        this value; it is used in error messages."""
        if type(value) is not list and not isinstance(value, tuple):  # elements are unwrapped later
            value = unwrap(value)
        try:
            return self._text(value)
        except NotStable as error:
            error.path.append(step)
            raise
        except RecursionError:
            raise NotStable("is nested too deeply") from None

    def _text(self, value) -> str:
        kind = type(value)
        if kind is int:
            return f"int {value:x}"  # Python refuses to write a large int in decimal
        if value is None or kind in (bool, float, str, complex, bytes):
            return f"{kind.__name__} {value!r}"
        if kind in (tuple, slice, range):
            parts = value if kind is tuple else (value.start, value.stop, value.step)
            return f"{kind.__name__} [{self._joined(parts)}]"
        if isinstance(value, dtype):
            return f"{kind.__name__} {value.name} {value.signature}"
        if isinstance(value, ModuleType):
            return self._module(value)
        return self._numbered(value)

    def _numbered(self, value) -> str:
        number, _ = self._met.get(id(value), (None, None))
        if number is not None:
            return f"again {number}"
        self._met[id(value)] = len(self._met), value
        if hasattr(value, "_eft_jit"):
            return self._kernel(value)
        if isinstance(value, FunctionType):
            return self._function(value)
        if isinstance(value, BuiltinFunctionType) and _is_of_module(value):
            return f"function {value.__module__}.{value.__qualname__} {_file_text(value)}"
        if isinstance(value, MethodType):
            return f"method {self.of(value.__func__)} of {self.of(value.__self__)}"
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, CodeType):
            return self._code(value)
        return self._container(value) or self._object(value)

    def _joined(self, values) -> str:
        return ", ".join(self.of(each, f"[{number}]") for number, each in enumerate(values))

    def _container(self, value) -> str | None:
        kind = type(value)
        if kind is list:
            return f"list [{self._joined(value)}]"
        if kind in (set, frozenset):
            return f"{kind.__name__} [{', '.join(sorted(map(self.of, value)))}]"
        if kind in (dict, MappingProxyType):
            pairs = (
                f"{self.of(key)}: {self.of(each, f'[{key!r}]')}" for key, each in value.items()
            )
            return f"{kind.__name__} [{', '.join(pairs)}]"
        if kind in (staticmethod, classmethod):
            return f"{kind.__name__} {self.of(value.__func__)}"
        if kind.__name__ == "cached_property" and hasattr(value, "func"):
            return f"{kind.__name__} {self.of(value.func)}"
        if kind is property:
            return f"property [{self._joined((value.fget, value.fset, value.fdel))}]"
        return None

    def _object(self, value) -> str:
        """Returns the text of what `pickle` would store of an object."""
        if hasattr(value, "__dlpack__") and getattr(value, "nbytes", _MOST_BYTES) >= _MOST_BYTES:
            raise NotStable("is an array")
        try:
            kept = value.__reduce_ex__(4)
        except Exception as error:
            kept = getattr(value, "__name__", None)
            if not isinstance(kept, str):
                raise NotStable(f"can't be kept from process to process: {error}") from None
        if isinstance(kept, str):  # pickle would store only this name of a global
            return self._named(value, kept)
        make, arguments, *state = kept
        texts = [self.of(make), *map(self.of, arguments)]
        for each in state:
            if isinstance(each, dict):
                texts += (
                    f"{self.of(name)}: {self.of(item, f'.{name}')}" for name, item in each.items()
                )
            elif each is None or isinstance(each, list | tuple):
                texts.append(self.of(each))
            else:  # an iterator over elements
                texts.append(self._joined(each))
        return f"object [{', '.join(texts)}]"

    def _named(self, value, name: str) -> str:
        module = type(value).__module__
        if hasattr(value, "__wrapped__"):  # a function under functools.cache
            return f"{self.of(type(value))} {self.of(value.__wrapped__)}"
        library = _library(module)
        if library and _found(module, name) is value:
            return f"{module}.{name} {library}"
        raise NotStable(f"is known by its name alone, {name!r}")

    # -- modules and classes -----------------------------------------------------------------------

    def _module(self, module: ModuleType) -> str:
        if library := _library(module.__name__):
            return f"module {module.__name__} {library}"
        raise NotStable("is a module of which anything may be read: read its attributes by name")

    def _class(self, kind: type) -> str:
        name = f"class {kind.__module__}.{kind.__qualname__}"
        if library := _library_by_name(kind):
            return f"{name} {library}"
        attributes = {
            key: value
            for key, value in vars(kind).items()
            if key not in _SILENT and key != "__annotations__"
        }
        if isinstance(getattr(kind, "__members__", None), MappingProxyType):  # an enum
            members = {key: member._value_ for key, member in kind.__members__.items()}
            attributes = members | {
                key: value
                for key, value in attributes.items()
                if isinstance(value, FunctionType | staticmethod | classmethod)
                or type(value) is property
            }
        else:
            attributes["__annotations__"] = dict(annotations_of(kind))
        bases = self._joined((type(kind), *kind.__bases__))
        own = (f"{key} = {self.of(each, f'.{key}')}" for key, each in sorted(attributes.items()))
        return f"{name} [{bases}] [{', '.join(own)}]"

    # -- functions ---------------------------------------------------------------------------------

    def _kernel(self, function) -> str:
        """Returns the text of a function under @eft.jit: its source, its position, its parameters,
        and the texts of what it reads. The position counts because debug information in the code
        contains it. Only the name of the file counts, without its folder, because a notebook's cell
        has a different folder in each process."""
        source = function.source
        place = f"{os.path.basename(source.file)}:{source.definition_line}"
        parts = [source.definition, place]
        if patterns := getattr(function, "patterns", ()):  # for a `KernelOfElements`
            parts.append(self.of(patterns))
        for each in function.parameters:
            default = ""
            if each.default is not MISSING:
                default = self.of(each.default, f"{function.__name__}({each.name}=…)")
            parts.append(f"{each.name} {each.is_constexpr} {each.is_const} {each.dtype} {default}")
        closure = Closure(function.fn)
        given = source.summary.parameters
        found = {}
        for chain in source.summary.chains:
            name = chain[0]
            if name not in given and (name in closure.variables or name in closure.globals):
                value = closure.find(name)
                if value is not MISSING:  # if the kernel reads it, compiling reports the error
                    self._read(found, value, chain)
        return "\n".join([*parts, *self._all_read(found)])

    def _function(self, function: FunctionType) -> str:
        """Returns the text of any other Python function: its code, and the texts of what the code
        reads. A function of a library is represented by its name."""
        module = function.__module__ or ""
        name = f"function {module}.{function.__qualname__}"
        if not is_constexpr_function(function) and (library := _library_by_name(function)):
            return f"{name} {library}"
        found = {}
        for cell_name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            try:
                self._read(found, cell.cell_contents, (cell_name,))
            except ValueError:  # not assigned yet
                continue
        for chain in code_chains(function.__code__):
            if chain[0] in function.__globals__:
                self._read(found, function.__globals__[chain[0]], chain)
        parts = [
            name,
            self.of(function.__code__),
            self.of(function.__defaults__),
            self.of(function.__kwdefaults__),
        ]
        return "\n".join([*parts, *self._all_read(found)])

    def _code(self, code: CodeType) -> str:
        facts = (
            code.co_code,
            code.co_consts,
            code.co_names,
            code.co_varnames,
            code.co_freevars,
            code.co_cellvars,
            code.co_argcount,
            code.co_posonlyargcount,
            code.co_kwonlyargcount,
            code.co_flags,
            getattr(code, "co_exceptiontable", b""),
        )
        return f"code [{self._joined(facts)}]"

    def _read(self, found: dict, value, chain: tuple[str, ...]):
        """Follows a chain of names from `value` through modules that don't belong to a library.
        Adds the value at the end of this path to `found`, under the path."""
        path = chain[0]
        for name in chain[1:]:
            if not isinstance(value, ModuleType) or _library(value.__name__):
                break
            if not hasattr(value, name):  # if the kernel reads it, compiling reports the error
                return
            value = getattr(value, name)
            path = f"{path}.{name}"
        found[path] = value

    def _all_read(self, found: dict) -> list[str]:
        return [f"{path} = {self.of(value, path)}" for path, value in sorted(found.items())]


def code_chains(code: CodeType):
    """Yields the chains of names with which a code object reads globals. A chain is a global with
    the attributes that follow it: `a.b.c` is the chain ("a", "b", "c").

    Raises:
        NotStable: the code imports a module that does not belong to a library.
    """
    import dis

    chain = ()
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            if chain:
                yield chain
            chain = (instruction.argval,)
        elif chain and instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            chain = (*chain, instruction.argval)
        elif instruction.opname not in ("CACHE", "PUSH_NULL", "EXTENDED_ARG"):
            if chain:
                yield chain
            chain = ()
        if instruction.opname == "IMPORT_NAME" and not _library(instruction.argval):
            raise NotStable(f"imports {instruction.argval!r} when it runs")
    if chain:
        yield chain
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from code_chains(each)


def _is_of_module(function: BuiltinFunctionType) -> bool:
    return function.__self__ is None or isinstance(function.__self__, ModuleType)


def _library_by_name(value) -> str | None:
    """Returns the `_library` of a function or a class, if the library contains this value under its
    name or the class is built into the interpreter. Otherwise returns None."""
    library = _library(value.__module__) if isinstance(value.__module__, str) else None
    is_built_in = isinstance(value, type) and not value.__flags__ & _HEAP_TYPE
    is_there = library and _found(value.__module__, value.__qualname__) is value
    return library if is_there or is_built_in else None


def _found(module: str, name: str):
    """Returns the value of a name, which may contain dots, in a module; None if there is none."""
    found = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _file_text(function: BuiltinFunctionType) -> str:
    """Returns a text that is different for different builds of the extension module that contains
    the function: the library and its version, or the size and time of the module's file."""
    module = function.__module__ or type(function.__self__).__module__
    if library := _library(module):
        return library
    try:
        status = os.stat(sys.modules[module].__file__)
    except (KeyError, AttributeError, TypeError, OSError):
        raise NotStable("is a function of an unknown library") from None
    return f"{status.st_size} {status.st_mtime_ns}"


_libraries = {}


def _library(module: str) -> str | None:
    """Returns the name and the version of the library that contains a module. Returns None for a
    module without a version, because it may change at any time. The versions of Eft and of Python
    are left out: every key contains them in `eft.version.fingerprint`."""
    top = module.partition(".")[0]
    if top not in _libraries:
        _libraries[top] = _find_library(top)
    return _libraries[top]


def _find_library(top: str) -> str | None:
    if top == "eft":
        return "eft"
    module = sys.modules.get(top)
    file = getattr(module, "__file__", None)
    if file is None:
        known = top in sys.stdlib_module_names or top in sys.builtin_module_names
        return "python" if known else None
    if any(folder in file for folder in _PACKAGES):
        version = getattr(module, "__version__", None)
        return f"{top} {version}" if isinstance(version, str) else None
    return "python" if file.startswith(_STANDARD_LIBRARY) else None
