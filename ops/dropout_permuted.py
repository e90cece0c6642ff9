# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout on a GPU of arrays along whose memory the tiles of dropout_strided.py do not lie: images
with the channels last, and few columns with gaps between the rows. Both the forward, and the
backward from a mask.

The elements are numbered by the order of the axes' strides, the smallest first, which is the order
in memory. Let e be the extents of the axes in this order, p the number of an element, and let
q[0] = p, q[i + 1] = q[i] // e[i]. Each of five quantities of an element, its offset in x, y and the
mask, its row and its column, is a sum of the indices along the axes, each multiplied by a step s:

    quantity = p * s[0] + sum(q[i + 1] * (s[i + 1] - e[i] * s[i]))

There are at most four axes, so three divisions. All five quantities fit into 32 bits
(MemoryAxes.h). Neighbours in memory have different draws, so a thread makes a draw for each element
and uses one of its four words. It does so for a unit of UNIT neighbours, which share the divisions
and are accessed as a whole.
"""

import eft
import eft.language as tl
from dropout import EARLY_ROWS, GROUP, LANES, kept_of


@eft.jit
def permuted(
    x_ptr,
    y_ptr,
    mask_ptr,
    count,
    seed,
    threshold,
    may_keep,
    scale,
    reads_mask,
    x_step,
    y_step,
    mask_step,
    row_step,
    column_step,
    factor0,
    exponent0,
    x_jump0,
    y_jump0,
    mask_jump0,
    row_jump0,
    column_jump0,
    factor1,
    exponent1,
    x_jump1,
    y_jump1,
    mask_jump1,
    row_jump1,
    column_jump1,
    factor2,
    exponent2,
    x_jump2,
    y_jump2,
    mask_jump2,
    row_jump2,
    column_jump2,
    UNIT: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Computes y = where(kept, x * scale, 0), and the mask, if it is not null: 1 where kept, else
    0. With `reads_mask` the mask is read, and an element is kept where it is not 0.

    A program has BLOCK units. The arrays have `count` elements, fewer than 2**31. The steps of x, y
    and the mask are 1. The factor, exponent and jumps with number i are the division by e[i] and
    s[i + 1] - e[i] * s[i] of each quantity. e[0] and the offsets of units are multiples of UNIT.
    """
    first = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)) * UNIT
    steps = (x_step, y_step, mask_step, row_step, column_step)
    places = ()
    for i in tl.static_range(5):
        places = places + (first * steps[i],)
    jumps0 = (x_jump0, y_jump0, mask_jump0, row_jump0, column_jump0)
    jumps1 = (x_jump1, y_jump1, mask_jump1, row_jump1, column_jump1)
    jumps2 = (x_jump2, y_jump2, mask_jump2, row_jump2, column_jump2)
    rest, places = jump(first, factor0, exponent0, places, jumps0)
    rest, places = jump(rest, factor1, exponent1, places, jumps1)
    rest, places = jump(rest, factor2, exponent2, places, jumps2)
    lane = tl.arange(0, UNIT)[None, :]
    inside = (first < count)[:, None]
    mask_at = mask_ptr + (places[2][:, None] + lane)
    x = tl.load(x_ptr + (places[0][:, None] + lane), mask=inside)
    if reads_mask:
        kept = tl.load(mask_at, mask=inside) != 0
    else:
        row = places[3][:, None] + lane * row_step
        column = places[4][:, None] + lane * column_step
        kept = kept_of(word_of(seed, row, column), threshold, may_keep)
        if mask_ptr:
            tl.store(mask_at, kept.to(tl.int32), mask=inside)
    y_of = tl.where(kept, x * scale, 0.0)
    tl.store(y_ptr + (places[1][:, None] + lane), y_of, mask=inside)


@eft.jit
def jump(rest, factor, exponent, places, jumps):
    """Divides by the extent of an axis, and adds the jumps times the quotients to the places.
    Returns the quotients and the new places. The exponent is the smallest with 2**exponent >= the
    extent, and the factor is 2**(31 + exponent) / extent, rounded up, so numbers below 2**31 are
    divided exactly."""
    quotient = (tl.umulhi(rest.to(tl.uint32) * 2, factor.to(tl.uint32)) >> exponent).to(tl.int32)
    moved = ()
    for i in tl.static_range(5):
        moved = moved + (places[i] + quotient * jumps[i],)
    return quotient, moved


@eft.jit
def word_of(seed, row, column):
    """Returns the random words of elements; see dropout.py."""
    is_late = row >= EARLY_ROWS
    place = tl.where(is_late, row, column)
    # Bits 4 and 5 of the place are the number of the word. Without them it is the draw's place.
    draw_place = place & ~(GROUP - LANES)
    draw_row, draw_column = (
        tl.where(is_late, draw_place, row),
        tl.where(is_late, column, draw_place),
    )
    word0, word1, word2, word3 = tl.philox(seed, draw_column, 0, draw_row, 0)
    is_odd, is_upper = (place & LANES) != 0, (place & (2 * LANES)) != 0
    return tl.where(is_upper, tl.where(is_odd, word3, word2), tl.where(is_odd, word1, word0))
