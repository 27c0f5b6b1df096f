"""The marginal likelihood m of skills, effects and spreads, with the effects of the judges integrated out.

With ``prior=0`` it is maximised over the point x and the spreads σ. With normal skills the skills are
integrated too, by Laplace's method: m(x, σ) - |r|²/2s² - ½ log det(s² I + 1), where I is Louis' information
about r, is maximised over s and σ, and x maximises m(x, σ) - |r|²/2s². A maximum over x of the latter, and
over σ of m, would collapse: sharpness undoes any penalty on r for free.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.judge_effects.nodes import Integrals, integrate, louis, product_rule
from podium.bradley_terry.judge_effects.votes import Votes
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Floats
from podium.numerics.descent import LBFGS, Derivatives, Descent, descend
from podium.numerics.threads import over_rows

LEAST, MOST = 0.03, 5.0  # spreads that stand for 0, and for any larger one
STEP = 0.35  # of log σ; far from the nodes an integral means nothing


def penalty_of(sigma: Floats) -> float:
    """What the spread of sharpness costs under "auto": it is half-normal with the scale ½."""
    return float(2 * sigma[0] ** 2)


class Found(NamedTuple):
    """The maximum over x, or over x and σ: where it is, and what it is; an effect left out has σ = 0."""

    x: Floats
    sigma: Floats
    scale: float
    criterion: float
    integrals: Integrals
    report: Descent


@dataclass(frozen=True, eq=False)
class Marginal:
    """m as a function of x and σ, for some of the three effects; ``mode`` has the last modes.

    Under "auto" the spread of sharpness is ``penalised``.
    """

    votes: Votes
    problem: PairedProblem
    log_tie: float
    active: NDArray[np.bool_]
    mode: Floats
    penalised: bool

    @property
    def n_nodes(self) -> int:
        """Per dimension: the more, the fewer votes judges have, and as many as take little time."""
        usual, n, k = np.median(self.votes.votes), len(self.votes.home), self.active.sum()
        needed = 7 if usual < 20 else 5 if usual < 100 else 3
        return max(needed, *(nodes for nodes in (3, 5, 7, 9, 13) if n * nodes**k <= 500_000), 3)

    def at(self, x: Floats, sigma: Floats) -> Integrals:
        """The integrals over judges at a point."""
        rows, (grid, share) = self.votes.rows(x, self.log_tie), product_rule(self.n_nodes, self.active)
        n, judges = len(rows.home), self.votes.n_judges
        sizes: Any = (n, n, judges, judges, (judges, len(grid), 3), (judges, len(grid)))
        fixed = (rows, sigma, grid, share, self.mode, out := Integrals(*map(np.empty, sizes)))
        over_rows(rows.start, lambda *part: integrate(*fixed, *part), 20_000)
        return out

    def louis(self, x: Floats, out: Integrals) -> tuple[Floats, Floats]:
        """The information about x given σ, and the sum of the squared gradients of the judges."""
        rows, tie = self.votes.rows(x, self.log_tie), int(self.problem.free_tie)
        fixed = (rows, self.votes.places, self.votes.z, tie, len(x), out)
        parts = over_rows(rows.start, lambda *part: louis(*fixed, *part), 20_000)
        information, squares = (np.sum(each, axis=0) for each in zip(*parts, strict=True))
        return information, squares

    def precision(self, scale: float) -> Floats:
        """What priors add to the information."""
        k, ridge = self.problem.n_items, self.problem.ridge
        return np.append(np.full(k, scale**-2.0), np.zeros(self.problem.size - k) if ridge is None else ridge)

    def inverse(self, information: Floats, scale: float) -> Floats:
        """The inverse of the information with priors; log-skills may move together only if s is finite."""
        group, whole = self.problem.rank_group, information + np.diag(self.precision(scale))
        if np.isinf(scale):
            whole[: len(group), : len(group)] += np.equal.outer(group, group) * np.diag(information).max()
        return np.asarray(np.linalg.pinv(whole, hermitian=True) if np.isinf(scale) else np.linalg.inv(whole))

    # ------------------------------------------------------------------------------------ the maximum over x

    def climb(self, x: Floats, sigma: Floats, tol: float, scale: float = np.inf, free: bool = True) -> Found:
        """The maximum over x and, if they are free, the spreads."""
        moving, n = np.flatnonzero(self.active & free), len(x)
        prior, judges, low, high = self.precision(scale), self.votes.n_judges, np.log(LEAST), np.log(MOST)
        games, y = np.append(self.problem.scale(), 0 * moving + judges), np.append(x, np.log(sigma[moving]))

        def at(y: Floats) -> tuple[Floats, Integrals]:
            full = sigma * self.active
            full[moving] = np.exp(y[n:].clip(low, high))
            return full, self.at(y[:n], full)

        def derivatives_at(y: Floats) -> Derivatives:
            full, out = at(y)
            slope = self.votes.gradient(out.by_delta, out.by_eta, out.by_tie.sum()) - prior * y[:n]
            second = np.einsum("jq,jqk->k", out.weight, out.node[:, :, moving] ** 2)
            penalty = self.penalised * (moving == 0) * 4 * full[moving] ** 2
            by_sigma = judges + penalty - second / full[moving] ** 2
            outwards = (y[n:] <= low) & (by_sigma > 0) | (y[n:] >= high) & (by_sigma < 0)
            return Derivatives(np.append(-slope, np.where(outwards, 0.0, by_sigma)), games)

        def longest(y: Floats, d: Floats) -> float:
            return 1.0 / float(max(np.abs(d[n:]).max(initial=1e-300) / STEP, np.abs(d[:n]).max() / 3, 1e-300))

        for goal in (1e-3, tol) if free else (tol,):  # the second time with the curvature near the maximum
            full, out = at(y)
            mean = np.einsum("jq,jqk->jk", out.weight, out.node[:, :, moving])
            known = (mean**2).sum(axis=0) / full[moving] ** 2
            inverse = np.zeros((len(y), len(y)))
            inverse[:n, :n] = self.inverse(self.louis(y[:n], out)[0], scale)
            inverse[range(n, len(y)), range(n, len(y))] = 0.5 / known.clip(0.02 * judges)
            rule = LBFGS(20, inverse.__matmul__)
            report = descend(derivatives_at, rule, y, games, tol=goal, max_iter=200, longest=longest)
            y = report.x
        full, out = at(y)
        penalty = self.penalised * penalty_of(full) + float(prior @ y[:n] ** 2) / 2
        x = self.problem.centred(y[:n]) if np.isinf(scale) else y[:n]
        return Found(x, full, scale, float(out.log_marginal.sum()) - penalty, out, report)

    # ------------------------------------------------------------------------------------ normal skills

    def integrated(self, x: Floats, sigma: Floats, scale: float, tol: float) -> Found:
        """The maximum over x with normal skills of a given scale and given spreads."""
        found, k = self.climb(x, sigma, tol, scale, free=False), self.problem.n_items
        skills = scale**2 * self.louis(found.x, found.integrals)[0][:k, :k]
        return found._replace(criterion=found.criterion - np.linalg.slogdet(skills + np.eye(k))[1] / 2)

    def climb_normal(self, x: Floats, sigma: Floats, scale: float, tol: float) -> Found:
        """The maximum over s and the spreads of the marginal likelihood whose skills are integrated, too."""
        moving, last = np.flatnonzero(self.active), [x]
        low, high = np.log(LEAST), np.log(np.append(4 * MOST, 0 * moving + MOST))

        def found_at(y: Floats, tol: float = 1e-7) -> Found:
            y, full = y.clip(low, high), sigma * self.active
            full[moving] = np.exp(y[1:])
            found = self.integrated(last[0], full, float(np.exp(y[0])), tol)
            last[0] = found.x
            return found

        def derivatives_at(y: Floats, step: float = 1e-3) -> Derivatives:
            moves, y = step * np.eye(len(y)), y.clip(low, high)
            slope = [found_at(y - move).criterion - found_at(y + move).criterion for move in moves]
            outwards = (y <= low) & (np.array(slope) > 0) | (y >= high) & (np.array(slope) < 0)
            return Derivatives(np.where(outwards, 0.0, np.array(slope) / (2 * step)), games / 2)

        def longest(y: Floats, d: Floats) -> float:
            return float(STEP / np.abs(d).max(initial=1e-300))

        games = np.append(self.problem.n_items, 0 * moving + self.votes.n_judges).astype(np.float64)
        y = np.log(np.append(scale, sigma[moving])).clip(low, high)
        report = descend(derivatives_at, LBFGS(), y, games, tol=1e-5, max_iter=50, longest=longest)
        there = found_at(report.x, tol)
        return there._replace(report=there.report._replace(converged=report.converged))
