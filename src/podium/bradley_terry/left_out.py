"""The model without one group of comparisons, for each group in turn, and how uncertain its predictions are.

Without a group, the parameters have the covariance V = (W⁻¹ - H)⁻¹, where W is the covariance of the fit to all
comparisons and H is the information in the group. To first order, a sum over the group with gradient g varies by
gᵀ V g more than it would if the parameters were known. The log loss of the group is larger by tr(H V), because the
model fits the noise in the comparisons that it has seen.
"""

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.bootstrap.refit import careful_refit, quick_refit
from podium.bradley_terry.bootstrap.resample import Replicate, tables_by_group
from podium.bradley_terry.counts import ROUNDING
from podium.bradley_terry.errors.covariance import exact_covariance
from podium.bradley_terry.errors.information import jacobian
from podium.bradley_terry.fitted import EXACT_ITEMS, PairedFit
from podium.comparisons.arrays import Codes, Floats
from podium.comparisons.table import Comparisons
from podium.numerics.links import outcome_probabilities
from podium.numerics.result import NotConverged
from podium.skill.prediction import differences

TOL = 1e-9  # the relative gradient at which a refit stops
STEP = 1e-4  # of numerical derivatives of probabilities
HALF_A_TIE = 0.5  # if the others never tied, they count as if they had tied this often
LEAST_LEFT = 1e-3  # the share of the information that stays where V would be infinite


class LeftOut(NamedTuple):
    """The fit to all other groups, the share of ties among their comparisons, and whether it needed a prior."""

    fit: PairedFit
    tie_share: float
    with_prior: bool


def fits_without(fit: PairedFit, groups: Codes) -> Iterator[LeftOut]:
    """For each of these groups, the fit to all others."""
    problem, x = fit.problem, fit.solution
    refit = quick_refit(problem, x, TOL)
    tables = [table.tocsc() for table in tables_by_group(fit)]
    whole = [table.sum(axis=1) for table in tables]
    n_early = 0
    for group in groups:
        rest = _without(whole, tables, group)
        found, with_prior, early = refit(rest), False, False
        if found is None:
            found, with_prior, early = careful_refit(problem, x, rest, TOL)
        found, n_early = problem.centred(found), n_early + early
        share = max(rest.ties.sum(), HALF_A_TIE) / (rest.total.sum() + HALF_A_TIE)
        tie = problem.tie(found, fit.ties)
        if problem.free_tie and not rest.ties.any():  # the start of a fit with this share of ties
            ratio = 2 * share / (1 - share)
            tie = 1 + ratio if fit.ties == "rao-kupper" else ratio
        yield LeftOut(replace(fit, solution=found, tie=tie), share, with_prior)
    if n_early:
        message = f"{n_early:,} of the {len(groups):,} fits without a group stopped before they converged"
        warnings.warn(message, NotConverged, stacklevel=5)


def _without(whole: list[Floats], tables: list[Any], group: int) -> Replicate:
    """The results of all pairs without one group; rounding errors do not count as comparisons."""
    rest = [values.copy() for values in whole]
    for values, table in zip(rest, tables, strict=True):
        own = slice(table.indptr[group], table.indptr[group + 1])
        values[table.indices[own]] -= table.data[own]
        values[np.abs(values) <= ROUNDING * whole[0]] = 0.0
    return Replicate(*rest)


# ------------------------------------------------------------------------------------ errors


