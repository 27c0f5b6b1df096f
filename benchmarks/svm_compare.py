"""SVMCompare compared with the naive way: Algorithm 1 of [SVMcompare], SVC on the explicit 2m × 2m kernel.

    python benchmarks/svm_compare.py [--case PATTERN] [--full]

The data are those of §4.1 (‖x‖₂², half ties). podium stops at a relative duality gap of 1e-3, and SVC at its
default tolerance. The two do not stop at the same distance from the optimum, so the gap of SVC's solution is
in the table too. The naive grid computes its kernel once per width, not once per cell.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from measuring.cases import Case, Contestant
from measuring.turns import main

CELLS = [(1.0, 1 / 16), (1000.0, 1.0), (100.0, 8.0)]  # C and γ
SIZES, FEW_ITEMS, SMALL, MOST_NAIVE = (400, 2_000, 5_000, 20_000), 200, 60, 5_000


class Problem(NamedTuple):
    """Comparisons, the cost and the width of the kernel."""

    c: Any
    C: float
    gamma: float


def data(n: int, few_items: bool, C: float = 1.0, gamma: float = 1.0, seed: int = 0) -> Problem:
    """Pairs of distinct points, or many pairs of few points."""
    from podium import Comparisons
    from podium.datasets import make_norm_comparisons

    if not few_items:
        return Problem(make_norm_comparisons(n, random_state=seed), C, gamma)
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(FEW_ITEMS, 2))
    left = rng.integers(0, FEW_ITEMS, n)
    right = (left + rng.integers(1, FEW_ITEMS, n)) % FEW_ITEMS
    r = (X**2).sum(axis=1)
    d = r[right] - r[left] + rng.normal(scale=0.25, size=n)
    outcome = np.where(np.abs(d) <= 4, 0, np.sign(d)).astype(np.int8)
    met = np.unique(np.concatenate([left, right]))
    return Problem(Comparisons.from_arrays(left, right, outcome).with_features(X[met]), C, gamma)


def reached(problem: Problem, gap: float | None) -> dict[str, float]:
    return {} if gap is None else {"gap": gap}


# ------------------------------------------------------------------------------------ contestants


def podium(problem: Problem) -> float:
    from podium import SVMCompare

    return float(SVMCompare(C=problem.C, gamma=problem.gamma).fit(problem.c).result_.gap or 0.0)


def podium_grid(problem: Problem) -> float:
    from podium import SVMCompare, compare_grid

    return float(compare_grid(SVMCompare(), problem.c, data(len(problem.c), False, seed=1).c).gap)


def both_orders(c: Any) -> tuple[Any, Any]:
    """The loser and the winner of each pair, as rows of the features; ties stand in both orders."""
    y, tie = c.outcome, c.outcome == 0
    tail, head = np.where(y == -1, c.right, c.left), np.where(y == -1, c.left, c.right)
    return np.concatenate([tail, head[tie]]), np.concatenate([head, tail[tie]])


def flipped_kernel(c: Any, gamma: float) -> tuple[Any, Any]:
    """K̃ = M'KM from the 2m × 2m matrix, and ỹ: Algorithm 1, with the rows of X_{-1} swapped as in eq. (8)."""
    from sklearn.metrics.pairwise import rbf_kernel

    tail, head = both_orders(c)
    tie = c.outcome == 0
    label = np.concatenate([np.where(tie, -1, 1), -np.ones(int(tie.sum()))])
    m = len(label)
    K = rbf_kernel(np.vstack([c.features[tail], c.features[head]]), gamma=gamma)
    return K[m:, m:] - K[m:, :m] - K[:m, m:] + K[:m, :m], label


def naive(problem: Problem) -> float:
    """Also computes the relative duality gap, which takes one product with the support vectors."""
    from sklearn.svm import SVC

    K, label = flipped_kernel(problem.c, problem.gamma)
    svc = SVC(kernel="precomputed", C=problem.C).fit(K, label)
    u = np.asarray(K[:, svc.support_] @ svc.dual_coef_[0])
    square = float(svc.dual_coef_[0] @ u[svc.support_])
    primal = 0.5 * square + problem.C * float(np.maximum(0, 1 - label * (u + svc.intercept_[0])).sum())
    return (primal - float(np.abs(svc.dual_coef_).sum()) + 0.5 * square) / primal


def naive_grid(problem: Problem) -> None:
    """Fit and validate all cells; r(x) is eq. (19), with one kernel to the validation set per width."""
    from sklearn.metrics.pairwise import rbf_kernel
    from sklearn.svm import SVC

    from podium.comparers.grid import PAPER_C, PAPER_GAMMA

    c, validation = problem.c, data(len(problem.c), False, seed=1).c
    tail, head = both_orders(c)
    for width in PAPER_GAMMA:
        K, label = flipped_kernel(c, width)
        to_train = rbf_kernel(validation.features, c.features, gamma=width)
        for cost in PAPER_C:
            svc = SVC(kernel="precomputed", C=cost).fit(K, label)
            item = np.zeros(len(c.features))
            np.add.at(item, head[svc.support_], svc.dual_coef_[0])
            np.add.at(item, tail[svc.support_], -svc.dual_coef_[0])
            r = to_train @ item / -svc.intercept_[0]
            d = r[validation.right] - r[validation.left]
            np.mean(np.where(np.abs(d) <= 1, 0, np.sign(d)) != validation.outcome)


FIT = {"podium": Contestant(podium), "SVC": Contestant(naive, "scikit-learn")}
GRID = {"podium": Contestant(podium_grid), "SVC": Contestant(naive_grid, "scikit-learn", patience=30)}


def cases() -> Iterator[Case]:
    small = partial(data, SMALL, False)
    for n, few in [*((n, False) for n in SIZES), (5_000, True)]:
        contestants = FIT if n <= MOST_NAIVE else {"podium": FIT["podium"]}
        for C, gamma in CELLS:
            name = f"{n:,} pairs{f' of {FEW_ITEMS} items' if few else ''}, C = {C:g}, γ = {gamma:g}"
            yield Case(name, partial(data, n, few, C, gamma), contestants, small, reached, "SVC")
    yield from grids(400, 2_000)


def grids(*sizes: int) -> Iterator[Case]:
    small = partial(data, SMALL, False)
    for n in sizes:
        yield Case(f"grid 10 × 10, {n:,} pairs", partial(data, n, False), GRID, small, reached, "SVC")


if __name__ == "__main__":
    every = list(cases())
    quick = [case for case in every if "20,000" not in case.name and "C = 1000" not in case.name]
    main(quick, [case for case in every if case not in quick] + list(grids(5_000)))
