# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares two results of one benchmark by Eft's speed relative to that of its peers.

Times differ from machine to machine and from day to day, but Eft's times and those of a peer change
by about the same factor. So each case is compared by a ratio: Eft's best speed divided by the
peer's best speed in the same run.
"""

from __future__ import annotations

#: The columns that can hold a row's speed, and for each column whether larger values are faster.
#: The first of these columns that a row has gives its speed.
SPEEDS = {
    "G_elements_per_s": True,
    "GB_per_s": True,
    "TFLOP_per_s": True,
    "milliseconds": False,
    "ns": False,
    "first_ms": False,
}
#: The columns that are neither part of a case's name nor a result.
OTHERS = {"system", "configuration", "block", "warps", "num_warps", "num_stages"}


def speed_of(row: dict) -> float | None:
    """Returns the speed of a row (larger is faster), or None if the row has no measured speed."""
    for column, is_more in SPEEDS.items():
        if isinstance(row.get(column), (int, float)) and row[column] > 0:
            return row[column] if is_more else 1 / row[column]
    return None


def case_of(row: dict) -> tuple:
    """Returns the columns and values that name what was measured. All of them are texts, integers
    or bools."""
    return tuple(
        (column, value)
        for column, value in row.items()
        if column not in SPEEDS and column not in OTHERS and not isinstance(value, float)
    )


def best_speeds(results: dict) -> dict[tuple, dict[str, float]]:
    """Returns the best speed among all configurations, by case and then by system."""
    found: dict[tuple, dict[str, float]] = {}
    for row in results["rows"]:
        speed = speed_of(row)
        if "system" in row and speed is not None:
            speeds = found.setdefault(case_of(row), {})
            speeds[row["system"]] = max(speed, speeds.get(row["system"], 0.0))
    return found


def ratios(results: dict) -> dict[tuple, float]:
    """Returns Eft's best speed divided by the peer's best speed, by case and peer."""
    return {
        (case, peer): speeds["Eft"] / speed
        for case, speeds in best_speeds(results).items()
        if "Eft" in speeds
        for peer, speed in speeds.items()
        if peer != "Eft"
    }


def differences(before: dict, after: dict, tolerance: float) -> list[tuple[str, float, float]]:
    """Returns the cases whose ratio to a peer has changed by more than the share `tolerance`, as
    tuples (text, old ratio, new ratio). The case that became slower the most comes first."""
    old, new = ratios(before), ratios(after)
    found = [
        (_text(case, peer), old[case, peer], new[case, peer])
        for case, peer in old.keys() & new.keys()
        if abs(new[case, peer] / old[case, peer] - 1) > tolerance
    ]
    return sorted(found, key=lambda each: (each[2] / each[1], each[0]))


def _text(case: tuple, peer: str) -> str:
    about = ", ".join(
        str(value) if isinstance(value, str) else f"{column} {value}" for column, value in case
    )
    return f"{about}: beside {peer}"
