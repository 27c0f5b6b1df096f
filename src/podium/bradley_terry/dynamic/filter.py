"""The filter: what was known before each game, in one pass through time.

Each mover has a normal distribution. At every moment, the distributions of all movers that take part grow
to that moment, all games of the moment are predicted from them, and then one joint Laplace step updates them:

    the mode of   Σ_g mass_g log P(outcome_g | d_g) + Σ_i log N(x_i; mean_i, variance_i)

and the diagonal of the inverse of the Hessian there. The Hessian leaves out the curvature of the strengths of
teams, so it is positive definite. Games of one moment do not know each other, and their order does not
matter. Between moments the movers count as independent; this is the approximation of the filter.

The mode is found by Newton's method with conjugate gradients. The variances come from belief propagation,
which is exact if the games of the moment form no cycle. If they form one and have at most `DENSE` movers,
the variances come from the inverse.
"""

from typing import NamedTuple, Self

import numpy as np

from podium.bradley_terry.dynamic.games import Entries, Games, linearise, losses
from podium.bradley_terry.dynamic.motion import Motion
from podium.comparisons.arrays import Floats
from podium.core.links import Link, mean_outcomes
from podium.numerics.compiled import njit

DENSE = 32
SMALLEST = 1e-30  # variance: below it, skills are known to rounding
MOST_STEPS, SMALL_STEP = 50, 1e-6  # a Newton step below SMALL_STEP is the last: it squares the error
CG_TOL, MOST_CG = 1e-3, 1000  # of a step; the last step is below SMALL_STEP, so the mode is good to 1e-9
ROUNDS, SETTLED = 30, 1e-8  # of belief propagation


class Beliefs(NamedTuple):
    """The mean and variance of every mover at ``when``, the time of its last game; nan if it has none."""

    mean: Floats
    variance: Floats
    when: Floats

    @classmethod
    def none(cls, motion: Motion) -> Self:
        """Before any game."""
        n = motion.n_movers
        return cls(np.zeros(n), motion.first_spread**2, np.full(n, np.nan))

    def with_new(self, motion: Motion) -> Self:
        """A copy, and the beliefs before any game of the movers that are new."""
        n, every = len(self.mean), zip(self, self.none(motion), strict=True)
        return type(self)(*(np.append(known, none[n:]) for known, none in every))


class Forward(NamedTuple):
    """The probabilities of all games before they were played, and the beliefs after the last one."""

    probability: Floats
    beliefs: Beliefs


def forward(games: Games, motion: Motion, link: Link, beliefs: Beliefs | None = None) -> Forward:
    """Pass through the games, from these beliefs or from none; unknown movers are new."""
    now = Beliefs.none(motion) if beliefs is None else beliefs.with_new(motion)
    facts = (games.outcome, games.mass, games.starts, games.when)
    return Forward(_forward(games.at(games.mover), facts, now, motion.rates, link), now)


def predict(games: Games, mean: Floats, variance: Floats, link: Link) -> tuple[Floats, Floats]:
    """The probabilities and differences of the games, if every entry has its own mean and variance."""
    table = np.empty((len(games), 3))
    return table, np.asarray(_predict(games.at(np.arange(len(mean))), mean, variance, link, table))


def one_step_loss(games: Games, probability: Floats, *, half: bool) -> float:
    """Minus the sum of the log-probabilities of what happened; with ``half`` a tie is half a win of each."""
    with np.errstate(divide="ignore"):
        log = np.log(probability)
    chosen = np.take_along_axis(log, games.outcome[:, None].astype(np.intp) + 1, axis=1)[:, 0]
    if half:
        chosen = np.where(games.outcome == 0, 0.5 * (log[:, 0] + log[:, 2]), chosen)
    return float(-games.mass @ chosen)


