# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m eft run` runs a script as Python itself would, except that `import triton` imports
Eft."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import eft
import pytest
from pytorch import needs_torch

SCRIPTS = Path(__file__).parent / "scripts"

#: A package named `triton` whose texts show if it is imported instead of Eft.
FAKE_TRITON = {
    "triton/__init__.py": "from triton import language\njit = 'the real one'\n",
    "triton/language/__init__.py": "rand = 'the real one'\n",
    "triton/testing.py": "",
}


def write_fake_triton(python):
    for name, text in FAKE_TRITON.items():
        python.write(f"fake/{name}", text)


def run(python, text: str, *arguments: str, path: str = ""):
    python.write("script.py", text)
    return python.run("-m", "eft", "run", "script.py", *arguments, path=path)


def last_line(text: str) -> str:
    return text.strip().splitlines()[-1]


@needs_torch
def test_triton_script_runs_without_triton(python):
    done = python.run(
        "-m", "eft", "run", SCRIPTS / "dropout.py", "--bench", "5", "-7", str(2**40 + 3)
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"{SCRIPTS / 'dropout.py'} on ")
    assert len(lines) == 8
    assert lines[1].startswith("n=10 p=0.5 seed=5: kept ")
    assert lines[7].endswith(" ms")


@needs_torch
def test_int32_condition_warns_with_the_scripts_line(python):
    done = python.run("-m", "eft", "run", SCRIPTS / "dropout.py")
    line = 1 + next(
        number
        for number, text in enumerate((SCRIPTS / "dropout.py").read_text().splitlines())
        if "tl.where(x_keep, x / (1 - p), 0.0)" in text
    )
    assert f"dropout.py:{line}: UserWarning: " in done.stderr


def test_numpy_script_runs_without_triton_and_pytorch(python):
    for module in ("torch", "triton"):
        python.hide(module)
    done = python.run("-m", "eft", "run", SCRIPTS / "numpy_dropout.py", path="hidden")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "the same with a mask and a seed\n"


def test_installed_triton_is_not_used(python):
    write_fake_triton(python)
    done = run(
        python,
        "import triton, triton.language as tl, triton.testing, eft\n"
        "from triton.language import rand\n"
        "assert triton.jit is eft.jit and tl is eft.language and rand is tl.rand\n"
        "assert triton.testing is eft.testing and triton.__file__ != 'fake'\n",
        path="fake",
    )
    assert done.returncode == 0, done.stderr


def test_triton_that_was_imported_before_keeps_working(python):
    write_fake_triton(python)
    done = python.run(
        "-c",
        "import triton as real, triton.language\n"
        "from eft.triton.finder import install\n"
        "install(); install()\n"
        "import eft, triton, triton.language\n"
        "assert real.jit == 'the real one' and real.language.rand == 'the real one'\n"
        "assert triton.jit is eft.jit and triton.language is eft.language\n",
        path="fake",
    )
    assert done.returncode == 0, done.stderr


def test_other_processes_still_find_the_installed_triton(python):
    write_fake_triton(python)
    done = python.run("-c", "import eft, triton; print(triton.jit)", path="fake")
    assert done.stdout == "the real one\n"


def test_modules_keep_their_own_specification(python):
    done = run(
        python,
        "import triton.language, eft.language, sys\n"
        "assert sys.modules['triton.language'] is eft.language\n"
        "assert eft.language.__spec__.name == eft.language.__name__ == 'eft.language'\n"
        "import triton.language.math\n"
        "assert triton.language.math is eft.language.math\n",
    )
    assert done.returncode == 0, done.stderr


def test_script_sees_itself_as_main(python):
    python.write("folder/neighbour.py", "VALUE = 7\n")
    python.write(
        "folder/script.py",
        "import sys, neighbour\n"
        "import __main__\n"
        "assert neighbour.VALUE == 7 and __main__.sys is sys\n"
        "print(__name__, __file__, sys.argv)\n",
    )
    script = os.path.join("folder", "script.py")
    done = python.run("-m", "eft", "run", script, "one", "--two")
    path = python.folder / script
    assert done.stdout == f"__main__ {path} {[script, 'one', '--two']}\n", done.stderr


