"""The model without some groups of comparisons, and how uncertain its predictions about a group are.

Without a group, the parameters have the covariance V = (W⁻¹ - H)⁻¹, where W is the covariance of the fit to
all comparisons and H is the information in the group. To first order, a sum over the group with gradient g
varies by gᵀ V g more than it would if the parameters were known. To second order, the log loss of the group
exceeds its expectation by eᵀ H e, where e is the error of the parameters: the model is too sure of what it
learned from chance. This has the mean tr(H V) and the variance 2 tr(H V H V).
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.errors.covariance import exact_covariance
from podium.bradley_terry.errors.information import score_rows
from podium.bradley_terry.fitted import PairedFit
from podium.bradley_terry.refit import refitter
from podium.bradley_terry.resample import replicate_of_groups
from podium.comparisons.arrays import Codes, Floats
from podium.comparisons.table import Comparisons
from podium.core.links import outcome_probabilities, scores
from podium.numerics.compiled import njit
from podium.skill.prediction import differences

TOL = 1e-9  # the relative gradient at which a refit stops
LEAST_LEFT = 0.05  # this share of the information of a group is kept, so that V stays finite

# The relative error of the added log loss; in simulations with few votes tr(H V) was too small by 5 to 13 %.
CORRECTION_ERROR = 0.2


class LeftOut(NamedTuple):
    """The fit to the other groups, their share of ties, whether it needed a prior, or stopped early."""

    fit: PairedFit
    tie_share: float
    with_prior: bool
    early: bool


def fitter_without(fit: PairedFit) -> Callable[[Codes], LeftOut]:
    """A function that returns the fit without some groups."""
    problem, k = fit.problem, fit.problem.n_items
    refit = refitter(problem, fit.solution, fit.items, TOL)
    results_of, n_groups = replicate_of_groups(fit)

    def without(groups: Codes) -> LeftOut:
        rest = results_of((~np.isin(np.arange(n_groups), groups)).astype(np.float64))
        found, with_prior, early = refit(rest)
        found = problem.centred(found)
        # If the others never tied, they count as if they had half a tie.
        share = max(rest.ties.sum(), 0.5) / (rest.total.sum() + 0.5)
        if problem.free_tie and not rest.ties.any():  # as in `PairedProblem.start`
            ratio = 2 * share / (1 - share)
            found[k] = np.log1p(ratio) if problem.rao_kupper else np.log(ratio)
        others = replace(fit, solution=found, tie=problem.tie(found, fit.ties))
        return LeftOut(others, share, with_prior, early)

    return without


# ------------------------------------------------------------------------------------ errors


class Errors:
    """What the estimation of the parameters adds to sums over comparisons that are left out.

    ``fit`` was made without the rows that are ``out``; a row counts ``times``. ``usual`` has the
    probabilities of the outcomes averaged over the errors of the differences, by a Gaussian rule with three
    points. Without this, the sums would seem to vary too little: a model of few comparisons is too sure.
    """

    def __init__(self, fit: PairedFit, c: Comparisons, times: Floats, out: NDArray[np.bool_]) -> None:
        from scipy.sparse import kron

        predicted, slopes = differences(fit, c), fit.difference_slopes(c)
        p = outcome_probabilities(predicted, fit.link)
        by_difference, by_tie = (np.ravel(score.T) for score in scores(predicted, fit.link))
        thrice = kron(slopes, np.ones((3, 1)), format="csr")  # a row for every outcome
        self.gradients = score_rows(fit.problem, thrice, by_difference, by_tie)
        self.times, self.expected, self.out = times, (times[:, None] * p).ravel(), out
        self.exact = len(fit.items) <= fit.exact_items
        self.covariance = exact_covariance(fit.problem, fit.solution) if self.exact else _variances(fit)
        if out.any() and self.exact:
            gone = self.gradients[np.repeat(out, 3)]
            information = gone.T @ (gone * self.expected[np.repeat(out, 3), None])
            self.covariance = _without(self.covariance, information.toarray())
        elif out.any():  # errors of many parameters count as independent
            self.covariance = self.covariance / (1 - out.mean())
        deviation = np.sqrt(3 * row_variances(slopes, self.covariance))
        ends = (outcome_probabilities(predicted + off, fit.link) for off in (deviation, -deviation))
        self.usual = (sum(ends) + 4 * p) / 6

    def of_sums(self, rows: slice, sums: list[Floats]) -> tuple[Floats, float]:
        """The added variance of each sum over ``rows``, and the added log loss.

        A sum has a table: what each row adds to it, for each of the three outcomes. The first sum is the log
        loss.
        """
        g, expected = self.gradients, self.expected[3 * rows.start : 3 * rows.stop]
        indptr = g.indptr[3 * rows.start : 3 * rows.stop + 1]
        values = np.array([table.ravel() for table in sums])
        used, gradient, information = _collect(indptr, g.indices, g.data, values, expected, g.shape[1])
        if self.exact:
            covariance = _without(self.covariance[np.ix_(used, used)], information)
        else:
            share = (rows.stop - rows.start) / (~self.out).sum()
            covariance = np.diag(self.covariance[used] / (1 - share))
        variance, form = ((gradient @ covariance) * gradient).sum(axis=1), information @ covariance
        log_loss = float(np.trace(form))
        variance[0] += 2 * (form * form.T).sum() + (CORRECTION_ERROR * log_loss) ** 2
        return variance, log_loss


def _without(covariance: Floats, information: Floats) -> Floats:
    """The covariance of some parameters without comparisons that have this information."""
    left = np.eye(len(covariance)) - (1 - LEAST_LEFT) * covariance @ information
    return np.asarray(np.linalg.solve(left, covariance))


@njit(cache=True, nogil=True)
def _collect(indptr, indices, data, values, weight, n_parameters):  # type: ignore[no-untyped-def]
    """The parameters that occur in some sparse rows, the gradients of the sums, and the information."""
    place = np.full(n_parameters, -1)
    for e in range(indptr[0], indptr[-1]):
        place[indices[e]] = 0
    used = np.flatnonzero(place == 0)
    place[used] = np.arange(len(used))
    gradient, information = np.zeros((len(values), len(used))), np.zeros((len(used), len(used)))
    for row in range(len(indptr) - 1):
        for e in range(indptr[row], indptr[row + 1]):
            a, own = place[indices[e]], weight[row] * data[e]
            for k in range(len(values)):
                gradient[k, a] += own * values[k, row]
            for f in range(indptr[row], indptr[row + 1]):
                information[a, place[indices[f]]] += own * data[f]
    return used, gradient, information


def row_variances(design: Any, covariance: Floats) -> Floats:
    """The variance of each difference; ``covariance`` may be only the variances."""
    if covariance.ndim == 1:
        return np.asarray(design.power(2) @ covariance)
    return np.asarray(_quadratic_forms(design.indptr, design.indices, design.data, covariance))


@njit(cache=True, nogil=True)
def _quadratic_forms(indptr, indices, data, matrix):  # type: ignore[no-untyped-def]
    """For each sparse row z, z @ matrix @ z."""
    out = np.zeros(len(indptr) - 1)
    for row in range(len(out)):
        for e in range(indptr[row], indptr[row + 1]):
            for f in range(indptr[row], indptr[row + 1]):
                out[row] += data[e] * data[f] * matrix[indices[e], indices[f]]
        out[row] = max(out[row], 0.0)
    return out


def _variances(fit: PairedFit) -> Floats:
    """The variance of every parameter of a large fit."""
    k = len(fit.items)
    units = (np.eye(1, len(fit.solution), place)[0] for place in range(k, len(fit.solution)))
    return np.concatenate([fit.variances(), [fit.variance_of(unit) for unit in units]])