@njit(cache=True, nogil=True)
def _forward(rows, facts, beliefs, rates, link):  # type: ignore[no-untyped-def]
    indptr, right, effects, mover, coefficient = rows
    outcome, mass, starts, when = facts
    mean, variance, last = beliefs
    table = np.empty((len(outcome), 3))
    local = np.full(len(mean), -1)  # the place of a mover among those of the moment
    for moment in range(len(when)):
        begin, end = starts[moment], starts[moment + 1]
        if begin == end:
            continue
        members, place = _gather(mover[indptr[begin] : indptr[end]], local)
        _grow(members, when[moment], mean, variance, last, rates)
        games = Entries(
            indptr[begin : end + 1] - indptr[begin],
            right[begin:end] - indptr[begin],
            effects[begin:end] - indptr[begin],
            place,
            coefficient[indptr[begin] : indptr[end]],
        )
        m, v = mean[members], variance[members]
        _predict(games, m, v, link, table[begin:end])
        x, slopes, weight = _mode(games, outcome[begin:end], mass[begin:end], m, v, link)
        spread = _variances(games, slopes, weight, v)
        for i in range(len(members)):  # unlike an assignment of arrays, it compiles quickly
            mean[members[i]], variance[members[i]], local[members[i]] = x[i], spread[i], -1
    return table


@njit(cache=True, nogil=True)
def _gather(entries, local):  # type: ignore[no-untyped-def]
    """The movers that take part, each once, and the place of every entry among them."""
    members, place, n = np.empty_like(entries), np.empty_like(entries), 0
    for e in range(len(entries)):
        if local[entries[e]] < 0:
            local[entries[e]], members[n] = n, entries[e]
            n += 1
        place[e] = local[entries[e]]
    return members[:n], place


@njit(cache=True, nogil=True)
def _grow(members, now, mean, variance, last, rates):  # type: ignore[no-untyped-def]
    """Move beliefs to the present moment."""
    drift, reversion = rates
    for i in members:
        gap = now - last[i]
        if gap > 0.0:  # False for a mover that has not played
            rho = reversion[i]
            lasting = -np.expm1(-2.0 * rho * gap) / (2.0 * rho) if rho > 0.0 else gap
            phi = np.exp(-rho * gap)
            mean[i] *= phi
            variance[i] = max(phi * phi * variance[i] + drift[i] * drift[i] * lasting, SMALLEST)
        last[i] = now


@njit(cache=True, nogil=True)
def _predict(games, m, v, link, table):  # type: ignore[no-untyped-def]
    """Fill the table with the mean probabilities of the outcomes; returns the differences."""
    tie, rao_kupper = link
    slopes, d, error = np.empty(len(games.place)), np.empty(len(table)), np.zeros(len(table))
    linearise(games, m, slopes, d)
    for g in range(len(d)):
        for e in range(games.indptr[g], games.indptr[g + 1]):
            error[g] += slopes[e] * slopes[e] * v[games.place[e]]
        error[g] = np.sqrt(error[g])
    mean_outcomes(d, error, tie, rao_kupper, table)
    return d


@njit(cache=True, nogil=True)
def _mode(games, outcome, mass, m, v, link):  # type: ignore[no-untyped-def]
    """The joint mode, by Newton's method, and the games linearised there: slopes and weights."""
    n_games = len(outcome)
    x, slopes, d = m.copy(), np.empty(len(games.place)), np.empty(n_games)
    slope, weight = np.empty(n_games), np.empty(n_games)
    value = _evaluate(games, outcome, mass, x, m, v, link, slopes, d, slope, weight)
    for _ in range(MOST_STEPS):
        start, step = x, _step(games, slopes, slope, weight, x, m, v)
        scale, before = 1.0, value
        for _ in range(MOST_STEPS):
            x = start + scale * step
            value = _evaluate(games, outcome, mass, x, m, v, link, slopes, d, slope, weight)
            if value <= before + 1e-12 * abs(before):
                break
            scale *= 0.5
        if np.abs(step).max() < SMALL_STEP:
            break
    return x, slopes, weight


