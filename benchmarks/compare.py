# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two results of one benchmark, compared by Eft's speed over that of its peers.

Times move from machine to machine and from day to day, and a peer's times move with them. So the
figure of a case is Eft's best speed over the best of a peer's in the same run.
"""

from __future__ import annotations

#: By column, whether more of it is better. The first one that a row has is its speed.
SPEEDS = {
    "G_elements_per_s": True,
    "GB_per_s": True,
    "TFLOP_per_s": True,
    "milliseconds": False,
    "ns": False,
    "first_ms": False,
}
#: The columns that neither name a case nor are its result.
OTHERS = {"system", "configuration", "block", "warps", "num_warps", "num_stages"}


def speed_of(row: dict) -> float | None:
    """More is better. None for a row without a measured speed."""
    for column, is_more in SPEEDS.items():
        if isinstance(row.get(column), (int, float)) and row[column] > 0:
            return row[column] if is_more else 1 / row[column]
    return None


def case_of(row: dict) -> tuple:
    """The columns that say what was measured: texts and whole numbers."""
    return tuple(
        (column, value)
        for column, value in row.items()
        if column not in SPEEDS and column not in OTHERS and not isinstance(value, float)
    )


def best_speeds(results: dict) -> dict[tuple, dict[str, float]]:
    """By case and system, the best speed of all configurations."""
    found: dict[tuple, dict[str, float]] = {}
    for row in results["rows"]:
        speed = speed_of(row)
        if "system" in row and speed is not None:
            speeds = found.setdefault(case_of(row), {})
            speeds[row["system"]] = max(speed, speeds.get(row["system"], 0.0))
    return found


def ratios(results: dict) -> dict[tuple, float]:
    """By case and peer, how many times faster Eft is."""
    return {
        (case, peer): speeds["Eft"] / speed
        for case, speeds in best_speeds(results).items()
        if "Eft" in speeds
        for peer, speed in speeds.items()
        if peer != "Eft"
    }


def differences(before: dict, after: dict, tolerance: float) -> list[tuple[str, float, float]]:
    """The cases in which Eft stands otherwise beside a peer than before, by more than a share
    `tolerance`: what it is, and the two ratios. The worst come first."""
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