def test_script_changes_its_folder(python):
    python.write(
        "folder/script.py",
        "import os\nimport numpy as np\nimport triton\nimport triton.language as tl\n\n"
        "os.chdir('/')\n\n\n"
        "@triton.jit\ndef kernel(x_ptr):\n    tl.store(x_ptr, 7.0)\n\n\n"
        "x = np.zeros(1, np.float32)\nkernel[(1,)](x)\nprint(x)\n",
    )
    done = python.run("-m", "eft", "run", os.path.join("folder", "script.py"))
    assert done.stdout == "[7.]\n", done.stderr


@pytest.mark.parametrize(
    "code, status, printed",
    [("sys.exit()", 0, ""), ("sys.exit(3)", 3, ""), ("sys.exit('no luck')", 1, "no luck\n")],
)
def test_exit_status_is_the_scripts(python, code, status, printed):
    done = run(python, f"import sys\n{code}\n")
    assert (done.returncode, done.stderr) == (status, printed)


def test_traceback_begins_in_the_script(python):
    done = run(python, "def f():\n    raise ValueError('so')\n\nf()\n")
    assert done.returncode == 1
    assert last_line(done.stderr) == "ValueError: so"
    assert done.stderr == python.run("script.py").stderr


def test_syntax_error_shows_the_line_alone(python):
    done = run(python, "x = = 1\n")
    assert done.returncode == 1
    assert done.stderr == python.run("script.py").stderr
    assert last_line(done.stderr) == "SyntaxError: invalid syntax"


def test_mistake_in_a_kernel_shows_no_frame_of_eft(python):
    done = run(
        python,
        "import numpy as np\nimport triton\nimport triton.language as tl\n\n\n"
        "@triton.jit\ndef kernel(x_ptr):\n    tl.store(x_ptr, nothing)\n\n\n"
        "kernel[(1,)](np.zeros(1, np.float32))\n",
    )
    assert done.returncode == 1
    assert "script.py:8:" in last_line_with(done.stderr, "CompilationError")
    assert os.path.join("eft", "driver.py") not in done.stderr


def last_line_with(text: str, word: str) -> str:
    return [line for line in text.splitlines() if word in line][-1]


def test_script_that_is_not_there(python):
    done = python.run("-m", "eft", "run", "nowhere.py")
    assert done.returncode == 2
    assert done.stderr == "python -m eft run: can't open 'nowhere.py': No such file or directory\n"


INSIDE = (
    "import sys, numpy as np, triton, triton.language as tl, helper\n\n\n"
    "@triton.jit\ndef kernel(x_ptr):\n    tl.store(x_ptr, helper.VALUE)\n\n\n"
    "x = np.zeros(1, np.int32)\n"
    "kernel[1](x)\n"
    "print(__name__, __package__ == '', __spec__.name, sys.argv, sys.path[0], x)\n"
    "assert __file__.endswith('__main__.py')\n"
)
HELPER = "import triton.language as tl\n\nVALUE = tl.constexpr(7)\n"


@pytest.mark.parametrize("place", ["folder", "archive.pyz"])
def test_a_folder_or_an_archive_runs_its_main(python, place):
    if place == "folder":
        python.write("folder/__main__.py", INSIDE)
        python.write("folder/helper.py", HELPER)
    else:
        with zipfile.ZipFile(python.folder / place, "w") as archive:
            archive.writestr("__main__.py", INSIDE)
            archive.writestr("helper.py", HELPER)
    done = python.run("-m", "eft", "run", place, "one")
    assert done.stderr == ""
    assert done.stdout == f"__main__ True __main__ ['{place}', 'one'] {place} [7]\n"
    assert done.returncode == 0


def test_a_folder_without_a_main(python):
    python.write("folder/other.py", "")
    done = python.run("-m", "eft", "run", "folder")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "python -m eft run: can't find a module __main__ in 'folder'\n"


def test_a_folder_whose_main_has_a_syntax_error(python):
    python.write("folder/__main__.py", "x = = 1\n")
    done = python.run("-m", "eft", "run", "folder")
    assert done.returncode == 1
    assert done.stderr.splitlines()[0].endswith('__main__.py", line 1')
    assert last_line(done.stderr) == "SyntaxError: invalid syntax"


