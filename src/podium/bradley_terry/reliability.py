"""Reliability and misfit of comparative judgement, as R's ``sirt::btm`` has them.

They are statistics of the comparisons, whatever model was fitted. Ties are left out, and a score x of n
comparisons becomes ε + x (n - 2ε) / n, with ε = 0.3, so that every item has a finite estimate. The skills r,
with mean 0 in every connected group, solve

    x_i - Σ_j n_ij p_ij = c I_i,    p_ij = 1 / (1 + e^(r_j - r_i)),    I_i = Σ_j n_ij p_ij (1 - p_ij),

where c is what centring leaves. The standard error of r_i is I_i^(-½), which takes all other skills as known.

- scale separation reliability: SSR = 1 - mean(error²) / var(r); separation = 1 / √(1 - SSR)
- infit = Σ (y - p)² / Σ p (1 - p), outfit = mean of (y - p)² / (p (1 - p)), over the votes on an item or of a
  judge; both are about 1 if votes vary as the model says
"""

from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Floats
from podium.comparisons.messages import InputError
from podium.comparisons.random_states import generator
from podium.comparisons.table import Comparisons

if TYPE_CHECKING:
    import pandas as pd


class Votes(NamedTuple):
    """Decided comparisons of n items, which all appear."""

    items: NDArray[Any]
    winner: Codes
    loser: Codes
    mass: Floats
    judge: Codes  # -1 if nobody is named

    @classmethod
    def of(cls, c: Comparisons | None) -> "Votes":
        if c is None or c.teams is not None or c.outcome is None or not c.outcome.any():
            raise ValueError(
                "this needs decided comparisons of single items; a saved model has no comparisons"
            )
        right, decided = c.outcome > 0, c.outcome != 0
        winner, loser = np.where(right, c.right, c.left)[decided], np.where(right, c.left, c.right)[decided]
        kept, both = np.unique([winner, loser], return_inverse=True)
        winner, loser = both.reshape(2, -1).astype(np.int32)
        judge = np.full(len(winner), -1, np.int32) if c.group is None else c.group[decided]
        return cls(c.items[kept], winner, loser, np.asarray(c.mass)[decided], judge)

    def part(self, chosen: NDArray[np.bool_]) -> "Votes":
        columns: Any = (column[chosen] for column in self[1:])
        return Votes(self.items, *columns)


def estimates(votes: Votes, epsilon: float = 0.3) -> tuple[Floats, Floats]:
    """The skills and their errors; nan for items without votes.

    Newton's method, with c as one more unknown of every group.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.special import expit

    n, (_, winner, loser, mass, _) = len(votes.items), votes
    met = coo_array((mass, (winner, loser)), shape=(n, n)).toarray()
    wins, games = met.sum(axis=1), (met := met + met.T).sum(axis=1)
    with np.errstate(invalid="ignore"):
        score = np.nan_to_num(epsilon + wins * (games - 2 * epsilon) / games)
    groups, group = connected_components(met)
    member, r, c = np.eye(groups)[group], np.zeros(n), np.zeros(n)
    for _ in range(100):
        p = expit(r[:, None] - r)
        spread = met * p * (1 - p)
        inside = np.where(games > 0, spread.sum(axis=1), 1.0)
        border = inside[:, None] * member
        slope = spread * (1 + c[:, None] * (1 - 2 * p))  # of the expected score and of c I
        corner = np.diag(slope.sum(axis=1) + (games == 0)) - slope
        whole = np.block([[corner, border], [member.T, np.zeros((groups, groups))]])
        found = np.linalg.solve(whole, np.append(score - (met * p).sum(axis=1), np.zeros(groups)))
        step, c = found[:n], found[n:][group]
        r = r + np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-9:
            break
    else:
        raise ValueError("there are too few comparisons for reliability and misfit; add some")
    return np.where(games > 0, r, np.nan), 1 / np.sqrt(inside)


def reliability(c: Comparisons | None, splits: int, level: float, random_state: Any) -> dict[str, float]:
    """What `BradleyTerry.reliability` returns.

    The interval takes the items as a sample: the variance of their estimates is known as that of n normal
    numbers is. (Feldt's interval of a reliability has the same form.)
    """
    from scipy.special import chdtri

    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level!r}")
    votes, halves = Votes.of(c), []
    r, error = estimates(votes)
    n, share, rng = len(r), float((error**2).mean() / r.var(ddof=1)), generator(random_state)
    several = votes.judge.max() > votes.judge.min()
    unit = np.unique(votes.judge if several else np.arange(len(votes.mass)), return_inverse=True)[1]
    for _ in range(splits if unit.max() > 0 else 0):
        half = rng.permutation(np.arange(unit.max() + 1) % 2 == 0)[unit]
        with suppress(ValueError):  # the equations of so few comparisons may have no solution
            both = np.array([estimates(votes.part(chosen))[0] for chosen in (half, ~half)])
            both = both[:, ~np.isnan(both).any(axis=0)]
            if both.shape[1] and np.ptp(both, axis=1).min() > 0:
                halves.append(np.corrcoef(both)[0, 1])
    tails = ((1 - level) / 2, (1 + level) / 2)
    low, high = (float(1 - share * chdtri(n - 1, tail) / (n - 1)) for tail in tails)
    found = {"ssr": 1 - share, "ssr_low": low, "ssr_high": high, "separation": share**-0.5}
    return found | {"split_half": float(np.mean(halves)) if halves else np.nan, "splits": len(halves)}


def fit_statistics(c: Comparisons | None, by: str) -> "pd.DataFrame":
    """What `BradleyTerry.fit_statistics` returns."""
    import pandas as pd

    if by not in ("item", "judge"):
        raise ValueError(f"by must be 'item' or 'judge', not {by!r}")
    votes = Votes.of(c)
    r, _ = estimates(votes)
    p = 1 / (1 + np.exp(r[votes.loser] - r[votes.winner]))
    names, code, times = votes.items, np.concatenate([votes.winner, votes.loser]), 2
    if by == "judge":
        if c is None or c.groups is None:
            raise InputError("the comparisons have no judges; give {@group} when you read or make them")
        present, code = np.unique(votes.judge, return_inverse=True)
        names, times = np.array([*c.groups.tolist(), None], object)[present], 1
    sums = (votes.mass * part for part in (1.0, (1 - p) ** 2, p * (1 - p), (1 - p) / p))
    n, missed, expected, squares = (np.bincount(code, np.tile(part, times)) for part in sums)
    return pd.DataFrame({by: names, "n": n, "infit": missed / expected, "outfit": squares / n})
