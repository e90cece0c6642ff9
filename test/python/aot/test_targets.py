# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of targets. The tests of `test/unit/compiler` check the same list in C++."""

import eft
import eft.language as tl
import pytest
from eft import _compiler


@eft.jit
def fill(x_ptr):
    tl.store(x_ptr, 1.0)


NAMES = {
    "sm_90": "cuda:90",
    "cuda:90": "cuda:90",
    "compute_90": "compute_90",
    "gpu": "compute_80",
    "host": "cpu",
    "cpu": "cpu",
    "host:x86-64-v3": "host:x86-64-v3",
}


@pytest.mark.parametrize(("text", "name"), NAMES.items())
def test_a_target_has_one_name(text, name):
    assert _compiler.target_name(text) == name
    compiled = fill.warmup(tl.float32, target=text)
    assert compiled.metadata.target == name
    assert ("ptx" in compiled.asm) == name.startswith(("cuda:", "compute_"))


def test_an_unknown_target():
    with pytest.raises(ValueError) as raised:
        fill.warmup(tl.float32, target="tpu")
    assert str(raised.value) == (
        "target must be 'sm_' or 'cuda:' with the compute capability times ten, such as 'sm_90', "
        "'gpu' for every GPU, 'host' or 'cpu' for the CPU at hand, or 'host:' with LLVM's name of "
        "a CPU, such as 'host:x86-64-v3', got 'tpu'"
    )
