# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of random kernels: their values, and the kernels themselves."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

#: The number of programs in a grid.
PROGRAMS = 3


@dataclass(frozen=True)
class Value:
    """A variable of the kernel. `product`: the value may be a product of floats. `rough`: the value
    comes from a function that is not correctly rounded."""

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
        annotations: the types of the scalars whose parameters are annotated.
        num_warps: the launch's option.
        largest: the largest number of elements of a block.
        rough: the outputs that are only compared between devices.
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
        """The shape to which shapes broadcast; None if there is none, or if it is too large."""
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