class Errors:
    """What the estimation of the parameters adds to sums over comparisons that are left out."""

    def __init__(self, fit: PairedFit, c: Comparisons) -> None:
        self.design = _design(fit, c)
        self.tie = fit.problem.n_items if fit.problem.free_tie else -1  # its column of the design
        self.exact = len(fit.items) <= EXACT_ITEMS
        self.covariance = exact_covariance(fit.problem, fit.solution) if self.exact else _variances(fit)

    def of_sums(
        self, without: PairedFit, d: Floats, times: Floats, sums: list[Floats], rows: slice
    ) -> tuple[Floats, float]:
        """The added variance of each sum, and the added log loss.

        ``without`` is the fit to all comparisons but ``rows``, which counts them ``times`` and predicts the
        differences ``d``. A sum has a table: what each row adds to it, for each of the three outcomes.
        """
        p = outcome_probabilities(d, without.ties, without.tie)
        slopes, used = self._slopes(without, d, rows)
        weight = times[:, None] * np.divide(1.0, p, out=np.zeros_like(p), where=p > 0)
        information = (slopes.T @ slopes.multiply(weight.T.reshape(-1, 1))).toarray()
        gradient = np.array([slopes.T @ (times[:, None] * values).T.ravel() for values in sums])
        covariance = self._without(information, used)
        return ((gradient @ covariance) * gradient).sum(axis=1), float((information * covariance).sum())

    def _slopes(self, without: PairedFit, d: Floats, rows: slice) -> tuple[Any, NDArray[np.int64]]:
        """The derivatives of the probabilities by the parameters that matter, and which parameters these are.

        Sparse; it has the rows for the first outcome, then those for the second and the third.
        """
        from scipy.sparse import csr_array

        start, end = self.design.indptr[[rows.start, rows.stop]]
        used, column = np.unique(self.design.indices[start:end], return_inverse=True)
        indptr = self.design.indptr[rows.start : rows.stop + 1] - start
        row = np.repeat(np.arange(len(d)), np.diff(indptr))
        by_difference, by_tie = _derivatives(without, d)
        slope = np.where((used == self.tie)[column, None], by_tie[row], by_difference[row])
        data = (self.design.data[start:end, None] * slope).T.ravel()
        whole = np.append(np.add.outer(np.arange(3) * indptr[-1], indptr[:-1]).ravel(), 3 * indptr[-1])
        return csr_array((data, np.tile(column, 3), whole), shape=(3 * len(d), len(used))), used

    def _without(self, information: Floats, used: NDArray[np.int64]) -> Floats:
        """The covariance of some parameters without a group that has this information about them."""
        if not self.exact:  # the errors count as independent, and no group determines much
            return np.diag(self.covariance[used])
        everyone = self.covariance[np.ix_(used, used)]
        left = (1 + LEAST_LEFT) * np.eye(len(used)) - everyone @ information
        return np.asarray(np.linalg.solve(left, everyone))


def _design(fit: PairedFit, c: Comparisons) -> Any:
    """The derivatives of the differences by the parameters, one row per comparison; 1 for the tie parameter."""
    from scipy.sparse import csr_array, eye_array, hstack

    problem, x = fit.problem, fit.solution
    sides = eye_array(problem.n_items, format="csr") if problem.teams is None else jacobian(problem, x).tocsr()
    skills = sides[fit.data.sides[c.right]] - sides[fit.data.sides[c.left]]
    others = [np.ones(len(c))] * problem.free_tie
    predicted = differences(fit, c)
    for place in range(problem.n_items + problem.free_tie, len(x)):  # differences are linear in all of these
        moved = x.copy()
        moved[place] += 1
        others.append(differences(replace(fit, solution=moved), c) - predicted)
    rest = csr_array(np.array(others).reshape(-1, len(c)).T)
    return hstack([skills, rest], format="csr")


def _variances(fit: PairedFit) -> Floats:
    """The variance of every parameter of a large fit."""
    k = len(fit.items)
    units = (np.eye(1, len(fit.solution), place)[0] for place in range(k, len(fit.solution)))
    return np.concatenate([fit.variances(), [fit.variance_of(unit) for unit in units]])


def _derivatives(fit: PairedFit, d: Floats) -> tuple[Floats, Floats]:
    """Of the probabilities, by the difference and by the logarithm of the tie parameter."""
    up, down = (outcome_probabilities(d + step, fit.ties, fit.tie) for step in (STEP, -STEP))
    more, fewer = (outcome_probabilities(d, fit.ties, fit.tie * np.exp(step)) for step in (STEP, -STEP))
    return (up - down) / (2 * STEP), (more - fewer) / (2 * STEP)
