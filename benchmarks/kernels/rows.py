# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax, norms and losses of rows.

`common.load_kernels` defines `jit` and `tl` in this module before the kernels.
"""


@jit
def softmax(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=0))
    y = numerator / tl.sum(numerator, axis=0)
    tl.store(y_ptr + row * columns + offsets, y, mask=inside)


@jit
def layer_norm(x_ptr, weight_ptr, bias_ptr, y_ptr, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / columns
    centred = tl.where(inside, x - mean, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, axis=0) / columns + eps)
    weight = tl.load(weight_ptr + offsets, mask=inside)
    bias = tl.load(bias_ptr + offsets, mask=inside)
    tl.store(y_ptr + row * columns + offsets, centred * scale * weight + bias, mask=inside)


@jit
def rms_norm(x_ptr, weight_ptr, y_ptr, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(x * x, axis=0) / columns + eps)
    weight = tl.load(weight_ptr + offsets, mask=inside)
    tl.store(y_ptr + row * columns + offsets, x * scale * weight, mask=inside)


@jit
def cross_entropy(
    x_ptr,
    target_ptr,
    loss_ptr,
    gradient_ptr,
    rows,
    columns,
    BLOCK: tl.constexpr,
    WITH_GRADIENT: tl.constexpr,
):
    """The cross entropy of each row of logits and its target, divided by the number of rows. A
    first loop over the columns finds the maximum and the sum of the exponentials. A second loop
    computes the gradient."""
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * columns
    gradient_ptr += row * columns
    target = tl.load(target_ptr + row)
    highest = -float("inf")
    total = 0.0
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < columns, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(highest, tl.max(x))
        total = total * tl.exp(highest - higher) + tl.sum(tl.exp(x - higher))
        highest = higher
    loss = highest + tl.log(total) - tl.load(x_ptr + target).to(tl.float32)
    tl.store(loss_ptr + row, loss / rows)
    if WITH_GRADIENT:
        for first in range(0, columns, BLOCK):
            at = first + tl.arange(0, BLOCK)
            x = tl.load(x_ptr + at, mask=at < columns, other=-float("inf")).to(tl.float32)
            share = tl.exp(x - highest) / total
            share = tl.where(at == target, share - 1.0, share)
            tl.store(gradient_ptr + at, share / rows, mask=at < columns)


@jit
def dropout_add_norm(
    x_ptr,
    residual_ptr,
    weight_ptr,
    bias_ptr,
    z_ptr,
    y_ptr,
    mean_ptr,
    rstd_ptr,
    columns,
    p,
    seed,
    eps,
    BLOCK: tl.constexpr,
    IS_LAYER: tl.constexpr,
):
    """Dropout by a seed, addition of a residual, and layer norm or RMS norm of each row, as a user
    would write it, with a call of Philox for each element."""
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    at = row * columns + offsets
    x = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32)
    residual = tl.load(residual_ptr + at, mask=inside, other=0.0).to(tl.float32)
    z = residual + tl.where(tl.rand(seed, at) > p, x / (1 - p), 0.0)
    tl.store(z_ptr + at, z, mask=inside)
    mean = 0.0
    if IS_LAYER:
        mean = tl.sum(z, axis=0) / columns
        tl.store(mean_ptr + row, mean)
    centred = tl.where(inside, z - mean, 0.0)
    rstd = tl.rsqrt(tl.sum(centred * centred, axis=0) / columns + eps)
    tl.store(rstd_ptr + row, rstd)
    y = centred * rstd * tl.load(weight_ptr + offsets, mask=inside).to(tl.float32)
    if IS_LAYER:
        y += tl.load(bias_ptr + offsets, mask=inside).to(tl.float32)
    tl.store(y_ptr + at, y, mask=inside)
