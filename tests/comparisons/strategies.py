"""Random comparisons for hypothesis tests."""

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from podium import Comparisons


@st.composite
def comparisons(draw: Any, teams: bool | None = None, min_size: int = 0) -> Comparisons:
    """Items or teams, with outcomes and weights, sometimes with groups and time."""
    n_items = draw(st.integers(2, 6))
    n = draw(st.integers(min_size, 20))
    teams = draw(st.booleans()) if teams is None else teams
    left: list[Any] = []
    right: list[Any] = []
    for _ in range(n):
        order = draw(st.permutations([f"item {i}" for i in range(n_items)]))
        if teams:
            size = draw(st.integers(1, n_items - 1))
            cut = draw(st.integers(size + 1, n_items))
            left.append(tuple(order[:size]))
            right.append(tuple(order[size:cut]))
        else:
            left.append(order[0])
            right.append(order[1])
    outcome = draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=n, max_size=n))
    weight = draw(st.lists(st.integers(1, 5), min_size=n, max_size=n)) if draw(st.booleans()) else None
    group = draw(st.lists(st.sampled_from("xyz"), min_size=n, max_size=n)) if draw(st.booleans()) else None
    time = draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)) if draw(st.booleans()) else None
    return Comparisons.from_arrays(left, right, outcome, weight, group=group, time=time)


@st.composite
def described(draw: Any, teams: bool | None = None, min_size: int = 0) -> Comparisons:
    """As `comparisons`, sometimes with counts, covariates and neutral ground."""
    c: Comparisons = draw(comparisons(teams, min_size))

    def column(values: Any) -> Any:
        return draw(st.lists(st.sampled_from(values), min_size=len(c), max_size=len(c)))

    if draw(st.booleans()):
        c = replace(c, count=np.array(column([0.5, 1.0, 2.0, 3.0])))
    if draw(st.booleans()):
        c = c.with_covariates({"length": column([-1.5, 0.0, 4.0]), "bold": (column([0, 1]), column([0, 1]))})
    if draw(st.booleans()):
        c = replace(c, neutral=np.array(column([True, False]), dtype=bool))
    return c
