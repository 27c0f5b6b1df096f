"""Second derivatives of the paired likelihood, for Newton's steps and for the covariance of the estimate.

The likelihood does not change if all skills of a rank group are multiplied by the same factor, so its
second derivatives H are singular. Adding γ v vᵀ with v not orthogonal to 1 repairs that and changes nothing
else: for a right-hand side orthogonal to 1, the solution of (H + γ v vᵀ) x = g also solves H x = g. Without
a prior, v selects the best known item of the group, which keeps the errors of hardly known items out of
those of the others. With a prior μ, choosing γ = μ k and v = the shares of skill turns the prior's part
μ k (diag v - v vᵀ) into a diagonal. With a normal prior H is not singular.
"""

from typing import Any, NamedTuple

import numpy as np

from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Codes, Floats
from podium.core.linear import (
    ONCE,
    PER_STEP,
    RESIDUAL,
    Bordered,
    Cholesky,
    Curvature,
    Elimination,
    Iterative,
    by_diagonal,
    factorized,
    mirrored,
)
from podium.core.pair_pass import CROSS, PAIR_CURVATURE
from podium.numerics.compiled import njit
from podium.numerics.descent import Derivatives
from podium.numerics.threads import over_rows

# Matrices are dense if more than this share of all pairs met: a dense factorization costs more operations, a
# sparse one costs more time per operation.
DENSE_SHARE = 0.05


class PairTerms(NamedTuple):
    """What every pair contributes to the second derivatives, or to the covariance of the gradient."""

    curvature: Floats  # by the difference of its sides
    cross: Floats  # by that difference and the parameters of ties and grades, one row each
    tie: Floats  # by these parameters, summed over all pairs
    held: Floats | float = 0.0  # by the difference of the skills, in the pseudo-games of the local prior


class Information(NamedTuple):
    """The second derivatives by the skills, by the skills and the rest (``border``), and by the rest.

    ``skills`` is sparse, or dense with only its upper triangle valid.
    """

    skills: Any
    border: Floats
    corner: Floats

    def times(self, v: Floats) -> Floats:
        """The whole matrix times a vector or the columns of a matrix; a dense ``skills`` must be whole."""
        k = len(self.border)
        skills, rest = v[:k], v[k:]
        return np.concatenate(
            [self.skills @ skills + self.border @ rest, self.border.T @ skills + self.corner @ rest]
        )


def information(problem: PairedProblem, x: Floats, terms: PairTerms | None = None) -> Information:
    """Second derivatives at x without the prior of the skills, which `regular` adds.

    With teams it is the expected information (Gauss–Newton), which is never indefinite.
    """
    found = blocks(problem, x, pair_terms(problem, x) if terms is None else terms)
    if problem.ridge is not None:
        at = problem.n_link  # the terms have the ridge of the tie parameter
        found.corner[at:, at:] += np.diag(problem.ridge[at:])
    if problem.normal is None or not problem.n_features:
        return found
    X, precision, at = problem.normal.features, problem.normal.scale**-2, problem.n_link
    features = slice(at, at + problem.n_features)
    found.border[:, features] = -precision * X
    found.corner[features, features] += precision * (X.T @ X)
    return found


def observed(problem: PairedProblem, x: Floats) -> Information:
    """The second derivatives that errors come from; they differ from `information` with teams only.

    The log strength log q of a team is not linear in its members. Its second derivatives diag(j) - j jᵀ, with
    the members' shares j, enter with the slope by log q. If the result is not positive definite, which
    rounding or an early stop may cause, or if a factorization takes too long, the expected information is
    used.
    """
    found = information(problem, x)
    if problem.teams is None:
        return found
    from scipy.sparse import diags_array

    members, gradient = jacobian(problem, x), problem.side_gradient(x)
    curved = found.skills + diags_array(members.T @ gradient) - members.T @ diags_array(gradient) @ members
    try:
        factor = factorized(regular(problem, x, curved.tocsr()))
    except np.linalg.LinAlgError:
        return found
    return found if factor is None else found._replace(skills=curved.tocsr())


