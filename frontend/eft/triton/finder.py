# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes `import triton` mean Eft, in this process, and in those that it starts.

Every module of Triton's that Eft has goes to a module of Eft's: not a copy, the same object, so
that `triton.language.int32 is eft.language.int32`. The others are not found, also if Triton is
installed: half of one and half of the other would only fail later.

Another process takes a folder of Eft's on PYTHONPATH for one that has a Triton: `as_triton`, whose
`triton.py` calls `install()`.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec

from eft.version import __version__

#: Triton's modules that are not in `eft.triton` under the same name, and theirs in Eft.
_ELSEWHERE = {"triton.language": "eft.language", "triton.testing": "eft.testing"}

#: Modules of `eft.triton` that Triton does not have.
_OWN = {
    "eft.triton.as_triton", "eft.triton.compiler.compiled", "eft.triton.environment",
    "eft.triton.finder", "eft.triton.lazy", "eft.triton.missing", "eft.triton.profiler.session",
}  # fmt: skip


def _name_in_eft(name: str) -> str | None:
    """The module of Eft's that is `name`, or None if there is none."""
    for theirs, ours in (*_ELSEWHERE.items(), ("triton", "eft.triton")):
        if f"{name}.".startswith(f"{theirs}."):
            ours += name.removeprefix(theirs)
            break
    try:
        return ours if ours not in _OWN and importlib.util.find_spec(ours) else None
    except ModuleNotFoundError:  # a package on the way is not there
        return None


class _Alias(Loader):
    """Gives a module of Eft's a second name."""

    def __init__(self, name: str):
        self.name = name

    def create_module(self, spec: ModuleSpec):
        module = importlib.import_module(self.name)
        self.spec = module.__spec__
        # The modules of its own that a package has imported have their second names from now on, so
        # that nothing imports them once more, over a name of the package's that is called the same.
        for name in list(sys.modules):
            if name.startswith(f"{self.name}.") and name not in _OWN:
                sys.modules.setdefault(spec.name + name[len(self.name) :], sys.modules[name])
        return module

    def exec_module(self, module):
        module.__spec__ = self.spec  # the import system has put its own there

    def get_code(self, name: str):
        """The module's code, for `python -m`."""
        spec = importlib.util.find_spec(self.name)
        return spec.loader.get_code(self.name)


class _Names(Loader):
    """Makes a module that has only names which Eft does not serve."""

    def create_module(self, spec: ModuleSpec):
        from eft.triton.missing import make_module

        return make_module(spec.name)

    def exec_module(self, module):
        pass


class TritonFinder(MetaPathFinder):
    """Answers for `triton` and everything in it."""

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
    """Makes `import triton` mean Eft from now on. A Triton that was imported before keeps working
    for who has it, but is not found under its name any more.

    Args:
        children: whether it means Eft also in processes that this one starts from now on with this
            environment. `python -m eft run` asks for it.
    """
    if children:
        reach_children()
    if any(isinstance(finder, TritonFinder) for finder in sys.meta_path):
        return
    for name in list(sys.modules):
        if name.partition(".")[0] == "triton":
            del sys.modules[name]
    sys.meta_path.insert(0, TritonFinder())


#: The folder in which processes find Eft as `triton`.
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "as_triton")


def reach_children() -> None:
    """Puts `FOLDER` first on PYTHONPATH, where Python looks before what is installed, with the
    folder that Eft was imported from, in case it is not installed."""
    path = os.environ.get("PYTHONPATH", "")
    folders = path.split(os.pathsep) if path else []
    if FOLDER not in sys.path:
        sys.path.insert(1, FOLDER)  # multiprocessing hands this path on
    if FOLDER not in folders:
        own = os.path.dirname(os.path.dirname(os.path.dirname(FOLDER)))
        is_found = own in folders or os.path.basename(own) in ("site-packages", "dist-packages")
        added = [FOLDER] if is_found else [FOLDER, own]
        os.environ["PYTHONPATH"] = os.pathsep.join([*added, *folders])
