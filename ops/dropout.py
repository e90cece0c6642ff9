# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The random numbers of the dropout operator, and the functions that its kernels share.
dropout_forward.py has the forward, and dropout_wide.py the forward with wide accesses.
dropout_strided.py has both directions for arrays with any strides, and dropout_permuted.py for some
of these arrays. All kernels are compiled ahead of time into eft::ops. They compute in the type of
the scale: fp64 for arrays of fp64, else fp32.

Whether the element of row r and column c is kept is a function of only the seed, r and c. Philox
draws four words at a time. In the first 1024 rows (the early rows) the four words are for four
columns that are 16 apart; in all other rows (the late rows) they are for four rows that are 16
apart. So neither a large matrix of few rows nor one of few columns draws words that it doesn't
need. With

    word = c // 16 % 4 and the first place (r, c - 16 * word)    where r < 1024
    word = r // 16 % 4 and the first place (r - 16 * word, c)    from there on

the random number of the element is `philox(seed, low(c'), high(c'), low(r'), high(r'))[word]`.
Here (r', c') is the first place, and low and high are the 32-bit halves. The element is kept if
the random number is at least `threshold`, which is p * 2**32, rounded up. 16 neighbouring elements
use the same word of 16 different draws, so kernels compute whole vectors on a GPU and on a CPU.
"""

import eft
import eft.language as tl

LANES = tl.constexpr(16)  # 16 neighbours use the same word of 16 different draws
GROUP = tl.constexpr(64)  # the elements of 16 draws: four for each draw
EARLY_ROWS = tl.constexpr(1024)  # in these rows the four words of a draw are for four columns


@eft.jit
def draw(seed, row, column):
    """Returns the four words of each draw whose first place is (`row`, `column`)."""
    return tl.philox(seed, *halves(column), *halves(row))


@eft.jit
def halves(number):
    """Returns the low and the high 32 bits of numbers that are not negative."""
    high = 0
    if number.dtype == tl.int64:
        high = (number >> 32).to(tl.int32)
    return number.to(tl.int32), high


@eft.jit
def divide(number, division):
    """Returns a number from 0 to 2**60 - 1, divided by a divisor and rounded down. `division` is a
    pair (factor, exponent) that stands for the divisor: the exponent is the smallest with
    2**exponent >= divisor, and the factor is 2**(60 + exponent) / divisor, rounded up."""
    factor, exponent = division
    return (tl.umulhi(number.to(tl.uint64) * 16, factor) >> exponent).to(tl.int64)


@eft.jit
def places(first, columns, division, offset, BLOCK: tl.constexpr):
    """Finds the row and the column of elements by their numbers, which count a matrix row by row.
    The numbers are `first` + `offset`, where `offset` is a block of numbers below BLOCK. Returns a
    row, then for each element the number of rows from that row to its own, and its column. Up to
    BLOCK elements may lie before the matrix: they get row 0 and negative columns.

    `division` divides by `columns`; see `divide`.
    """
    row = divide(tl.maximum(first, 0), division)
    factor, exponent = division
    begin = first - row * columns
    if columns <= BLOCK:
        column = begin.to(tl.int32) + offset
        short_factor = (factor >> (exponent + 29)).to(tl.uint32) + 1  # 2**31 / columns, about
        counted = tl.maximum(column, 0).to(tl.uint32)
        further = tl.umulhi(counted * 2, short_factor).to(tl.int32)
        column = (column - further * columns.to(tl.int32)).to(tl.int64)
    else:
        column = begin + offset
        further = (column >= columns).to(tl.int32)
        column -= tl.where(column >= columns, columns, 0)
    return row, further, column


@eft.jit
def kept_of(word, threshold, may_keep):
    """Returns whether elements with these random words are kept. If `may_keep` is false, all
    elements are dropped, which no threshold of 32 bits can do."""
    return (word >= threshold) & may_keep


@eft.jit
def write(y_ptr, mask_ptr, x, word, inside, rule):
    """Writes y = where(kept, x * scale, 0) at each place that is `inside`, and the mask, if there
    is one. `rule` is the tuple (threshold, may_keep, scale)."""
    threshold, may_keep, scale = rule
    kept = kept_of(word, threshold, may_keep)
    tl.store(y_ptr, tl.where(kept, x * scale, 0.0), mask=inside)
    if mask_ptr is not None:
        tl.store(mask_ptr, kept.to(tl.int32), mask=inside)


@eft.jit
def moved(pointer, elements):
    """Returns the pointer, moved by a number of elements, or None if it is None."""
    if pointer is not None:
        pointer = pointer + elements
    return pointer


@eft.jit
def backward(dy_ptr, mask_ptr, dx_ptr, count, scale, BLOCK: tl.constexpr):
    """Computes dx = where(mask != 0, dy * scale, 0)."""
    start = tl.program_id(0).to(tl.int64) * BLOCK
    offsets = tl.arange(0, BLOCK)
    inside = offsets < tl.minimum(count - start, BLOCK).to(tl.int32)
    dy = tl.load(dy_ptr + start + offsets, mask=inside)
    kept = tl.load(mask_ptr + start + offsets, mask=inside) != 0
    tl.store(dx_ptr + start + offsets, tl.where(kept, dy * scale, 0.0), mask=inside)
