# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that ask for the target for which they are compiled."""

import eft
import eft.language as tl
import numpy as np
from eft.language import target_info


@eft.jit
def asks(out):
    if tl.target_info.is_cuda():
        answer: tl.constexpr = tl.target_info.current_target().arch
        newer: tl.constexpr = tl.target_info.cuda_capability_geq(9, 0)
    else:
        answer: tl.constexpr = 7
        newer: tl.constexpr = tl.target_info.cuda_capability_geq(8)
    tl.static_assert(not tl.target_info.is_hip() and not target_info.is_hip_cdna3())
    tl.store(out, answer)
    tl.store(out + 1, newer)


def test_on_the_cpu():
    out = np.zeros(2, np.int32)
    asks[(1,)](out)
    assert out.tolist() == [7, 0]


def test_for_gpus():
    for target, newer in (("sm_86", 0), ("sm_90", 1), ("compute_90", 1)):
        ir = asks.warmup(eft.MockTensor(tl.int32), target=target).asm["ir"]
        arch = target.rpartition("_")[2]
        assert f"arith.constant {arch} : i32" in ir
        assert (
            f"arith.constant {newer} : i32" in ir or f"arith.constant {bool(newer)}".lower() in ir
        )


def test_for_a_cpu_by_its_name():
    ir = asks.warmup(eft.MockTensor(tl.int32), target="host:x86-64-v3").asm["ir"]
    assert "arith.constant 7 : i32" in ir


def test_on_the_host():
    target = target_info.current_target()
    assert target.backend in ("cuda", "cpu")
    assert target_info.is_cuda() == (target.backend == "cuda")
    assert not target_info.is_hip_cdna4() and not target_info.is_hip_gfx1250()


@eft.jit
def waits(x_ptr, out_ptr):
    tl.extra.cuda.gdc_wait()
    x = tl.load(x_ptr)
    tl.extra.cuda.gdc.gdc_launch_dependents()
    tl.store(out_ptr, x + 1)


def test_the_kernel_in_front_has_ended(device):
    x, out = device.put(np.zeros(1, np.int32)), device.put(np.zeros(1, np.int32))
    for first, second in ((x, out), (out, x)):
        waits[1](first, second)
    assert device.get(x).tolist() == [2]
