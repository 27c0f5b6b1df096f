"""The exact game LMPG*: eq. (3) of [PreferenceGame], the hard-margin machine over preferences.

    V = min_p  p'Kp   where p ≥ 0 and Σ p = 1,   K = K_z + diag(ridge)

p is the strategy of the player who picks preferences, w = Σ p_a z_a is the answer of the other player, and √V
is the margin. With v = p / V this is min ½ v'Kv - Σ v where v ≥ 0, whose free variables solve K v = 1.

Method: play the game over a working set, which is the support of p and the preferences outside it with the
smallest margins f = Kp. Only kernel rows of working sets are computed. Projected Newton steps [Bertsekas
1982] solve a working set, with a Cholesky factor of the variables v that are above 0 or would grow. A step
goes towards the solution of K v = 1 for them and is cut at 0, so that whole blocks enter and leave at once.
If the factor does not exist (dependent preferences, V near 0) or the steps make little progress, Wolfe's
algorithm takes over: it always works, but moves one point at a time. If the support is too large for a
factor, `proximal_newton` takes over.
"""

from typing import NamedTuple

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.game.certificate import End, relative_gap
from podium.game.kernel import GameKernel, Products
from podium.game.min_norm import min_norm_point
from podium.game.proximal import proximal_newton
from podium.numerics.result import SolverResult
from podium.numerics.threads import one_blas_thread

FIRST = 256  # preferences in the first working set; with 64, scikit-learn's digits take 1.4 times as long
PATIENCE = 5  # stop after this many working sets without a lower value: only rounding errors are left
FEW, NEAR = 64, 4.0  # if fewer margins are below the value, take the next ones up to NEAR times the value
NEWTON_STEPS = 30  # Newton steps in a working set before Wolfe's algorithm takes over
SMALL_PIVOT = 1e-11  # pivots below this share of K_aa are rounding errors, so the factor is not used
HALVINGS = 12  # a step that does not lower the objective or the gap is halved this often


class Limits(NamedTuple):
    """Where products with K replace its Cholesky factor."""

    large: int = 4096  # the largest support with a factor
    products: int = 200  # with K, which together cost as much as a factor
    few_products: int = 1_500  # enough for a narrow kernel or a ridge; factors suit an ill conditioned K


LIMITS = Limits()


@one_blas_thread()  # on a busy machine, threads that wait for each other are slower than one
def solve_game(
    kernel: GameKernel, *, tol: float, max_iter: int, start: Positions | None = None, limits: Limits = LIMITS
) -> SolverResult:
    """The optimal strategy over the preferences; ``start`` holds those of the first working set."""
    work = _first(kernel) if start is None or not len(start) else start
    K = kernel.block(work, work)
    K[np.diag_indices_from(K)] += kernel.ridge[work]
    p = np.zeros(len(work))
    products = Products(kernel)
    history: list[float] = []
    wolfe, best, stalled, largest = False, np.inf, 0, _largest(kernel, limits)
    while True:
        p, wolfe = _play(K, p, tol, wolfe)
        keep = np.flatnonzero(p > 0)
        support, p, K = work[keep], p[keep], K[np.ix_(keep, keep)]
        f = products.margins(support, p)
        end = End(kernel, support, p, f, tol)
        history.append(end.gap)
        stalled = 0 if end.value < best else stalled + 1
        best = min(best, end.value)
        if end.reached or stalled == PATIENCE or len(history) >= max_iter:
            name = "active set with Wolfe's algorithm" if wolfe else "active set"
            return end.result(name, history, max_iter)
        fresh = _worst(f, end.value, support)
        if not len(fresh):
            return end.result("active set", history, max_iter)
        if len(support) > largest:
            result = _solve_large(products, end, history, max_iter, limits)
            if result.converged or len(support) > limits.large:
                return result
            largest = limits.large
        work, K = _extended(kernel, support, fresh, K)
        p = np.concatenate([p, np.zeros(len(fresh))])


def _largest(kernel: GameKernel, limits: Limits) -> float:
    """The largest support for which factors take less time than products with all preferences."""
    product = len(kernel.asked[0]) ** 2 * (kernel.n_labels - 1)
    return float(min(limits.large, np.cbrt(limits.products * product)))


def _solve_large(
    products: Products, end: End, history: list[float], max_iter: int, limits: Limits
) -> SolverResult:
    """Continue with all preferences at once; with few products if a factor is still an alternative."""
    p, gaps = proximal_newton(
        products,
        end.strategy,
        end.value,
        tol=end.tol,
        max_iter=max_iter - len(history),
        most_products=limits.few_products if len(end.support) <= limits.large else None,
    )
    end = End.of(end.kernel, p, end.tol)
    return end.result("active set with conjugate gradients", history + gaps, max_iter)