@njit(cache=True, nogil=True)
def _evaluate(games, outcome, mass, x, m, v, link, slopes, d, slope, weight):  # type: ignore[no-untyped-def]
    """Minus the log-posterior at x; writes the differences and the slopes and weights of the games."""
    linearise(games, x, slopes, d)
    total = 0.0
    for i in range(len(x)):
        total += 0.5 * (x[i] - m[i]) ** 2 / v[i]
    return total + losses(d, outcome, mass, link, slope, weight)


@njit(cache=True, nogil=True)
def _add_product(games, slopes, weight, x, out):  # type: ignore[no-untyped-def]
    """Add A' W A x to out."""
    indptr, place = games.indptr, games.place
    for g in range(len(weight)):
        total = 0.0
        for e in range(indptr[g], indptr[g + 1]):
            total += slopes[e] * x[place[e]]
        total *= weight[g]
        for e in range(indptr[g], indptr[g + 1]):
            out[place[e]] += slopes[e] * total


@njit(cache=True, nogil=True)
def _step(games, slopes, slope, weight, x, m, v):  # type: ignore[no-untyped-def]
    """Newton's step, (V⁻¹ + A' W A)⁻¹ times minus the gradient, by conjugate gradients with the diagonal."""
    residual, scale = (m - x) / v, 1.0 / v
    for g in range(len(weight)):
        for e in range(games.indptr[g], games.indptr[g + 1]):
            residual[games.place[e]] -= slopes[e] * slope[g]
            scale[games.place[e]] += slopes[e] * slopes[e] * weight[g]
    step, p = np.zeros_like(v), residual / scale
    rho = (residual * p).sum()
    enough = CG_TOL**2 * rho
    for _ in range(MOST_CG):
        if rho <= enough:
            break
        product = p / v
        _add_product(games, slopes, weight, p, product)
        length, old = rho / (p * product).sum(), rho
        step += length * p
        residual -= length * product
        rho = (residual * residual / scale).sum()
        p = residual / scale + rho / old * p
    return step


@njit(cache=True, nogil=True)
def _variances(games, slopes, weight, v):  # type: ignore[no-untyped-def]
    """The diagonal of (V⁻¹ + A' W A)⁻¹."""
    if len(v) > DENSE or _is_forest(games, len(v)):
        return _propagated(games, slopes, weight, v)
    matrix = np.diag(1.0 / v)
    for i in range(len(v)):
        unit = np.zeros(len(v))
        unit[i] = 1.0
        _add_product(games, slopes, weight, unit, matrix[i])
    return np.diag(np.linalg.inv(matrix)).copy()


@njit(cache=True, nogil=True)
def _is_forest(games, n):  # type: ignore[no-untyped-def]
    """Whether nobody plays twice, and the games share at most one effect: then they form no cycle."""
    indptr, _, effects, place, _ = games
    seen, n_effects = np.zeros(n, np.bool_), 0
    for g in range(len(effects)):
        for e in range(indptr[g], effects[g]):
            if seen[place[e]]:
                return False
            seen[place[e]] = True
        n_effects = max(n_effects, indptr[g + 1] - effects[g])
    return n_effects <= 1


@njit(cache=True, nogil=True)
def _propagated(games, slopes, weight, v):  # type: ignore[no-untyped-def]
    """Belief propagation: every game tells each of its movers a precision that depends on the others'."""
    indptr, place = games.indptr, games.place
    reported, precision = np.zeros(len(place)), 1.0 / v
    for _ in range(ROUNDS):
        change = 0.0
        for g in range(len(weight)):
            noise = 0.0
            for e in range(indptr[g], indptr[g + 1]):
                noise += slopes[e] * slopes[e] / (precision[place[e]] - reported[e])
            for e in range(indptr[g], indptr[g + 1]):
                own = slopes[e] * slopes[e] / (precision[place[e]] - reported[e])
                new = weight[g] * slopes[e] * slopes[e] / (1.0 + weight[g] * (noise - own))
                change = max(change, abs(new - reported[e]) / precision[place[e]])
                precision[place[e]] += new - reported[e]
                reported[e] = new
        if change < SETTLED:
            break
    return 1.0 / precision
