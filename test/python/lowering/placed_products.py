# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random products of matrices in placed block IR, for tensor cores.

The programs load factors by rows, and convert them to the layouts of MatrixLayouts.h.
"""

from __future__ import annotations

import numpy as np
from gpu_threads import TYPES
from placed_programs import Layout, Program, Programs, block_type, log2

#: For the type of a product's factors, the type of its sums.
SUMS = {"f16": "f32", "i8": "i32"}


class Products(Programs):
    def draw(self) -> Program:
        element = self.random.choice(list(SUMS))
        m, n = (self.random.choice([16, 32, 64]) for _ in range(2))
        k = self.random.choice([16, 32, 64])
        a, b = (self.small_integers(shape, element) for shape in ([m, k], [k, n]))
        c = (a.astype(np.int32) @ b.astype(np.int32)).astype(TYPES[SUMS[element]])
        a, b = (factor.view(TYPES[element]) for factor in (a, b))
        product = self.accumulator(m, n)
        wanted = self.factors(product, m, n, k, 4 // a.itemsize)
        body = ""
        loaded = [self.rows([m, k]), self.rows([k, n])]
        for name, shape, i in (("a", a.shape, 0), ("b", b.shape, 1)):
            types = [block_type(shape, element, layout[i]) for layout in (loaded, wanted)]
            body += f"%{name}m = eft.convert_layout %{name} : {' -> '.join(types)}\n"
        factors = (
            f"{block_type([m, k], element, wanted[0])}, {block_type([k, n], element, wanted[1])}"
        )
        sums = block_type([m, n], SUMS[element], product)
        zero = "0.0" if SUMS[element] == "f32" else "0"
        body += f"%z = arith.constant dense<{zero}> : {sums}\n"
        body += f"%c = eft.dot %am, %bm, %z precision ieee : {factors} -> {sums}\n"
        return self.program("product", body, [(a, loaded[0]), (b, loaded[1])], [(c, product)])

    def small_integers(self, shape: list[int], element: str) -> np.ndarray:
        return self.data.integers(-8, 8, shape).astype(np.int8 if element == "i8" else np.float16)

    def rows(self, shape: list[int]) -> Layout:
        """A row-major layout: vectors of up to 8 elements, then lanes, warps, more registers."""
        bits = [1 << bit for bit in range(sum(map(log2, shape)))]
        vector = self.random.choice([0, 1, 2, 3, 3, 3])
        threads = 5 + log2(self.warps)
        columns = bits[vector:] + [0] * threads
        lanes, warps, rest = columns[:5], columns[5:threads], bits[vector:][threads:]
        return {"register": bits[:vector] + rest, "lane": lanes, "warp": warps}

    def accumulator(self, m: int, n: int) -> Layout:
        """An accumulator's layout. The bits that number its tiles of 16 × 8 are put in random
        order: the last ones are bits of the warp, and the others are bits of the register."""
        tiles = [1 << bit for bit in range(3, log2(n))] + [n << bit for bit in range(4, log2(m))]
        self.random.shuffle(tiles)
        inWarps = min(log2(self.warps), len(tiles))
        warps = tiles[len(tiles) - inWarps :] + [0] * (log2(self.warps) - inWarps)
        registers = [1, 8 * n, *tiles[: len(tiles) - inWarps]]
        return {"register": registers, "lane": [2, 4, n, 2 * n, 4 * n], "warp": warps}

    def factors(self, product: Layout, m: int, n: int, k: int, perWord: int) -> list[Layout]:
        def bits(first: int, end: int) -> list[int]:
            return [1 << bit for bit in range(log2(first), log2(end))]

        inner, outer = bits(1, perWord), bits(4 * perWord, k)
        tile = product["register"][2:]
        rows = [t // n for t in tile if t >= n]
        columns = [t for t in tile if t < n]
        # Each pair is what a bit adds: to the row (or the column), and to k.
        first = [*[(0, x) for x in inner], (8, 0), *[(0, x) for x in outer]]
        first += [(row, 0) for row in rows]
        second = [(0, x) for x in inner + outer] + [(column, 0) for column in columns]
        lanes = [(0, perWord), (0, 2 * perWord), (1, 0), (2, 0), (4, 0)]
        rowWarps = [(w // n, 0) for w in product["warp"]]
        columnWarps = [(w % n, 0) for w in product["warp"]]
        places = ("register", "lane", "warp")
        return [
            {
                place: [outside * stride + within * step for outside, within in column]
                for place, column in zip(places, columns, strict=True)
            }
            for columns, stride, step in (
                ((first, lanes, rowWarps), k, 1),
                ((second, lanes, columnWarps), 1, n),
            )
        ]


class ExactProducts(Products):
    """Products without tensor cores. In most of them, the factors do not fit into shared memory
    together."""

    def draw(self) -> Program:
        m, n = (self.random.choice([16, 32, 64]) for _ in range(2))
        k = self.random.choice([64, 128])
        a, b = (self.data.integers(-8, 8, shape).astype(np.float32) for shape in ([m, k], [k, n]))
        c = a @ b
        layouts = [self.rows(list(array.shape)) for array in (a, b, c)]
        types = [
            block_type(array.shape, "f32", layout)
            for array, layout in zip((a, b, c), layouts, strict=True)
        ]
        body = f"%z = arith.constant dense<0.0> : {types[2]}\n"
        body += f"%c = eft.dot %a, %b, %z precision ieee : {types[0]}, {types[1]} -> {types[2]}\n"
        return self.program("product", body, [(a, layouts[0]), (b, layouts[1])], [(c, layouts[2])])
