"""The parameters of a model that follows time, chosen on one-step-ahead predictions.

Each parameter has a range, on a linear or a logarithmic scale. The search starts from the parameters of the
model. It first tries a few values of each parameter in turn, and then refines all of them together with the
method of Nelder and Mead. Ratings and losses are smooth functions of these parameters, so this finds the
minimum to more digits than matter.
"""

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from podium.comparisons.arrays import Floats
from podium.comparisons.table import Comparisons
from podium.evaluation.forecasts import followed
from podium.evaluation.scoring import OfRows, check_outcomes, judge_forecasts
from podium.numerics.progress import Progress, progress_of
from podium.numerics.time_blocks import time_blocks

SWEEP = (0.1, 0.3, 0.5, 0.7, 0.9)  # shares of each range that are tried before the search
FIRST_STEP = 0.1  # of the search, as a share of each range
MOST_STEPS = 40  # per parameter
PRECISION, ENOUGH = 0.005, 1e-6  # the size of the simplex, in shares and in loss, at which the search ends
EVERY = np.zeros(1, dtype=np.intp)  # the only block


class Range(NamedTuple):
    """The values that a parameter may take, on a linear or a logarithmic scale."""

    low: float
    high: float
    log: bool = False

    def at(self, share: float) -> float:
        """The value at a share of the range, with four digits, so that it can be written down."""
        low, high = np.log([self.low, self.high]) if self.log else (self.low, self.high)
        value = low + share * (high - low)
        return float(f"{np.exp(value) if self.log else value:.4g}")

    def share(self, value: Any) -> float:
        """Where a value is in the range, from 0 to 1; in the middle if it is a word, such as "fide"."""
        if isinstance(value, str):
            return 0.5
        ends = np.array([self.low, np.clip(value, self.low, self.high), self.high])
        low, inside, high = np.log(ends) if self.log else ends
        return float((inside - low) / (high - low))


RANGES = {
    "k": Range(1, 300, log=True),
    "advantage": Range(-300, 300),
    "tie": Range(0.01, 20, log=True),
    "regression": Range(0, 1),
    "deviation": Range(5, 350, log=True),
    "growth": Range(0.1, 300, log=True),
    "volatility": Range(0.001, 1, log=True),
}


@dataclass(frozen=True)
class Tuned:
    """Parameters that predict best one step ahead.

    Attributes
    ----------
    model : estimator
        The model with these parameters, not fitted.
    chosen : dict of str to float
        The parameters that were tuned.
    score : str
        What they minimise: "log loss", or "score loss" if the model gives ties probability 0.
    loss : float
        Its value.
    n : int
        The number of comparisons that it was computed on.
    tried : int
        The number of settings that were tried.

    See Also
    --------
    tune_forward : choose parameters by forecasts
    """

    model: Any
    chosen: dict[str, float]
    score: str
    loss: float
    n: int
    tried: int


def tune_forward(
    model: Any,
    c: Comparisons,
    parameters: Iterable[str] | None = None,
    *,
    burn_in: float = 0.2,
    progress: bool | Progress = False,
) -> Tuned:
    """Choose the parameters of a model that follows time by its one-step-ahead predictions.

    Every row after the burn-in is predicted from strictly earlier rows. The parameters minimise the mean log
    loss of these predictions. If the model gives ties probability 0, and has no ``tie`` to tune, they
    minimise the score loss, the cross-entropy of the expected score.

    Parameters
    ----------
    model : estimator
        A model with a method ``before``, such as `podium.Elo` or `podium.Glicko`. It is cloned, not changed.
    c : Comparisons
        The comparisons, with outcomes.
    parameters : list of str, optional
        What to tune. By default k, advantage, tie, regression, deviation, growth and volatility, if the model
        has them and they have their default values. ``tie`` is tuned if there are ties, ``regression`` if the
        model has a season.
    burn_in : float, default=0.2
        The share of the rows, the first ones, whose predictions do not count, since all items are new.
    progress : bool or callable, default=False
        True shows a progress bar; a function is called with the number of settings tried and its maximum.

    Returns
    -------
    Tuned

    See Also
    --------
    Tuned : the result of tune_forward
    walk_forward : forecasts one step ahead

    Examples
    --------
    >>> import podium as pod
    >>> games = pod.datasets.load_chess_club()
    >>> tuned = pod.evaluation.tune_forward(pod.Elo(), games)
    >>> [name for name in tuned.chosen], tuned.score, round(tuned.loss, 3)
    (['k', 'advantage', 'tie'], 'log loss', 0.994)
    >>> elo = tuned.model.fit(games)
    """
    from sklearn.base import clone

    check_outcomes(c)
    if not hasattr(model, "before"):
        raise ValueError(f"a {type(model).__name__} does not follow time: it has no method 'before'")
    ranges = _ranges(model, c, parameters)
    early, late = _parts(c, burn_in)
    no_blocks = np.zeros(len(late), dtype=np.int64)

    def chosen(shares: Floats) -> dict[str, float]:
        return {name: ranges[name].at(share) for name, share in zip(ranges, shares, strict=True)}

    def scores(shares: Floats) -> dict[str, OfRows]:
        fitted = clone(model).set_params(**chosen(shares)).fit(early)
        return judge_forecasts(late, followed(fitted, late), no_blocks).scores

    start = np.array([ranges[name].share(getattr(model, name)) for name in ranges])
    first = scores(start)
    finite = np.isfinite(first["log loss"](EVERY)) or "score loss" not in first
    score = "log loss" if finite else "score loss"
    with progress_of(progress, "tuning") as report:
        best, loss, tried = _search(lambda shares: scores(shares)[score](EVERY), start, report)
    tuned = clone(model).set_params(**chosen(best))
    return Tuned(tuned, chosen(best), score, loss, len(late), tried)


