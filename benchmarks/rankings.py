"""Plackett–Luce compared with choix and with sorting, from an array to skills.

    python benchmarks/rankings.py [--case PATTERN] [--full]

The rankings are simulated: each is of a random set of items, drawn by the model. A choice is the first of
such a ranking, with the others as its unordered rest. *Fit alone* starts from a `Rankings` object. choix
reads lists, which are made before its time starts. Its tolerance is tightened until the gradient is at most
1e-8: the largest derivative of the log-likelihood by a log-skill, relative to the number of rankings that the
item is in. ``ilsr_*`` is the fastest method of choix. ``np.sort`` and ``np.argsort`` sort the items of all
rankings as one array.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from measuring.cases import Case, Contestant
from measuring.turns import main

GRADIENT = 1e-8
TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10, 1e-12)
Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


class Orders(NamedTuple):
    """One ranking per row, best first; of a choice, only the first place means something."""

    rows: Ints
    k: int
    choices: bool


def make(k: int, n: int, length: int, choices: bool = False) -> Orders:
    rng = np.random.default_rng(k + n)
    skill = rng.normal(size=k)
    pool = rng.integers(0, k, (n, length), dtype=np.int32)
    while (twice := (np.diff(np.sort(pool), axis=1) == 0).any(axis=1)).any():
        pool[twice] = rng.integers(0, k, (twice.sum(), length), dtype=np.int32)
    key = skill[pool] + rng.gumbel(size=pool.shape)  # the order of such keys follows the model
    return Orders(np.take_along_axis(pool, np.argsort(-key), axis=1), k, choices)


def gradient(orders: Orders, skill: Floats | None) -> dict[str, float]:
    if skill is None:
        return {}
    rows, k, choices = orders
    stages = 1 if choices else rows.shape[1] - 1
    e = np.exp(skill)[rows]
    rates = 1 / e[:, ::-1].cumsum(axis=1)[:, ::-1]
    rates[:, stages:] = 0
    expected = e * rates.cumsum(axis=1)
    expected[:, :stages] -= 1
    total = np.bincount(rows.ravel(), expected.ravel(), k)
    return {"gradient": float(np.max(np.abs(total) / np.bincount(rows.ravel(), minlength=k)))}


# ------------------------------------------------------------------------------------ contestants


def rankings_of(orders: Orders) -> Any:
    from podium import Rankings

    rows = orders.rows
    return Rankings.from_choices(rows[:, 0], rows) if orders.choices else Rankings.from_lists(rows)


def fit_alone(rankings: Any) -> Floats:
    from podium import PlackettLuce

    return np.asarray(PlackettLuce().fit(rankings).log_skill_)


def podium(orders: Orders) -> Floats:
    return fit_alone(rankings_of(orders))


def with_errors(orders: Orders) -> Floats:
    from podium import PlackettLuce

    model = PlackettLuce().fit(rankings_of(orders))
    assert np.isfinite(model.standard_error_).all()
    return np.asarray(model.log_skill_)


def lists_of(orders: Orders) -> tuple[int, Any]:
    lists = orders.rows.tolist()
    return orders.k, [(first, others) for first, *others in lists] if orders.choices else lists


def choix(data: tuple[int, Any], tol: float) -> Floats:
    from choix import ilsr_rankings, ilsr_top1

    k, lists = data
    ilsr = ilsr_top1 if isinstance(lists[0], tuple) else ilsr_rankings
    return np.asarray(ilsr(k, lists, tol=tol, max_iter=10_000))


def sorting(sort: Callable[[Ints], Any]) -> Contestant:
    def run(orders: Orders) -> None:
        sort(orders.rows.ravel())

    return Contestant(run, "numpy")


CONTESTANTS = {
    "podium": Contestant(podium),
    "podium, fit alone": Contestant(fit_alone, prepare=rankings_of),
    "podium, with errors": Contestant(with_errors),
    "choix": Contestant(choix, "choix", lists_of, TOLERANCES),
    "np.argsort": sorting(np.argsort),
    "np.sort": sorting(np.sort),
}


def case(name: str, *size: Any) -> Case:
    """The others have to reach the gradient; podium is below it anyway."""
    small = partial(make, 100, 5_000, *size[2:])
    return Case(name, partial(make, *size), CONTESTANTS, small, gradient, "np.argsort", GRADIENT)


if __name__ == "__main__":
    main(
        [
            case("1,000 items, 100,000 rankings of 5", 1_000, 100_000, 5),
            case("10,000 items, 1M rankings of 10", 10_000, 1_000_000, 10),
            case("1,000 items, 1M choices of 20", 1_000, 1_000_000, 20, True),
        ]
    )
