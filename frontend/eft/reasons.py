# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Logs why a kernel is compiled: the differences between a variant (an `eft.driver.Variant`) and
the earlier variants of the kernel."""

from __future__ import annotations

import sys

from eft.language.dtypes import describe


def log_reason(function, variant):
    """Logs at level INFO why a compile happens: the facts in which the variant differs from the
    most similar earlier variant. Adds the variant to `function.variants`."""
    logging = sys.modules.get("logging")  # if it was never imported, no handler is set
    if logging is not None and logging.getLogger("eft").isEnabledFor(logging.INFO):
        names = function.arg_names
        differences = [_differences(names, variant, each) for each in function.variants]
        closest = min(differences, key=len, default=["first use"])
        reason = "; ".join(closest) or "it was compiled before, but not for this device"
        logging.getLogger("eft").info(
            "compiling %s for %s: %s", function.__name__, variant.target, reason
        )
    function.variants.append(variant)


def _differences(names, variant, earlier) -> list[str]:
    """Returns a text for each fact in which `variant` differs from `earlier`."""
    found = []
    if variant.target != earlier.target:
        found.append(f"the target is {variant.target}")
    for name, type, other in zip(names, variant.types, earlier.types, strict=True):
        if type != other:
            found.append(f"{name} is {type or describe(variant.constexprs[name])}")
    for name, special, other in zip(
        names, variant.specialization, earlier.specialization, strict=True
    ):
        if special != other:
            found.append(f"{name} is {_value_in_words(special, other)}")
    for new, old in ((variant.constexprs, earlier.constexprs), (variant.options, earlier.options)):
        changed = [key for key in new if key not in old or new[key] != old[key]]
        found += [
            "the grid has more programs" if key == "all_grids" else f"{key} = {describe(new[key])}"
            for key in changed
        ]
    return found


def _value_in_words(special: str, other: str) -> str:
    """Returns the specialization `special` of a value in words. `other` is the specialization of
    the earlier variant, which `special` differs from."""
    if special == "":
        return "not 1" if other == "1" else f"not divisible by {other}"
    return "1" if special == "1" else f"divisible by {special}"
