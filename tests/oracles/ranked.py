"""The Plackett–Luce model with ties as printed in Turner et al. (2020): all subsets one by one, slowly."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium import Rankings

Floats = NDArray[np.float64]
STEP = 1e-30  # a complex step gives derivatives without cancellation


def stages(r: Rankings) -> Iterator[tuple[float, list[int], list[int]]]:
    """The mass, the winners and the items that remain, for every choice of every ranking."""
    for row in range(len(r)):
        codes = r.entries[r.indptr[row] : r.indptr[row + 1]].tolist()
        level = r.level[r.indptr[row] : r.indptr[row + 1]]
        for number in range(level.max() + 1):
            winners = [code for code, own in zip(codes, level, strict=True) if own == number]
            remain = [code for code, own in zip(codes, level, strict=True) if own >= number]
            if not (number == level.max() and r.rest is not None and r.rest[row]):
                yield float(r.mass[row]), winners, remain


def tie_sizes(r: Rankings) -> list[int]:
    return sorted({len(winners) for _, winners, _ in stages(r)} - {1})


def plain_loss(r: Rankings, x: Any) -> Any:
    """The negative log-likelihood at x = (log α, log δ by size)."""
    alpha, sizes, value = np.exp(x[: r.n_items]), tie_sizes(r), 0.0
    delta = {1: 1.0, **dict(zip(sizes, np.exp(x[r.n_items :]), strict=True))}

    def weight(items: Any) -> Any:
        return delta[len(items)] * np.prod(alpha[list(items)]) ** (1 / len(items))

    for mass, winners, remain in stages(r):
        subsets = (t for d in delta for t in combinations(remain, d))
        value = value - mass * np.log(weight(winners) / sum(weight(t) for t in subsets))
    return value


def plain_gradient(r: Rankings, x: Any) -> Floats:
    units = np.eye(len(x))
    return np.array([plain_loss(r, x + 1j * STEP * unit).imag / STEP for unit in units])


def plain_information(r: Rankings, x: Floats, h: float = 1e-5) -> Floats:
    units = h * np.eye(len(x))
    return np.array([(plain_gradient(r, x + u) - plain_gradient(r, x - u)) / (2 * h) for u in units])


def random_rankings(
    seed: int, n_items: int = 5, n: int = 25, *, ties: float = 0.3, rest: bool = True
) -> Rankings:
    """Partial rankings with ties of any order, rests and weights."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, n_items + 1, n)
    entries = np.concatenate([rng.permutation(n_items)[:m] for m in sizes])
    level = np.concatenate([np.cumsum(np.append(0, rng.random(m - 1) >= ties)) for m in sizes])
    indptr = np.append(0, np.cumsum(sizes))
    flags = (rng.random(n) < 0.3) & (level[indptr[1:] - 1] > 0) if rest else None
    weight = rng.random(n) + 0.5
    return Rankings.from_codes(np.arange(n_items), indptr, entries, level, weight, rest=flags)
