# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import pytest
import pytorch

torch = pytorch.module("torch")


@pytest.fixture(params=["cpu", "cuda"])
def where(request):
    """The device of PyTorch's tensors."""
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    return request.param
