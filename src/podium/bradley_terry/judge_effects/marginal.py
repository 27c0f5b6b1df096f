"""The marginal likelihood m of skills, effects and spreads, with the effects of the judges integrated out.

With ``prior=0`` it is maximised over the point x and the spreads σ. With normal skills the skills are
integrated too, by Laplace's method: m(x, σ) - |r|²/2s² - ½ log det(s² I + 1), where I is Louis' information
about r, is maximised over s and σ, and x maximises m(x, σ) - |r|²/2s². A maximum over x of the latter, and
over σ of m, would collapse: sharpness undoes any penalty on r for free.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.judge_effects.nodes import Integrals, integrate, louis, product_rule
from podium.bradley_terry.judge_effects.votes import Votes
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Floats
from podium.numerics.descent import LBFGS, Derivatives, descend
from podium.numerics.threads import over_rows

LEAST, MOST = 0.03, 5.0  # spreads that stand for 0, and for any larger one
STEP = 0.35  # of log σ; far from the nodes an integral means nothing


def penalty_of(sigma: Floats) -> float:
    """What the spread of sharpness costs under "auto": it is half-normal with the scale ½."""
    return float(2 * sigma[0] ** 2)


class Found(NamedTuple):
    """The maximum over x, or over x and σ: where it is, and what it is."""

    x: Floats
    sigma: Floats  # 0 for effects that are left out
    criterion: float
    log_marginal: float
    integrals: Integrals
    gradient: float  # relative
    steps: int
    scale: float = np.inf  # s
    converged: bool = True


@dataclass(frozen=True, eq=False)
class Marginal:
    """m as a function of x and σ, for some of the three effects; ``mode`` has the last modes."""

    votes: Votes
    problem: PairedProblem
    log_tie: float
    active: NDArray[np.bool_]
    mode: Floats
    penalised: bool  # the spread of sharpness

    @property
    def n_nodes(self) -> int:
        """Per dimension: the more, the fewer votes judges have, and as many as take little time."""
        usual, n, k = np.median(self.votes.votes), len(self.votes.left), self.active.sum()
        needed = 7 if usual < 20 else 5 if usual < 100 else 3
        return max(needed, *(nodes for nodes in (3, 5, 7, 9, 13) if n * nodes**k <= 500_000), 3)

    def at(self, x: Floats, sigma: Floats) -> Integrals:
        votes = self.votes
        rows, (grid, share) = votes.rows(x, self.log_tie), product_rule(self.n_nodes, self.active)
        n, judges = len(votes.left), votes.n_judges
        sizes = (n, n, judges, judges, (judges, len(grid), 3), (judges, len(grid)))
        out = Integrals(*(np.empty(size) for size in sizes))
        over_rows(
            votes.start, lambda *part: integrate(rows, sigma, grid, share, self.mode, out, *part), 20_000
        )
        return out

    def louis(self, x: Floats, out: Integrals) -> tuple[Floats, Floats]:
        """The information about x given σ, and the sum of the squared gradients of the judges."""
        votes, size = self.votes, len(x)
        rows, sides = (
            votes.rows(x, self.log_tie),
            np.stack([votes.left, votes.right], axis=1).astype(np.int64),
        )
        tie_at = np.full(int(votes.free_tie), votes.n_items)
        fixed = (rows, sides, votes.z, votes.columns, tie_at, out, size)
        parts = over_rows(votes.start, lambda *part: louis(*fixed, *part), 20_000)
        information, squares = (sum(each) for each in zip(*parts, strict=True))
        return np.asarray(information), np.asarray(squares)

    def precision(self, scale: float) -> Floats:
        """What priors add to the information."""
        k, ridge = self.votes.n_items, self.problem.ridge
        rest = np.zeros(self.problem.size - k) if ridge is None else ridge
        return np.append(np.full(k, scale**-2.0), rest)

    def inverse(self, information: Floats, scale: float) -> Floats:
        """The inverse of the information with priors; log-skills may move together only if s is finite."""
        group = self.problem.rank_group
        whole = information + np.diag(self.precision(scale))
        if np.isinf(scale):
            whole[: len(group), : len(group)] += np.equal.outer(group, group) * np.diag(information).max()
            return np.asarray(np.linalg.pinv(whole, hermitian=True))
        return np.asarray(np.linalg.inv(whole))

    # ------------------------------------------------------------------------------------ the maximum over x

    def climb(self, x: Floats, sigma: Floats, tol: float, scale: float = np.inf, free: bool = True) -> Found:
        """The maximum over x and, if they are free, the spreads."""
        moving = np.flatnonzero(self.active) if free else np.zeros(0, np.int64)
        found, n, steps = None, len(x), 0
        prior, games = (
            self.precision(scale),
            np.append(self.problem.scale(), np.full(len(moving), self.votes.n_judges)),
        )
        y = np.append(x, np.log(sigma[moving]))
        low, high = np.log(LEAST), np.log(MOST)
        at: dict[str, Integrals] = {}

        def spreads(y: Floats) -> Floats:
            full = np.where(self.active, sigma, 0.0)
            full[moving] = np.exp(y[n:].clip(low, high))
            return full

        def derivatives_at(y: Floats) -> Derivatives:
            full = spreads(y)
            out = at["last"] = self.at(y[:n], full)
            slope = self.votes.gradient(out.by_delta, out.by_eta, float(out.by_tie.sum())) - prior * y[:n]
            second = np.einsum("jq,jqk->k", out.weight, out.node[:, :, moving] ** 2)
            by_sigma = second / full[moving] ** 2 - self.votes.n_judges
            by_sigma -= self.penalised * (moving == 0) * 4 * full[moving] ** 2
            return Derivatives(-np.append(slope, -_within(-by_sigma, y[n:], low, high)), games)

        def longest(y: Floats, d: Floats) -> float:
            return float(
                min(STEP / np.abs(d[n:]).max(initial=1e-300), 3.0 / np.abs(d[:n]).max(initial=1e-300))
            )

        for goal in (1e-3, tol) if free else (tol,):  # the second time with the curvature near the maximum
            derivatives_at(y)
            out = at["last"]
            mean = np.einsum("jq,jqk->jk", out.weight, out.node[:, :, moving])
            known = (mean**2).sum(axis=0) / spreads(y)[moving] ** 2
            inverse = self.inverse(self.louis(y[:n], out)[0], scale)
            curved = 2 * known.clip(0.02 * self.votes.n_judges)

            def times(q: Floats, inverse: Floats = inverse, curved: Floats = curved) -> Floats:
                return np.append(inverse @ q[:n], q[n:] / curved)

            found = descend(
                derivatives_at, LBFGS(20, times), y, games, tol=goal, max_iter=200, longest=longest
            )
            y, steps = found.x, steps + len(found.history) - 1
        assert found is not None
        y[n:] = y[n:].clip(low, high)
        derivatives_at(y)
        log_marginal = float(at["last"].log_marginal.sum())
        full = spreads(y)
        penalty = self.penalised * penalty_of(full) + float(prior @ y[:n] ** 2) / 2
        x = self.problem.centred(y[:n]) if np.isinf(scale) else y[:n]
        return Found(
            x,
            full,
            log_marginal - penalty,
            log_marginal,
            at["last"],
            found.history[-1],
            steps,
            scale,
            found.converged,
        )

    # ------------------------------------------------------------------------------------ normal skills

    def integrated(self, x: Floats, sigma: Floats, scale: float, tol: float) -> Found:
        """The maximum over x with normal skills of a given scale and given spreads."""
        found = self.climb(x, sigma, tol, scale, free=False)
        k = self.votes.n_items
        about = self.louis(found.x, found.integrals)[0][:k, :k]
        return found._replace(
            criterion=found.criterion - np.linalg.slogdet(scale**2 * about + np.eye(k))[1] / 2
        )

    def climb_normal(self, x: Floats, sigma: Floats, scale: float, tol: float) -> Found:
        """The maximum over s and the spreads of the marginal likelihood whose skills are integrated, too.

        Its gradient comes from differences.
        """
        moving = np.flatnonzero(self.active)
        low, high = np.log(LEAST), np.log(np.append(4 * MOST, np.full(len(moving), MOST)))
        last = [x]

        def found_at(y: Floats, tol: float = 1e-7) -> Found:
            y, full = y.clip(low, high), np.where(self.active, sigma, 0.0)
            full[moving] = np.exp(y[1:])
            found = self.integrated(last[0], full, float(np.exp(y[0])), tol)
            last[0] = found.x
            return found

        games = np.append(self.votes.n_items, np.full(len(moving), self.votes.n_judges)).astype(float)

        def derivatives_at(y: Floats, step: float = 1e-3) -> Derivatives:
            y = y.clip(low, high)
            ends = [
                [found_at(y + side).criterion for side in (-move, move)] for move in step * np.eye(len(y))
            ]
            slope = np.array([before - after for before, after in ends]) / (2 * step)
            return Derivatives(_within(slope, y, low, high), games / 2)

        def longest(y: Floats, d: Floats) -> float:
            return float(STEP / np.abs(d).max(initial=1e-300))

        y = np.log(np.append(scale, sigma[moving])).clip(low, high)
        found = descend(derivatives_at, LBFGS(), y, games, tol=1e-5, max_iter=50, longest=longest)
        there = found_at(found.x, tol)
        return there._replace(converged=there.converged and found.converged)


def _within(slope: Floats, y: Floats, low: Floats | float, high: Floats | float) -> Floats:
    """The gradient of a loss, without what leads out of the bounds."""
    return np.where(y <= low, slope.clip(None, 0), np.where(y >= high, slope.clip(0), slope))
