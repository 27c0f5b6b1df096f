"""The ranking machine on all pairs, eq. (9) of [SwappedPairs] with loss Δ_SP, by the shared Newton method.

Two things make it fast. First, the sum of very many hinges is nearly smooth. So with many items the hinges
are not smoothed (δ = 0), and the second derivatives are those of some of the items, from the pairs near
their corners. Second, a sample of the items, itself started from a sample if it is large, gives a start. With
few items, or if these steps make no progress, the hinges are smoothed. If the rows are nearly separable,
that fails too, and the pairs get shares of their own (`multipliers`).
"""

import numpy as np

from podium.comparisons.arrays import Floats
from podium.numerics.descent import LBFGS, Derivatives
from podium.numerics.kernels.kernel import dense
from podium.numerics.result import Bounds, SolverResult
from podium.numerics.smoothed_newton import (
    FIRST,
    STUCK,
    Loss,
    Point,
    Start,
    smoothed_newton,
    solve_by_conjugate_gradients,
    warm_start,
)
from podium.numerics.threads import one_blas_thread
from podium.ordered.swapped.multipliers import MOST_ITEMS, solve_by_multipliers
from podium.ordered.swapped.problem import MARGIN, SwappedPairs

# Items from which hinges are not smoothed at first; rounding took 1.3 to 2.7 times as long.
SMOOTH_FROM = 500
SMOOTH_STEPS = 8  # steps with hinges that are not smoothed; if they do not converge, rounding does
SMOOTHING = 0.2  # smoothing width of the pairs that give the second derivatives of hinges with corners
# Items whose pairs give the second derivatives; if there are more, a sample. The gradient is exact, so errors
# of the sample only cost steps. With 8,192 items, 20,000 sparse rows took 1.5 times as long.
HESSIAN_ITEMS = 4_096
DENSE_FEATURES = 1_000  # above, the equations of a step are solved by conjugate gradients without forming H
ROUGH = 0.01  # the gap to which the sample is solved; 0.1 took 1.2 times as long at 1M items
# Share of the objective at w = 0 below which multipliers are used; rounding took 2 to 8 times as long.
SEPARABLE = 0.1
SAMPLE = 4_000  # items that give a start, plus two per feature, or an eighth of all items if that is more
FEW_NUMBERS = 2_000_000  # entries of the features up to which one thread of BLAS is faster than several


def fit_swapped_newton(
    problem: SwappedPairs,
    tol: float = 1e-3,
    max_iter: int = 1_000,
    random_state: np.random.RandomState | None = None,
    dense_features: int = DENSE_FEATURES,
) -> SolverResult:
    """Solve to a relative duality gap ``tol``.

    ``details`` holds the ``primal`` and ``dual`` values and the final smoothing ``width``, 0
    if the hinges were not smoothed.
    """
    n, d = problem.X.shape
    pairs = AllPairs(problem, random_state or np.random.RandomState(0), dense_features=dense_features)
    with one_blas_thread(min(n, HESSIAN_ITEMS) * d <= FEW_NUMBERS):
        return _solved(pairs, Bounds(tol, max_iter))


def _solved(pairs: "AllPairs", bounds: Bounds) -> SolverResult:
    n, d = pairs.problem.X.shape
    # Conjugate gradients would be slow.
    by_rows = n <= d and d > pairs.dense_features and pairs.can_be_formed()
    smooth = n >= SMOOTH_FROM and not by_rows
    start = warm_start(pairs, Start(np.zeros(d), np.empty(0), 0.0), bounds.tol, ROUGH)
    point = _finished(pairs, bounds, start if smooth else start._replace(width=FIRST))
    return bounds.result("newton", width=point.width)


def _finished(pairs: "AllPairs", bounds: Bounds, start: Start) -> Point:
    """Close the gap. If hinges that are not smoothed (a smoothing width of 0) make no progress, smooth them.

    Rounding fails if almost no pair is violated at the optimum. Then multipliers are used, if pairs are few.
    It also fails if features have very different scales: the errors of second derivatives from a sample of
    items are then too large for the dual. So in the end all items give them.
    """
    if start.width == 0.0:
        point = smoothed_newton(pairs, bounds, start, SMOOTH_STEPS)
        if bounds.done:
            return point
        start = Start(bounds.solution, np.empty(0), SMOOTHING / 2)
    if pairs.can_be_formed():
        if not pairs.nearly_separable(bounds.primal):
            point = smoothed_newton(pairs, bounds, start, STUCK)
        if not (np.isfinite(bounds.primal) and bounds.done):
            point = solve_by_multipliers(pairs.problem, bounds)
        if bounds.done:
            return point
        start = Start(bounds.solution, np.empty(0), SMOOTHING / 2)
    point = smoothed_newton(pairs, bounds, start, STUCK)
    if bounds.done:
        return point
    pairs.estimated = False
    return smoothed_newton(pairs, bounds, start._replace(w=bounds.solution))