def test_a_script_from_standard_input(python):
    text = (
        "import sys, numpy as np, triton, triton.language as tl\n\n\n"
        "@triton.jit\ndef kernel(x_ptr):\n    tl.store(x_ptr, 7)\n\n\n"
        "x = np.zeros(1, np.int32)\n"
        "kernel[1](x)\n"
        "print(__name__, '__file__' in globals(), sys.argv, [sys.path[0]], x, flush=True)\n"
        "nothing\n"
    )
    done = python.run("-m", "eft", "run", "-", "one", given=text)
    assert done.stdout == "__main__ False ['-', 'one'] [''] [7]\n"
    assert done.returncode == 1
    assert done.stderr.splitlines()[:2] == [
        "Traceback (most recent call last):",
        '  File "<stdin>", line 12, in <module>',
    ]
    assert last_line(done.stderr) == "NameError: name 'nothing' is not defined"


PACKAGE = {
    "package/__init__.py": "import triton\n",
    "package/tool.py": (
        "import sys, triton, __main__\n"
        "from . import other\n"
        "assert __main__.sys is sys and __spec__.name == 'package.tool'\n"
        "print(__name__, __package__, triton.__name__, sys.argv[1:], sys.argv[0] == __file__)\n"
        "sys.exit(3)\n"
    ),
    "package/other.py": "",
    "package/wrong.py": "import nothing_at_all\n",
    "package/main/__init__.py": "",
    "package/main/__main__.py": "print('main')\n",
    "broken/__init__.py": "1 / 0\n",
    "broken/tool.py": "",
}


def run_module(python, *arguments: str):
    for name, text in PACKAGE.items():
        python.write(name, text)
    return python.run("-m", "eft", "run", "-m", *arguments)


def test_a_module_runs_as_pythons_own_option_runs_it(python):
    done = run_module(python, "package.tool", "one", "-m", "two")
    assert done.stderr == ""
    assert done.stdout == "__main__ package triton ['one', '-m', 'two'] True\n".replace(
        " triton ", " eft.triton "
    )
    assert done.returncode == 3


def test_a_package_runs_its_main(python):
    done = run_module(python, "package.main")
    assert (done.returncode, done.stdout, done.stderr) == (0, "main\n", "")


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("nowhere", "there is no module 'nowhere'"),
        ("package.nowhere", "there is no module 'package.nowhere'"),
        ("package.other.nowhere", "there is no module 'package.other.nowhere'"),
        ("nowhere.tool", "there is no module 'nowhere.tool'"),
        ("", "there is no module ''"),
        (".tool", "there is no module '.tool'"),
        ("package", "'package' is a package without a module __main__"),
        ("math", "'math' has no code that could be run"),
    ],
)
def test_a_module_that_can_not_be_run(python, name, error):
    done = run_module(python, name)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"python -m eft run: {error}\n"


def test_what_a_module_raises_begins_in_its_own_text(python):
    done = run_module(python, "package.wrong")
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert lines[1].endswith('wrong.py", line 1, in <module>')
    assert lines[-1] == "ModuleNotFoundError: No module named 'nothing_at_all'"
    done = run_module(python, "broken.tool")
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert os.path.join("broken", "__init__.py") in lines[1]
    assert lines[-1] == "ZeroDivisionError: division by zero"


EFT = f"Eft {eft.__version__}"
NOT_THERE = {
    "triton.compiler.compiler.parse('a.ttir')": (
        "does not have triton.compiler.compiler.parse: it lowers and compiles kernels by itself, "
        "in eft.compiler and eft._compiler"
    ),
    "from triton.tools.ragged_tma import load_ragged\nload_ragged(1)": (
        "does not have triton.tools.ragged_tma.load_ragged: its arrays begin beyond what "
        "TensorDescriptor describes, which is not supported yet"
    ),
}
NOT_FOUND = {
    "import triton.experimental.gluon": "triton.experimental",
    "import triton.ops": "triton.ops",
    "import triton.finder": "triton.finder",
}


ERRORS = {
    **{code: f"NotImplementedError: {EFT} {text}" for code, text in NOT_THERE.items()},
    **{
        code: f"ModuleNotFoundError: No module named '{name}': {EFT} does not have it"
        for code, name in NOT_FOUND.items()
    },
    "triton.frobnicate": f"AttributeError: {EFT} has nothing named triton.frobnicate",
}