def blocks(
    problem: PairedProblem, x: Floats, terms: PairTerms, dense_share: float = DENSE_SHARE
) -> Information:
    """The terms of all pairs, summed for every two free parameters; x matters only with teams."""
    counts, k = problem.counts, problem.n_items
    curvature, cross = terms.curvature + terms.held, terms.cross
    m = problem.n_link
    by_tie = np.array([counts.net_by_side(row) for row in cross]).reshape(m, counts.n_sides).T
    by_effects, of_effects, with_tie = _effect_blocks(problem, terms)
    between = np.zeros((counts.n_sides, problem.n_features))
    border = np.hstack([by_tie, between, by_effects])
    corner = np.zeros((border.shape[1], border.shape[1]))
    corner[:m, :m] = terms.tie
    if n := problem.n_effects:
        corner[-n:, -n:] = of_effects
        corner[:m, -n:], corner[-n:, :m] = with_tie.T, with_tie
    is_full = dense_share * k * k < 2 * len(curvature) + k and k**3 / 3 <= ONCE
    dense = is_full and problem.teams is None
    laplacian = (_upper_laplacian if dense else _laplacian)(
        counts.first, counts.partner, curvature, counts.n_sides
    )
    if problem.teams is not None:
        members = jacobian(problem, x)
        laplacian, border = (members.T @ laplacian @ members).tocsr(), members.T @ border
    border[problem.known.at] = 0.0
    laplacian = problem.known.cut_off(laplacian)
    return Information(laplacian, border, corner)


def _effect_blocks(problem: PairedProblem, terms: PairTerms) -> tuple[Floats, Floats, Floats]:
    """The blocks of the effects: with the sides, with each other, and with the tie parameter."""
    counts, design = problem.counts, np.ascontiguousarray(problem.design)
    columns = (counts.indptr, counts.partner, design, terms.curvature)
    parts = over_rows(counts.indptr, lambda start, end: _sum_effects(*columns, start, end))
    by_sides, of_effects = (np.sum(part, axis=0) for part in zip(*parts, strict=True))
    return by_sides, of_effects, design.T @ terms.cross.T


def pair_terms(problem: PairedProblem, x: Floats, here: Derivatives | None = None) -> PairTerms:
    """The second derivatives of all pairs, in one pass unless the derivatives at x have them."""
    held = 0.0 if problem.pseudo is None else pair_terms(problem.pseudo, x[: problem.n_items]).curvature
    if problem.graded is not None:
        link = problem.parts(x).link
        curvature, cross, by_link = link.information(problem.differences(x), problem.by_grade)
        ridge = np.zeros(problem.n_link) if problem.ridge is None else problem.ridge[: problem.n_link]
        return PairTerms(curvature, cross, by_link + np.diag(ridge), held)
    if here is None or here.terms is None:
        here = problem.derivatives(x, problem.no_terms())
    terms = here.terms
    assert terms is not None
    tie = np.diag(here.curvature[problem.n_items : problem.n_items + problem.n_link])
    return PairTerms(terms[PAIR_CURVATURE], terms[CROSS : CROSS + problem.n_link], tie, held)


def regular(problem: PairedProblem, x: Floats, skills: Any) -> Any:
    """The block of the skills made regular, as explained at the head of this file.

    A dense matrix is changed in place.
    """
    if problem.normal is not None:
        extra = np.full(problem.n_items, problem.normal.scale**-2)
    else:
        share, weight = problem.shares(x)
        extra = weight * share
        diagonal = skills.diagonal()
        by_group = np.lexsort((-diagonal, problem.rank_group))
        reference = by_group[np.unique(problem.rank_group[by_group], return_index=True)[1]]
        has_scale = (problem.prior > 0) | problem.known.measured(problem.rank_group)
        loose = reference[~has_scale[reference]]
        extra[loose] += np.maximum(diagonal[loose], 1e-12)
    return with_diagonal(skills, extra)


def with_diagonal(matrix: Any, extra: Floats) -> Any:
    """The matrix plus a diagonal; a dense matrix is changed in place."""
    if isinstance(matrix, np.ndarray):
        matrix[np.diag_indices_from(matrix)] += extra
        return matrix
    from scipy.sparse import diags_array

    return (matrix + diags_array(extra)).tocsr()


def whole(matrix: Any) -> Any:
    """The complete matrix; of an array only the upper triangle is read."""
    return mirrored(matrix) if isinstance(matrix, np.ndarray) else matrix


class Curved:
    """The second derivatives at a point, for Newton's method; the order of elimination is found only once."""

    def __init__(self, problem: PairedProblem, per_step: float = PER_STEP) -> None:
        self.problem, self.per_step = problem, per_step
        self.plans: list[Elimination | None] = []

    def __call__(self, x: Floats, here: Derivatives, extra: Floats, rtol: float) -> Curvature:
        k = self.problem.n_items
        skills, border, corner = information(self.problem, x, pair_terms(self.problem, x, here))
        matrix = with_diagonal(regular(self.problem, x, skills), extra[:k])
        corner = corner + np.diag(extra[k:])
        self.plans = self.plans or [Elimination.of(matrix, self.per_step)]
        if self.plans[0] is None:
            return _iterative(Information(matrix, border, corner), rtol, rough=True)
        return Bordered(self.plans[0].factorize(matrix), border, corner)


