# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The random numbers of the dropout operator, and what its kernels share: dropout_forward.py has
the forward, dropout_wide.py that for wide accesses, dropout_strided.py arrays with any strides. All
are compiled ahead of time into eft::ops. They compute in the type of the scale: fp64 for arrays of
fp64, else fp32.

Whether the element of row r and column c is kept is a function of the seed, r and c alone. Philox
draws four words at a time. In the first 1024 rows they are for columns that are 16 apart, and from
there on for rows that are 16 apart. So large matrices of few rows draw no words that they don't
need, nor do those of few columns. With

    word = c // 16 % 4 and the first place (r, c - 16 * word)    where r < 1024
    word = r // 16 % 4 and the first place (r - 16 * word, c)    from there on

the element has the random number `philox(seed, low(c'), high(c'), low(r'), high(r'))[word]`, where
(r', c') is the first place, and low and high are the 32-bit halves. The element is kept if that is
at least `threshold`, which is p * 2**32, rounded up. For a given word, 16 neighbours have 16 draws:
whole vectors, on a GPU and on a CPU.
"""

import eft
import eft.language as tl

LANES = tl.constexpr(16)  # neighbours that have a word of as many draws
GROUP = tl.constexpr(64)  # what these draws are for
EARLY_ROWS = tl.constexpr(1024)  # whose draws are for their own columns


@eft.jit
def draw(seed, row, column):
    """The words of the draws with these first places."""
    return tl.philox(seed, *halves(column), *halves(row))


@eft.jit
def halves(number):
    """The 32-bit halves of numbers from 0 on."""
    high = 0
    if number.dtype == tl.int64:
        high = (number >> 32).to(tl.int32)
    return number.to(tl.int32), high


@eft.jit
def divide(number, division):
    """The quotient of a number below 2**60. `division` is a factor, 2**(60 + exponent) / divisor
    rounded up, and this exponent, the least that makes 2**exponent at least the divisor."""
    factor, exponent = division
    return (tl.umulhi(number.to(tl.uint64) * 16, factor) >> exponent).to(tl.int64)


@eft.jit
def places(first, columns, division, offset, BLOCK: tl.constexpr):
    """Where elements of a matrix are, counted row by row: those at `first` + `offset`, a block of
    numbers below BLOCK. It gives a row, how many rows further on each is, and its column. Those in
    front of the matrix have negative columns in its first row; there may be up to BLOCK of them.

    `division` is by `columns`; see `divide`.
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
    """Whether elements with these random words are kept. `may_keep` is false to drop everything,
    which no threshold of 32 bits can do."""
    return (word >= threshold) & may_keep


@eft.jit
def write(y_ptr, mask_ptr, x, word, inside, rule):
    """An element of each place: y = where(kept, x * scale, 0), and the mask, if there is one.
    `rule` is the threshold, `may_keep` and the scale."""
    threshold, may_keep, scale = rule
    kept = kept_of(word, threshold, may_keep)
    tl.store(y_ptr, tl.where(kept, x * scale, 0.0), mask=inside)
    if mask_ptr is not None:
        tl.store(mask_ptr, kept.to(tl.int32), mask=inside)


@eft.jit
def moved(pointer, elements):
    """A pointer moved by some elements, if it is one."""
    if pointer is not None:
        pointer = pointer + elements
    return pointer


@eft.jit
def backward(dy_ptr, mask_ptr, dx_ptr, count, scale, BLOCK: tl.constexpr):
    """dx = where(mask != 0, dy * scale, 0)."""
    start = tl.program_id(0).to(tl.int64) * BLOCK
    offsets = tl.arange(0, BLOCK)
    inside = offsets < tl.minimum(count - start, BLOCK).to(tl.int32)
    dy = tl.load(dy_ptr + start + offsets, mask=inside)
    kept = tl.load(mask_ptr + start + offsets, mask=inside) != 0
    tl.store(dx_ptr + start + offsets, tl.where(kept, dy * scale, 0.0), mask=inside)
