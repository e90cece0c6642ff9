# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes `import triton` import Eft, in this process and in the processes that it starts.

If Eft implements a module of Triton's, importing it gives Eft's module object itself, not a copy:
so `triton.language.int32 is eft.language.int32`. Triton's other modules are not found, even if
Triton is installed, because a mixture of modules from both would fail later, with errors that
explain little.

Processes that this process starts find Eft through PYTHONPATH. It contains Eft's folder
`as_triton`, in which the module `triton.py` calls `install()`.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec

from eft.version import __version__

#: By the name of a module of Triton's, the module of Eft that implements it. Only the modules that
#: are not in `eft.triton` under the same name.
_ELSEWHERE = {"triton.language": "eft.language", "triton.testing": "eft.testing"}

#: Modules of `eft.triton` that Triton does not have.
_OWN = {
    "eft.triton.as_triton", "eft.triton.compiler.compiled", "eft.triton.environment",
    "eft.triton.finder", "eft.triton.lazy", "eft.triton.missing", "eft.triton.profiler.session",
}  # fmt: skip


def _name_in_eft(name: str) -> str | None:
    """Returns the name of Eft's module that implements Triton's module `name`; None if there is
    none.
    """
    for theirs, ours in (*_ELSEWHERE.items(), ("triton", "eft.triton")):
        if f"{name}.".startswith(f"{theirs}."):
            ours += name.removeprefix(theirs)
            break
    try:
        return ours if ours not in _OWN and importlib.util.find_spec(ours) else None
    except ModuleNotFoundError:  # an enclosing package does not exist
        return None


class _Alias(Loader):
    """A loader that returns the module `name` of Eft under a name of Triton's."""

    def __init__(self, name: str):
        self.name = name

    def create_module(self, spec: ModuleSpec):
        module = importlib.import_module(self.name)
        self.spec = module.__spec__
        # If the module is a package, its imported submodules get their second names now, too.
        # Otherwise a later import of such a submodule by its second name would set the submodule as
        # an attribute of the package, and could replace another value of the attribute's name.
        for name in list(sys.modules):
            if name.startswith(f"{self.name}.") and name not in _OWN:
                sys.modules.setdefault(spec.name + name[len(self.name) :], sys.modules[name])
        return module

    def exec_module(self, module):
        module.__spec__ = self.spec  # the import system has replaced it by a spec for Triton's name

    def get_code(self, name: str):
        """Returns the module's code, which `python -m` runs."""
        spec = importlib.util.find_spec(self.name)
        return spec.loader.get_code(self.name)


class _Names(Loader):
    """A loader for modules of `eft.triton.missing.MODULES`, which contain only stand-ins."""

    def create_module(self, spec: ModuleSpec):
        from eft.triton.missing import make_module

        return make_module(spec.name)

    def exec_module(self, module):
        pass


class TritonFinder(MetaPathFinder):
    """Finds the module `triton` and all modules inside it."""

    def find_spec(self, name: str, path=None, target=None) -> ModuleSpec | None:
        if name.partition(".")[0] != "triton":
            return None
        ours = _name_in_eft(name)
        if ours is None:
            from eft.triton.missing import MODULES, PACKAGES

            if name in MODULES:
                return ModuleSpec(name, _Names(), is_package=name in PACKAGES)
            raise ModuleNotFoundError(
                f"No module named {name!r}: Eft {__version__} does not have it", name=name
            )
        return ModuleSpec(name, _Alias(ours))


def install(children: bool = False) -> None:
    """Makes `import triton` import Eft from now on. If the real Triton was imported before, modules
    that have imported it can go on using it, but no later import finds it.

    Args:
        children: whether `import triton` also imports Eft in processes that this process starts
            later with its environment. `python -m eft run` sets this.
    """
    if children:
        reach_children()
    if any(isinstance(finder, TritonFinder) for finder in sys.meta_path):
        return
    for name in list(sys.modules):
        if name.partition(".")[0] == "triton":
            del sys.modules[name]
    sys.meta_path.insert(0, TritonFinder())


#: The folder that makes Eft importable as `triton` if it is on PYTHONPATH.
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "as_triton")


def reach_children() -> None:
    """Puts `FOLDER` first on PYTHONPATH, which Python searches before installed packages. If Eft is
    not installed, adds the folder from which this process imported Eft, too."""
    path = os.environ.get("PYTHONPATH", "")
    folders = path.split(os.pathsep) if path else []
    if FOLDER not in sys.path:
        sys.path.insert(1, FOLDER)  # multiprocessing passes `sys.path` to its processes
    if FOLDER not in folders:
        own = os.path.dirname(os.path.dirname(os.path.dirname(FOLDER)))
        is_found = own in folders or os.path.basename(own) in ("site-packages", "dist-packages")
        added = [FOLDER] if is_found else [FOLDER, own]
        os.environ["PYTHONPATH"] = os.pathsep.join([*added, *folders])