def exactly(problem: PairedProblem, x: Floats) -> Bordered[Cholesky] | None:
    """The factorized second derivatives that errors come from; None if they take too long.

    Without teams there are draws, which take less than a second; of teams they are rougher.
    """
    skills, border, corner = observed(problem, x)
    factor = factorized(regular(problem, x, skills), PER_STEP if problem.teams is None else ONCE)
    return None if factor is None else Bordered(factor, border, corner)


def solver_of(problem: PairedProblem, x: Floats, found: Information) -> Curvature:
    """A factorization if it is affordable, else conjugate gradients in as many steps as they need."""
    skills, border, corner = found
    matrix = regular(problem, x, skills)
    factor = factorized(matrix)
    if factor is not None:
        return Bordered(factor, border, corner)
    return _iterative(Information(matrix, border, corner), RESIDUAL)


def _iterative(matrix: Information, rtol: float, *, rough: bool = False) -> Iterative:
    matrix = matrix._replace(skills=whole(matrix.skills))
    diagonal = np.append(matrix.skills.diagonal(), np.diag(matrix.corner))
    return Iterative(matrix.times, by_diagonal(diagonal), rtol, rough=rough)


def _upper_laplacian(first: Any, partner: Any, weights: Floats, n: int) -> Floats:
    place = np.minimum(first, partner) * np.int64(n) + np.maximum(first, partner)
    upper = np.asarray(np.bincount(place, weights, n * n), dtype=np.float64).reshape(n, n)
    np.negative(upper, out=upper)
    upper[np.diag_indices(n)] = -upper.sum(axis=0) - upper.sum(axis=1)
    return upper


def _laplacian(first: Any, partner: Any, weights: Floats, n: int) -> Any:
    from scipy.sparse import coo_array, diags_array

    off = coo_array((-weights, (first, partner)), shape=(n, n)).tocsr()
    diagonal = np.bincount(first, weights, n) + np.bincount(partner, weights, n)
    return (off + off.T + diags_array(diagonal)).tocsr()


@njit(cache=True, nogil=True)
def _sum_effects(indptr, partner, design, curvature, start, end):  # type: ignore[no-untyped-def]
    """Over some rows: curvature · e, summed by side (from the first to the partner), and curvature · e eᵀ."""
    q = design.shape[1]
    by_side, square = np.zeros((len(indptr) - 1, q)), np.zeros((q, q))
    for i in range(start, end):
        for e in range(indptr[i], indptr[i + 1]):
            j = partner[e]
            for a in range(q):
                value = curvature[e] * design[e, a]
                by_side[i, a] -= value
                by_side[j, a] += value
                for b in range(a + 1):
                    square[a, b] += value * design[e, b]
    for a in range(q):
        for b in range(a):
            square[b, a] = square[a, b]
    return by_side, square


def jacobian(problem: PairedProblem, x: Floats) -> Any:
    """The derivative of log team strengths by the log-skills of members: J = diag(1/q) M diag(p)."""
    from scipy.sparse import diags_array

    theta = x[: problem.n_items]
    p = np.exp(theta - theta.mean())
    return diags_array(1 / (problem.teams @ p)) @ problem.teams @ diags_array(p)


def difference_slopes(
    problem: PairedProblem, x: Floats, left: Codes, right: Codes, design: Floats | None
) -> Any:
    """The derivatives of the differences of comparisons by all parameters (sparse), one row each."""
    from scipy.sparse import csr_array, hstack

    n = len(left)
    ends = (np.tile([-1.0, 1.0], n), np.column_stack([left, right]).ravel(), 2 * np.arange(n + 1))
    skills = csr_array(ends, shape=(n, problem.counts.n_sides))
    if problem.teams is not None:
        skills = skills @ jacobian(problem, x)
    others = np.zeros((n, problem.size - problem.n_items))
    others[:, others.shape[1] - problem.n_effects :] = -1.0 if design is None else design
    return hstack([skills, csr_array(others)], format="csr")


def score_rows(problem: PairedProblem, slopes: Any, by_difference: Floats, by_tie: Floats) -> Any:
    """The gradients of log-probabilities (sparse), one row each.

    They follow from the derivatives by the difference, with its slopes (which are overwritten), and by the
    tie parameter.
    """
    from scipy.sparse import csr_array

    slopes.data *= np.repeat(by_difference, np.diff(slopes.indptr))
    if not (m := problem.n_link):
        return slopes
    by_tie = by_tie.reshape(m, -1)
    at = np.tile(problem.n_items + np.arange(m), by_tie.shape[1])
    return slopes + csr_array((by_tie.T.ravel(), at, np.arange(0, len(at) + 1, m)), shape=slopes.shape)