@pytest.mark.parametrize("code, error", ERRORS.items(), ids=range(len(ERRORS)))
def test_what_eft_lacks_says_so(python, code, error):
    done = run(python, f"import triton\n{code}\n")
    assert done.returncode == 1
    assert last_line(done.stderr) == error


AUTOTUNED = """
import numpy as np
import triton
import triton.language as tl
import triton.runtime.autotuner as module
from triton.runtime import Autotuner, Heuristics

@triton.autotune([triton.Config({"B": b}, num_warps=b // 16) for b in (32, 64)], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["B"] == 0})
@triton.jit
def kernel(x_ptr, n, B: tl.constexpr, EVEN: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, B), 1.0, mask=tl.arange(0, B) < n)

x = np.zeros(64, np.float32)
kernel[lambda meta: (triton.cdiv(meta["n"], meta["B"]),)](x, 32)
assert x[:32].all() and not x[32:].any()
assert isinstance(kernel, Autotuner) and isinstance(kernel.fn, Heuristics)
assert isinstance(kernel.fn.fn, triton.JITFunction) and kernel.base_fn is kernel.fn.fn.fn
assert (module.Autotuner, module.Config) == (Autotuner, triton.Config)
assert kernel.best_config in kernel.configs and list(kernel.configs_timings) == kernel.configs
"""


def test_autotuning_under_tritons_names(python):
    done = run(python, AUTOTUNED)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_importing_what_eft_lacks_is_no_error_yet(python):
    done = run(python, "from triton import set_allocator\nassert repr(set_allocator)\n")
    assert done.returncode == 0, done.stderr


def test_device_without_pytorch(python):
    python.hide("torch")
    done = run(
        python,
        "import numpy as np\nfrom eft import _runtime\nfrom triton.runtime import driver\n"
        "device = driver.active.get_active_torch_device()\n"
        "expected = 'cuda:0' if _runtime.device_count() else 'cpu'\n"
        "assert device == expected and str(device) == f'{device}' == expected, device\n"
        "parts = ('cuda', 0) if ':' in expected else ('cpu', None)\n"
        "assert (device.type, device.index) == parts\n"
        "assert {device: 1} == {expected: 1}\n"
        "if expected == 'cpu' and np.lib.NumpyVersion(np.__version__) >= '2.0.0':\n"
        "    assert np.empty(3, device=device).device == device\n",
        path="hidden",
    )
    assert done.returncode == 0, done.stderr


def test_device_on_a_gpu_without_pytorch(monkeypatch):
    from eft import _runtime
    from eft.triton.runtime import driver

    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(_runtime, "device_count", lambda: 1)
    device = driver.active.get_active_torch_device()
    assert (device, device.type, device.index) == ("cuda:0", "cuda", 0)


def test_modules_of_pytorch_without_pytorch(python):
    python.hide("torch")
    done = run(
        python,
        "import triton\ntriton.runtime.driver.active.get_device_interface()\n",
        path="hidden",
    )
    assert last_line(done.stderr) == (
        "ModuleNotFoundError: triton.runtime.driver.active.get_device_interface() answers with "
        "a module of PyTorch, and PyTorch is not installed"
    )


@needs_torch
def test_device_of_pytorch(python):
    done = run(
        python,
        "import torch\nfrom triton.runtime import driver\n"
        "expected = 'cuda:0' if torch.cuda.is_available() else 'cpu'\n"
        "assert str(driver.active.get_active_torch_device()) == expected\n"
        "target = driver.active.get_current_target()\n"
        "assert target.backend == expected.split(':')[0], target\n"
        "assert driver.active.get_current_device() == 0\n",
    )
    assert done.returncode == 0, done.stderr


@needs_torch
def test_triton_and_pytorch_in_one_process():
    """The installed Triton, PyTorch and Eft work in one process under their own names."""
    # This needs a new process: after other tests, `triton` may mean Eft in this process.
    missing = 7
    code = (
        f"import importlib.util, sys\nimportlib.util.find_spec('triton') or sys.exit({missing})\n"
        "import triton, torch, eft\n"
        "assert triton.jit is not eft.jit and torch.arange(4).sum() == 6\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if done.returncode == missing:
        pytest.skip("Triton is not installed")
    assert done.returncode == 0, done.stderr