def _first(kernel: GameKernel) -> Positions:
    """The shortest z of each pair of labels; they lie near the point of least norm."""
    diagonal = kernel.diagonal
    order = np.lexsort([diagonal, kernel.worse, kernel.better])
    pair = kernel.better[order] * kernel.n_labels + kernel.worse[order]
    begins = np.flatnonzero(np.diff(pair, prepend=-1))
    each = max(FIRST // len(begins), 2)
    place = np.arange(len(order)) - np.repeat(begins, np.diff(np.append(begins, len(order))))
    return np.sort(order[place < each])


def _worst(f: Floats, value: float, support: Positions) -> Positions:
    """The preferences outside the support with the smallest margins, half as many as the support has.

    If fewer have a margin below the value, some with margins just above it are added: they often come next.
    """
    outside = f < value
    outside[support] = False
    n_below = np.count_nonzero(outside)
    if 0 < n_below < FEW:
        outside = f < NEAR * value
        outside[support] = False
    found = np.flatnonzero(outside)
    count = FEW if n_below < FEW else max(FIRST, len(support) // 2)
    return found if len(found) <= count else found[np.argpartition(f[found], count)[:count]]


def _extended(
    kernel: GameKernel, support: Positions, fresh: Positions, K: Floats
) -> tuple[Positions, Floats]:
    """The enlarged working set and its matrix; only the new rows are computed."""
    old, work = len(support), np.concatenate([support, fresh])
    larger = np.empty((len(work), len(work)))
    larger[:old, :old] = K
    larger[old:] = kernel.block(fresh, work)
    larger[:old, old:] = larger[old:, :old].T
    larger[np.arange(old, len(work)), np.arange(old, len(work))] += kernel.ridge[fresh]
    return work, larger


def _play(K: Floats, p: Floats, tol: float, wolfe: bool) -> tuple[Floats, bool]:
    """The optimal strategy over a working set, and whether Wolfe's algorithm was needed."""
    if not wolfe:
        p, solved = _projected_newton(K, p, tol)
        if solved:
            return p, False
    return min_norm_point(K, p, tol=tol), True


# ------------------------------------------------------------------------------------ Newton steps


class Point(NamedTuple):
    """v and K v, with the objective and the relative gap of the game there."""

    v: Floats
    f: Floats

    @property
    def height(self) -> float:
        return float(self.v @ (0.5 * self.f - 1.0))

    @property
    def gap(self) -> float:
        return relative_gap(float(self.v @ self.f), float(self.f.min()) * float(self.v.sum()))


def _projected_newton(K: Floats, p: Floats, tol: float) -> tuple[Floats, bool]:
    """Start from p; return the strategy, and whether it reached the gap ``tol``."""
    f = K @ p
    square = float(p @ f)
    here = Point(p / square, f / square) if square > 0 else Point(p, f)
    for _ in range(NEWTON_STEPS):
        free = np.flatnonzero((here.v > 0) | (here.f < 1.0))
        step = _solve(K, free, 1.0 - here.f[free])
        there = None if step is None else _descend(K, here, free, step)
        if there is None:
            break
        here = there
        if here.gap <= tol:
            return here.v / here.v.sum(), True
    total = float(here.v.sum())
    return (here.v / total if total > 0 else p), False


def _solve(K: Floats, free: Positions, right: Floats) -> Floats | None:
    """The x with K x = right for the free variables; None if K is singular to rounding."""
    from scipy.linalg.lapack import dpotrf, dpotrs  # scipy's wrappers take longer than small matrices

    part = K if len(free) == len(K) else K[np.ix_(free, free)]
    factor, failed = dpotrf(part.T, lower=1, clean=0)
    if failed or np.any(np.diagonal(factor) ** 2 <= SMALL_PIVOT * np.diagonal(part)):
        return None
    return np.asarray(dpotrs(factor, right, lower=1)[0])


def _descend(K: Floats, here: Point, free: Positions, step: Floats) -> Point | None:
    """The longest of the steps 1, ½, ¼ …, cut at 0, that lowers the objective or the gap."""
    length = 1.0
    for _ in range(HALVINGS):
        v = np.zeros_like(here.v)
        v[free] = np.maximum(here.v[free] + length * step, 0.0)
        there = Point(v, K @ v)
        if there.height < here.height or there.gap < here.gap:
            return there
        length /= 2
    return None
