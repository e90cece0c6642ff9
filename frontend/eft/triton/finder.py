# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes `import triton` mean Eft, in this process.

Every module of Triton's that Eft has goes to a module of Eft's: not a copy, the same object, so
that `triton.language.int32 is eft.language.int32`. The others are not found, also if Triton is
installed: half of one and half of the other would only fail later.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder

from eft.version import __version__

#: Where Triton's top modules are in Eft. What lies under `triton.language` lies under
#: `eft.language`.
_MODULES = {
    "triton": "eft.triton",
    "triton.compiler": "eft.triton.compiler",
    "triton.language": "eft.language",
    "triton.runtime": "eft.triton.runtime",
    "triton.runtime.autotuner": "eft.triton.autotuner",
    "triton.testing": "eft.testing",
}


#: Where PyTorch asks whether there is a Triton.
_ASKING_MODULES = {"torch.utils._triton", "torch._inductor.runtime.triton_compat"}


def _name_in_eft(name: str) -> str | None:
    if name in _MODULES:
        return _MODULES[name]
    if name.startswith("triton.language."):
        ours = "eft" + name.removeprefix("triton")
        try:
            return ours if importlib.util.find_spec(ours) else None
        except ModuleNotFoundError:  # a package on the way is not there
            return None
    return None


class _Alias(Loader):
    """Gives a module of Eft's a second name."""

    def __init__(self, name: str):
        self.name = name

    def create_module(self, spec: ModuleSpec):
        module = importlib.import_module(self.name)
        self.spec = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = self.spec  # the import system has put its own there


class TritonFinder(MetaPathFinder):
    """Answers for `triton` and everything in it. PyTorch's compiler would go on from there to what
    only Triton's own has, so its questions are answered as if there were no Triton."""

    def find_spec(self, name: str, path=None, target=None) -> ModuleSpec | None:
        if name in _ASKING_MODULES:
            return _without_triton(PathFinder.find_spec(name, path, target))
        if name.partition(".")[0] != "triton":
            return None
        ours = _name_in_eft(name)
        if ours is None:
            raise ModuleNotFoundError(
                f"No module named {name!r}: Eft {__version__} does not have it", name=name
            )
        return ModuleSpec(name, _Alias(ours))


def _without_triton(spec: ModuleSpec | None) -> ModuleSpec | None:
    """The spec of a module of PyTorch's that asks whether there is a Triton: there is none while
    it runs, and none by its own function."""
    if spec is None:
        return None
    run = spec.loader.exec_module

    def exec_module(module):
        held = sys.modules.get("triton")
        sys.modules["triton"] = None  # what can't be imported
        try:
            run(module)
        finally:
            if held is None:
                del sys.modules["triton"]
            else:
                sys.modules["triton"] = held
        _answer_no(module)

    spec.loader.exec_module = exec_module
    return spec


def _answer_no(module) -> None:
    """Makes a module's own question for Triton one that is always answered with no."""
    if hasattr(module, "has_triton_package"):
        module.has_triton_package = lambda: False


def install() -> None:
    """Makes `import triton` mean Eft from now on. A Triton that was imported before keeps working
    for who has it, but is not found under its name any more."""
    if any(isinstance(finder, TritonFinder) for finder in sys.meta_path):
        return
    for name in list(sys.modules):
        if name.partition(".")[0] == "triton":
            del sys.modules[name]
    for name in _ASKING_MODULES & sys.modules.keys():
        _answer_no(sys.modules[name])
    sys.meta_path.insert(0, TritonFinder())
