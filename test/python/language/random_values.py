# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of random kernels: their values, and the kernels themselves."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

#: Programs in a grid.
PROGRAMS = 3


@dataclass(frozen=True)
class Value:
    """A variable of the kernel. `product`: it may be a product of floats; `rough`: it comes from a
    function that is not correctly rounded."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    product: bool = False
    rough: bool = False


@dataclass
class Kernel:
    """A random kernel, as `generate` makes it.

    Attributes:
        source: the text of a module with a function `kernel`.
        inputs, outputs: arrays by the names of the parameters; outputs are zero.
        scalars: the other arguments.
        annotations: the types of those scalars whose parameters say one.
        num_warps: the option.
        largest: the most elements of a block.
        rough: the outputs that only other devices can tell.
    """

    seed: int
    source: str = ""
    inputs: dict = field(default_factory=dict)
    scalars: dict = field(default_factory=dict)
    annotations: dict = field(default_factory=dict)
    outputs: dict = field(default_factory=dict)
    rough: set = field(default_factory=set)
    num_warps: int = 4
    largest: int = 4096
    steps: list = field(default_factory=list)

    def expected(self) -> dict[str, np.ndarray]:
        """The contents that the outputs must have."""
        outputs = {name: array.copy() for name, array in self.outputs.items()}
        for program in range(PROGRAMS):
            values = {name: np.asarray(value) for name, value in self.scalars.items()}
            values |= self.inputs | outputs
            values["pid"] = np.asarray(np.int32(program))
            for step in self.steps:
                step(values)
        return outputs

    def broadcast_shape(self, *shapes) -> tuple[int, ...] | None:
        """The shape that some shapes broadcast to; None if they don't, or if it is too large."""
        try:
            shape = np.broadcast_shapes(*shapes)
        except ValueError:
            return None
        return shape if math.prod(shape) <= self.largest else None


def long_name(name: str) -> str:
    """The name that a type has in `tl`."""
    return {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64"}.get(
        name, name
    )
