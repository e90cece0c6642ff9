# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A configuration of a kernel."""

from __future__ import annotations


class Config:
    """Meta-parameters and options with which a kernel may be launched.

    Attributes:
        kwargs: the meta-parameters, by name.
        num_warps, num_stages, num_ctas, maxnreg: the launch options of these names. None means that
            the option is not given.
        pre_hook: a function or None. It is called before each launch with this configuration, and
            takes a dict of the launch's arguments by name.
        ir_override: exists only because Triton has it. A launch with it raises an error.
    """

    def __init__(
        self,
        kwargs: dict,
        num_warps: int | None = 4,
        num_stages: int | None = 3,
        num_ctas: int | None = 1,
        maxnreg: int | None = None,
        pre_hook=None,
        ir_override: str | None = None,
    ):
        if not isinstance(kwargs, dict):
            raise TypeError(
                f"a configuration's kwargs must be a dict of meta-parameters, got {kwargs!r}"
            )
        self.kwargs = kwargs
        self.num_warps = num_warps
        self.num_ctas = num_ctas
        self.num_stages = num_stages
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override

    def all_kwargs(self) -> dict:
        """Returns the keyword arguments that the configuration adds to a launch: the
        meta-parameters, then the options that are not None."""
        options = {
            "num_warps": self.num_warps,
            "num_ctas": self.num_ctas,
            "num_stages": self.num_stages,
            "maxnreg": self.maxnreg,
            "ir_override": self.ir_override,
        }
        return {
            **self.kwargs,
            **{name: value for name, value in options.items() if value is not None},
        }

    def _facts(self) -> tuple:
        return (*self.all_kwargs().items(), self.pre_hook)

    def __eq__(self, other):
        return self._facts() == other._facts() if isinstance(other, Config) else NotImplemented

    def __hash__(self):
        return hash(self._facts())

    def __str__(self):
        options = ("num_warps", "num_ctas", "num_stages", "maxnreg")
        facts = {**self.kwargs, **{name: getattr(self, name) for name in options}}
        if self.ir_override is not None:
            facts["ir_override"] = self.ir_override
        return ", ".join(f"{name}: {value}" for name, value in facts.items())

    def __repr__(self):
        return f"<Config {self}>"
