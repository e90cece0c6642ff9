# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of liger-kernel, which are written in Triton, against PyTorch: results and gradients.

    python -m eft run liger_operators.py DEVICE GROUP

runs one group of operators, and prints the number of cases.
"""

from __future__ import annotations

import sys

import liger_kernel.ops.dyt as dyt_module
import torch
import torch.nn.functional as F
from liger_kernel.ops.attn_res import LigerAttnResFunction
from liger_kernel.ops.cross_entropy import LigerCrossEntropyFunction
from liger_kernel.ops.fused_add_rms_norm import LigerFusedAddRMSNormFunction
from liger_kernel.ops.fused_linear_cross_entropy import LigerFusedLinearCrossEntropyFunction
from liger_kernel.ops.fused_linear_jsd import LigerFusedLinearJSDFunction
from liger_kernel.ops.fused_moe import LigerFusedMoEFunction
from liger_kernel.ops.fused_neighborhood_attention import (
    LigerFusedNeighborhoodAttentionFunction,
)
from liger_kernel.ops.geglu import LigerGELUMulFunction
from liger_kernel.ops.group_norm import LigerGroupNormFunction
from liger_kernel.ops.grpo_loss import GrpoLossFunction
from liger_kernel.ops.jsd import LigerJSDFunction
from liger_kernel.ops.kl_div import LigerKLDivLossFunction
from liger_kernel.ops.layer_norm import LigerLayerNormFunction
from liger_kernel.ops.llama4_rope import LigerLlama4RopeFunction
from liger_kernel.ops.multi_token_attention import LigerMultiTokenAttentionFunction
from liger_kernel.ops.poly_norm import LigerPolyNormFunction
from liger_kernel.ops.qwen2vl_mrope import LigerQwen2VLMRopeFunction
from liger_kernel.ops.relu_squared import LigerReLUSquaredFunction
from liger_kernel.ops.rms_norm import LigerRMSNormFunction
from liger_kernel.ops.rope import LigerRopeFunction
from liger_kernel.ops.softmax import LigerSoftmaxFunction
from liger_kernel.ops.sparsemax import LigerSparsemaxFunction
from liger_kernel.ops.swiglu import LigerSiLUMulFunction
from liger_kernel.ops.tvd import LigerTVDLossFunction

DEVICE, GROUP = sys.argv[1:]
if DEVICE == "cpu":
    # DyT's backward pass needs a number of multiprocessors or of NPU cores; a CPU has neither.
    dyt_module.infer_device, dyt_module.get_npu_core_count = lambda: "npu", lambda: 4

_cases = []


def case(group: str):
    def add(function):
        if group == GROUP:
            _cases.append(function)
        return function

    return add


def numbers(*shape) -> torch.Tensor:
    return torch.randn(*shape, device=DEVICE)


def codes(high: int, *shape) -> torch.Tensor:
    return torch.randint(0, high, shape, device=DEVICE)


def check(operator, reference, *inputs, tolerance=1e-4):
    """Compares the results of an operator, and the gradients of all inputs, with a reference."""
    outcomes = []
    for function in (operator, reference):
        given = [each.clone().requires_grad_() for each in inputs]
        results = function(*given)
        results = results if isinstance(results, tuple) else (results,)
        outcomes.append((given, [each for each in results if each is not None]))
    (given, found), (references, expected) = outcomes
    for each, other in zip(found, expected, strict=True):
        torch.testing.assert_close(each, other, atol=tolerance, rtol=tolerance)
    slopes = [torch.randn_like(each) for each in expected]
    torch.autograd.backward(found, [each.clone() for each in slopes])
    torch.autograd.backward(expected, slopes)
    for each, other in zip(given, references, strict=True):
        torch.testing.assert_close(each.grad, other.grad, atol=tolerance, rtol=tolerance)


# -- activations


@case("activations")
def swiglu():
    check(
        LigerSiLUMulFunction.apply,
        lambda a, b: F.silu(a) * b,
        numbers(4, 7, 123),
        numbers(4, 7, 123),
    )


@case("activations")
def geglu():
    check(
        LigerGELUMulFunction.apply,
        lambda a, b: F.gelu(a, approximate="tanh") * b,
        numbers(4, 7, 123),
        numbers(4, 7, 123),
    )


@case("activations")
def relu_squared():
    check(LigerReLUSquaredFunction.apply, lambda x: F.relu(x) ** 2, numbers(5, 9, 130))


@case("activations")
def dynamic_tanh():
    check(
        dyt_module.LigerDyTFunction.apply,
        lambda x, a, g, b: torch.tanh(a * x) * g + b,
        *(numbers(5, 9, 130), numbers(1), numbers(130), numbers(130)),
        tolerance=1e-3,
    )


@case("activations")
def softmax():
    for shape in ((5, 9, 130), (3, 5000)):
        check(LigerSoftmaxFunction.apply, lambda x: x.softmax(-1), numbers(*shape))


@case("activations")
def sparsemax():
    def reference(x):
        ordered = x.sort(-1, descending=True).values
        sums, counts = ordered.cumsum(-1), torch.arange(1, x.shape[-1] + 1, device=DEVICE)
        size = (1 + counts * ordered > sums).sum(-1, keepdim=True)
        return (x - (sums.gather(-1, size - 1) - 1) / size).clamp(min=0)

    check(lambda x: LigerSparsemaxFunction.apply(x, -1), reference, numbers(5, 130))


# -- normalisations


def rms(x, epsilon=1e-6):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + epsilon)


@case("normalisations")
def rms_norm():
    for mode, offset in (("llama", 0.0), ("gemma", 1.0), ("none", 0.0)):
        check(
            lambda x, w: LigerRMSNormFunction.apply(x, w, 1e-6, offset, mode, False),  # noqa: B023
            lambda x, w: rms(x) * (w + offset),  # noqa: B023
            *(numbers(5, 9, 130), numbers(130)),
        )


@case("normalisations")
def fused_add_rms_norm():
    check(
        lambda x, r, w: LigerFusedAddRMSNormFunction.apply(x, r, w, 1e-6, 0.0, "llama", False),
        lambda x, r, w: (rms(x + r) * w, x + r),
        *(numbers(5, 9, 130), numbers(5, 9, 130), numbers(130)),
    )


@case("normalisations")
def layer_norm():
    check(
        lambda x, w, b: LigerLayerNormFunction.apply(x, w, b, 1e-6),
        lambda x, w, b: F.layer_norm(x, (130,), w, b, 1e-6),
        *(numbers(5, 9, 130), numbers(130), numbers(130)),
    )


@case("normalisations")
def group_norm():
    check(
        lambda x, w, b: LigerGroupNormFunction.apply(x, w, b, 12, 3, 1e-6),
        lambda x, w, b: F.group_norm(x, 3, w, b, 1e-6),
        *(numbers(4, 12, 33), numbers(12), numbers(12)),
        tolerance=1e-3,
    )


@case("normalisations")
def poly_norm():
    check(
        lambda x, w, b: LigerPolyNormFunction.apply(x, w, b, 1e-6, False),
        lambda x, w, b: w[0] * rms(x**3) + w[1] * rms(x**2) + w[2] * rms(x) + b,
        *(numbers(5, 9, 130), numbers(3), torch.tensor(0.3, device=DEVICE)),
        tolerance=1e-3,
    )


@case("normalisations")
def attention_over_residuals():
    def reference(blocks, query, weight):
        scores = torch.einsum("d,nbtd->nbt", query, rms(blocks) * weight).softmax(0)
        return torch.einsum("nbt,nbtd->btd", scores, blocks)

    check(
        lambda *given: LigerAttnResFunction.apply(*given, 1e-6),
        reference,
        *(numbers(5, 2, 7, 48), numbers(48) / 7, numbers(48)),
        tolerance=1e-3,
    )


# -- losses


@case("losses")
def cross_entropy():
    apply = LigerCrossEntropyFunction.apply
    target, x, weight = codes(1000, 64), numbers(64, 1000), torch.rand(1000, device=DEVICE)
    target[3] = -100
    check(
        lambda x: apply(x, target, None, -100, 0.0, 0.1, "mean", None, False)[0],
        lambda x: F.cross_entropy(x, target, label_smoothing=0.1),
        x,
    )
    check(
        lambda x: apply(x, target, weight, -100, 0.0, 0.0, "sum", None, False)[0],
        lambda x: F.cross_entropy(x, target, weight, reduction="sum"),
        x,
    )

    def capped(x):
        x = 30 * torch.tanh(x / 30)
        z = x.logsumexp(-1)[target != -100]
        return F.cross_entropy(x, target) + 1e-3 * (z**2).mean()

    check(lambda x: apply(x, target, None, -100, 1e-3, 0.0, "mean", 30.0, True)[0], capped, x)


@case("losses")
def fused_linear_cross_entropy():
    target = codes(300, 64)
    check(
        lambda x, w: LigerFusedLinearCrossEntropyFunction.apply(x, w, target, None)[0],
        lambda x, w: F.cross_entropy(x @ w.T, target),
        *(numbers(64, 40), numbers(300, 40)),
        tolerance=1e-3,
    )


def jensen_shannon(x, y, beta):
    if beta in (0, 1):
        x, y = (x, y) if beta == 0 else (y, x)
        return F.kl_div(x, y, log_target=True, reduction="sum") / x.shape[0]
    middle = torch.log(beta * y.exp() + (1 - beta) * x.exp())
    parts = [F.kl_div(middle, each, log_target=True, reduction="sum") for each in (y, x)]
    return (beta * parts[0] + (1 - beta) * parts[1]) / x.shape[0]


@case("losses")
def jsd():
    y = numbers(20, 130).log_softmax(-1)
    for beta in (0.0, 0.3, 1.0):
        check(
            lambda x: LigerJSDFunction.apply(x, y, None, beta, -100),  # noqa: B023
            lambda x: jensen_shannon(x, y, beta),  # noqa: B023
            numbers(20, 130).log_softmax(-1),
        )


@case("losses")
def fused_linear_jsd():
    teacher = (numbers(32, 20), numbers(130, 20))

    def reference(x, w):
        y = (teacher[0] @ teacher[1].T).log_softmax(-1)
        return jensen_shannon((x @ w.T).log_softmax(-1), y, 0.5)

    check(
        lambda x, w: LigerFusedLinearJSDFunction.apply(x, w, *teacher, None, 0.5, -100, 1.0),
        reference,
        *(numbers(32, 20), numbers(130, 20)),
        tolerance=1e-3,
    )


@case("losses")
def kl_div():
    y = numbers(20, 130).softmax(-1)
    check(
        lambda x: LigerKLDivLossFunction.apply(x, y, "batchmean", False, 1e-10),
        lambda x: F.kl_div(x, y, reduction="batchmean"),
        numbers(20, 130).log_softmax(-1),
    )


@case("losses")
def tvd():
    y = numbers(20, 130).softmax(-1)
    check(
        lambda x: LigerTVDLossFunction.apply(x, y, None, "batchmean", -100),
        lambda x: (x - y).abs().sum() / 2 / 20,
        numbers(20, 130).softmax(-1),
    )


@case("losses")
def grpo():
    ids, mask = codes(200, 4, 10), torch.ones(4, 10, dtype=torch.int32, device=DEVICE)
    advantages, old, reference_policy = numbers(4), *(numbers(4, 10) / 10 - 5 for _ in range(2))

    def reference(x):
        policy = (x[:, :-1] / 0.9).log_softmax(-1).gather(-1, ids[..., None])[..., 0]
        ratio, gain = torch.exp(policy - old), advantages[:, None]
        loss = -torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain)
        distance = reference_policy - policy
        return loss + 0.04 * (torch.exp(distance) - distance - 1)

    def operator(x):
        given = (old, reference_policy, ids, advantages, mask, 0.9, 0.04, 0.2, 0.2, False)
        return GrpoLossFunction.apply(x, *given, "grpo", None, False)[0]

    check(operator, reference, numbers(4, 11, 200))


# -- attention


def rotated(x):
    first, second = x.chunk(2, -1)
    return torch.cat([-second, first], -1)


@case("attention")
def rope():
    angles = torch.arange(10.0, device=DEVICE)[:, None] * 10 ** -torch.arange(8.0, device=DEVICE)
    angles = torch.cat([angles, angles], -1)[None]
    cos, sin = angles.cos(), angles.sin()
    check(
        lambda q, k: LigerRopeFunction.apply(q, k, cos, sin),
        lambda *given: tuple(x * cos[:, None] + rotated(x) * sin[:, None] for x in given),
        *(numbers(2, 4, 10, 16), numbers(2, 2, 10, 16)),
    )


@case("attention")
def qwen2vl_rope():
    angles = numbers(3, 2, 10, 8)
    angles = torch.cat([angles, angles], -1)

    def sections(x):
        parts = enumerate(x.split([2, 3, 3] * 2, -1))
        return torch.cat([part[number % 3] for number, part in parts], -1)[:, None]

    cos, sin = angles.cos(), angles.sin()
    check(
        lambda q, k: LigerQwen2VLMRopeFunction.apply(q, k, cos, sin, [2, 3, 3]),
        lambda *given: tuple(x * sections(cos) + rotated(x) * sections(sin) for x in given),
        *(numbers(2, 4, 10, 16), numbers(2, 2, 10, 16)),
    )


@case("attention")
def llama4_rope():
    """Works in place. The operator's backward pass returns one gradient too few for PyTorch, so
    only the results are checked."""
    angles = numbers(10, 8)
    turns = torch.complex(angles.cos(), angles.sin())
    given = numbers(2, 10, 4, 16), numbers(2, 10, 2, 16)
    found = LigerLlama4RopeFunction.apply(*(x.clone() for x in given), turns, None)
    for x, each in zip(given, found, strict=True):
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2)) * turns[None, :, None]
        torch.testing.assert_close(each, torch.view_as_real(pairs).flatten(3))


@case("attention")
def multi_token_attention():
    allowed = torch.ones(16, 16, dtype=torch.bool, device=DEVICE).tril()

    def reference(scores, weight, bias):
        shares = scores.masked_fill(~allowed, -1e9).softmax(-1)
        return F.conv2d(shares, weight, bias, padding=1).masked_fill(~allowed, 0)

    check(
        lambda *given: LigerMultiTokenAttentionFunction.apply(*given, 1, 1, 1, 1, False),
        reference,
        *(numbers(2, 4, 16, 16), numbers(4, 4, 3, 3), numbers(4)),
        tolerance=1e-3,
    )


@case("attention")
def neighborhood_attention():
    places = torch.arange(32, device=DEVICE)
    near = (places[:, None] - places[None]).abs() <= 3

    def reference(q, k, v):
        scores = (q @ k.mT / 4).masked_fill(~near, -float("inf"))
        return scores.softmax(-1) @ v

    check(
        lambda *given: LigerFusedNeighborhoodAttentionFunction.apply(*given, 7, 1, None),
        reference,
        *(numbers(2, 2, 32, 16) for _ in range(3)),
        tolerance=2e-2,
    )


@case("experts")
def mixture_of_experts():
    experts = torch.stack([torch.randperm(4, device=DEVICE)[:2] for _ in range(24)]).int()

    def reference(x, first, second, weights):
        rows = []
        for row, chosen, shares in zip(x, experts, weights, strict=True):
            parts = []
            for expert, share in zip(chosen, shares, strict=True):
                gate, up = (first[expert] @ row).chunk(2)
                parts.append(share * (second[expert] @ (F.silu(gate) * up)))
            rows.append(sum(parts))
        return torch.stack(rows)

    check(
        lambda x, first, second, weights: LigerFusedMoEFunction.apply(
            x, first, second, experts, weights
        ),
        reference,
        *(numbers(24, 32), numbers(4, 32, 32) / 6, numbers(4, 32, 16) / 4),
        torch.rand(24, 2, device=DEVICE),
        tolerance=1e-2,
    )


torch.manual_seed(0)
for each in _cases:
    try:
        each()
    except Exception as error:
        raise RuntimeError(f"{each.__name__} went wrong") from error
print(len(_cases))