class AllPairs:
    """All pairs of the items, which are the rows."""

    def __init__(
        self, problem: SwappedPairs, rng: np.random.RandomState, dense_features: int = DENSE_FEATURES
    ) -> None:
        self.problem, self.rng, self.dense_features = problem, rng, dense_features
        self.estimated = True  # whether a sample of items may give the second derivatives
        self.factored: Factored | None = None

    def scores(self, w: Floats) -> Floats:
        return self.problem.scores(w)

    def transpose_times(self, alpha: Floats) -> Floats:
        return self.problem.transpose_times(alpha)

    def loss(self, score: Floats, width: float, offsets: Floats) -> Loss:
        return self.problem.loss(score, self.problem.items.violations(score, MARGIN, width), width)

    def direction(self, point: Point) -> Floats:
        if self.problem.X.shape[1] > self.dense_features:
            return -solve_by_conjugate_gradients(
                lambda q: q + times_curvature(self.problem, point.score, point.width, q), point.gradient
            )
        if self.factored is None or point.width > 0:
            self.factored = Factored(self.second_derivatives(point))
        return self.factored.direction(point.w, point.gradient)

    def second_derivatives(self, point: Point) -> Floats:
        """H from all items, or from a sample of them."""
        problem, score, width = self.problem, point.score, point.width
        if self.estimated and len(score) > HESSIAN_ITEMS:
            rows = problem.items.sample(HESSIAN_ITEMS, self.rng)
            part = problem.sample(rows)
            if part.items.n_pairs > 0:
                problem, score, width = part, score[rows], max(width, SMOOTHING)
        return curvature(problem, score, width)

    def part(self) -> "AllPairs | None":
        """A sample of the items; None if it would be more than half of them."""
        n, d = self.problem.X.shape
        size = max(SAMPLE + 2 * d, n // 8)
        if size > n // 2:
            return None
        part = self.problem.sample(self.problem.items.sample(size, self.rng))
        return AllPairs(part, self.rng, self.dense_features) if part.items.n_pairs > 0 else None

    def can_be_formed(self) -> bool:
        """Whether the items are so few that their pairs can be formed."""
        return len(self.problem.items) <= MOST_ITEMS

    def nearly_separable(self, objective: float) -> bool:
        """Whether some w puts almost all pairs in order, as far as the best ``objective`` so far tells."""
        n, d = self.problem.X.shape
        at_zero = 100.0 * self.problem.C  # every pair is swapped, and ξ is a percentage
        return bool(n <= d or objective < SEPARABLE * at_zero)


class Factored:
    """R'R = I + H, for several steps. Limited-memory BFGS in the coordinates R w corrects the errors of H."""

    def __init__(self, H: Floats) -> None:
        self.R, self.memory, self.ones = _root(np.eye(len(H)) + H), LBFGS(), np.ones(len(H))
        self.last: tuple[Floats, Floats] | None = None

    def direction(self, w: Floats, gradient: Floats) -> Floats:
        """Newton's direction at w, which also learns how the gradient has changed with the last step."""
        if self.last is not None:
            step, change = w - self.last[0], gradient - self.last[1]
            self.memory.learn(self.R @ step, self._solved(change, transposed=True))
        self.last = w, gradient
        there = self._solved(gradient, transposed=True)
        return self._solved(self.memory(there, Derivatives(there, self.ones)), transposed=False)

    def _solved(self, b: Floats, transposed: bool) -> Floats:
        from scipy.linalg.lapack import dtrtrs  # scipy's wrapper takes longer than a small system

        return np.asarray(dtrtrs(self.R, b, trans=transposed)[0])


def _root(H: Floats) -> Floats:
    """R with R'R = H, factored after scaling the features; a ridge is added if rounding makes it fail."""
    from scipy.linalg.lapack import dpotrf

    scale = np.sqrt(np.diagonal(H))
    scaled, ridge = H / scale / scale[:, None], 0.0
    while True:
        R, failed = dpotrf(scaled, lower=0, clean=1)
        if not failed:
            return np.asarray(R * scale)
        ridge = max(100 * ridge, 1e-14)
        scaled[np.diag_indices_from(scaled)] += ridge


def curvature(problem: SwappedPairs, score: Floats, width: float, at_once: int = 8 * FEW_NUMBERS) -> Floats:
    """H, the second derivatives of the loss."""
    (n, d), width = problem.X.shape, _window(score, width)
    step = max(1, at_once // n)  # columns of 128 MB
    columns = (dense(problem.X[:, k : k + step]) for k in range(0, d, step))
    H = np.hstack([problem.X.T @ problem.items.laplacian(score, MARGIN, width, part) for part in columns])
    return np.asarray(2.0 * problem.unit / width * H)


def times_curvature(problem: SwappedPairs, score: Floats, width: float, q: Floats) -> Floats:
    """H times a vector, from all pairs."""
    width = _window(score, width)
    spread = problem.items.laplacian(score, MARGIN, width, 0.5 * problem.scores(q)[:, None])[:, 0]
    return (problem.unit / width) * problem.transpose_times(spread)


def _window(score: Floats, width: float) -> float:
    """The window of pairs that give H. If all scores are equal, none is near its corner; then take all."""
    return (width or SMOOTHING) if np.ptp(score) > 0 else 2.0 * MARGIN