def _parts(c: Comparisons, burn_in: float) -> tuple[Comparisons, Comparisons]:
    """The rows of the burn-in, and all later ones."""
    if not 0 < burn_in < 1:
        raise ValueError(f"burn_in is {burn_in:g}, where a number between 0 and 1 is expected")
    parts = time_blocks(c.time, len(c), 1, int(burn_in * len(c)))
    if not parts:
        raise ValueError("parameters are tuned on later rows, but no row is later than the first ones")
    [(early, late)] = parts
    return c[early], c[late]


def tunable(model: Any, c: Comparisons, given: Container[str] = ()) -> list[str]:
    """The parameters of a model that can be tuned on these comparisons, without those that are ``given``."""
    has = model.get_params(deep=False)
    useless = set() if c.outcome is not None and (c.outcome == 0).any() else {"tie"}
    useless |= {"regression"} if has.get("season") is None else set()
    return [name for name in RANGES if name in has and name not in useless and name not in given]


def _ranges(model: Any, c: Comparisons, parameters: Iterable[str] | None) -> dict[str, Range]:
    """The parameters to tune, and their ranges."""
    has = model.get_params(deep=False)
    if parameters is None:
        default = signature(type(model)).parameters
        parameters = tunable(model, c, [name for name in default if has[name] != default[name].default])
    able = [name for name in RANGES if name in has]
    found = {}
    for name in parameters:
        if name not in able:
            raise ValueError(f"'{name}' is not among the parameters that can be tuned, {', '.join(able)}")
        found[name] = RANGES[name]
    if not able:
        raise ValueError(f"a {type(model).__name__} has nothing to tune")
    if not found:
        raise ValueError(f"all parameters of {type(model).__name__} that could be tuned are set")
    if "deviation" in found and "max_deviation" in has:
        found["deviation"] = RANGES["deviation"]._replace(high=float(has["max_deviation"]))
    return found


def _search(
    loss: Callable[[Floats], float], start: Floats, report: Progress | None
) -> tuple[Floats, float, int]:
    """The best shares of the ranges, their loss and how many were tried: a sweep, then Nelder–Mead."""
    from scipy.optimize import minimize

    most, tried = (len(SWEEP) + MOST_STEPS) * len(start), 0

    def counted(shares: Floats) -> float:
        nonlocal tried
        tried += 1
        if report is not None:
            report(min(tried, most), most)
        return loss(shares)

    best = start
    for k in range(len(start)):
        moved = [np.where(np.arange(len(start)) == k, share, best) for share in (best[k], *SWEEP)]
        best = min(moved, key=counted)
    steps = np.where(best > 0.5, -FIRST_STEP, FIRST_STEP)
    options = {
        "initial_simplex": np.vstack([best, best + np.diag(steps)]),
        "maxfev": MOST_STEPS * len(start),
        "xatol": PRECISION,
        "fatol": ENOUGH,
    }
    found = minimize(counted, best, method="Nelder-Mead", bounds=[(0, 1)] * len(start), options=options)
    return found.x, float(found.fun), tried
