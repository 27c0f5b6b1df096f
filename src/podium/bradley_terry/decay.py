"""Old comparisons count less: weights that halve with age."""

import re
from dataclasses import replace

import numpy as np

from podium.comparisons.messages import InputError
from podium.comparisons.table import Comparisons
from podium.numerics.parameters import is_number

DAYS = {"y": 365.25, "mo": 365.25 / 12, "w": 7.0, "d": 1.0, "h": 1 / 24}


def decayed(c: Comparisons, half_life: float | str | None) -> Comparisons:
    """The comparisons, with weights that halve with every ``half_life`` of age, counted from the last one."""
    if half_life is None:
        return c
    if c.time is None:
        raise InputError("half_life needs times; give {@time} when you read or make the comparisons")
    dates = c.time.dtype.kind == "M"
    length = _days(half_life) if dates else _number(half_life)
    age = (c.time.max() - c.time) / np.timedelta64(1, "D") if dates else c.time.max() - c.time
    with np.errstate(over="ignore"):
        weight = np.exp2(-age / length)
    return replace(c, weight=c.weight * np.maximum(weight, np.finfo(float).tiny))


def _days(half_life: float | str) -> float:
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-z]+)\s*", str(half_life).lower())
    unit = found and {"year": "y", "years": "y", "months": "mo", "month": "mo"}.get(found[2], found[2])
    if isinstance(half_life, bool) or not found or unit not in DAYS or not float(found[1]) > 0:
        units = "'2y', '6mo', '3w', '30d' or '12h'"
        raise ValueError(f"with dates, half_life must be a span such as {units}, not {half_life!r}")
    return float(found[1]) * DAYS[unit]


def _number(half_life: float | str) -> float:
    if not is_number(half_life) or not 0 < float(half_life) < np.inf:
        raise ValueError(
            f"these times are numbers, so half_life must be a number above 0 in their unit, not {half_life!r}"
        )
    return float(half_life)
