"""The leaderboard of a frozen fit."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Floats, Index
from podium.comparisons.messages import quoted
from podium.leaderboard.board import ELO_UNIT, NO_RANK, RANKS, SCALES, CovariateEffect, OrderEffect
from podium.leaderboard.leaderboard import Leaderboard
from podium.numerics.parameters import is_number
from podium.skill.anytime import METHOD, check_anytime
from podium.skill.bootstrap import Bootstrap
from podium.skill.certainty import anytime_width, certain_order, quantile
from podium.skill.fit import SkillFit
from podium.skill.joint import Certain
from podium.skill.prediction import positions

ELO_MEAN = 1500.0
FLAT = 3.0  # items whose log-skill has a larger standard error get no rank; a single lost game gives about 3
NAMED = 3  # items that a note names
EQUAL = 1e-9  # log-skills that differ by no more share a place; this is what solvers reach


@dataclass(frozen=True)
class Intervals:
    """How intervals are made: their level, the bootstrap they come from, whether they hold at every look."""

    fit: SkillFit
    level: float
    bootstrap: Bootstrap | None
    anytime: bool

    def ends(self, value: Floats, error: Floats, samples: Floats | None) -> tuple[Floats, Floats]:
        """Lower and upper bounds: quantiles of the samples if there are any, or else from the errors."""
        if samples is not None:
            low, high = np.quantile(samples, [(1 - self.level) / 2, (1 + self.level) / 2], axis=0)
            return low, high
        if self.anytime:
            half = anytime_width(error, self.level)
        else:
            half = quantile(self.level, self.fit.degrees) * error
        return value - half, value + half

    def certain_order(self, keep: NDArray[np.int64], together: bool) -> Certain:
        """How many of the items to keep are certainly better, and certainly worse, than each."""
        if self.bootstrap is not None:
            return self.bootstrap.certain_order(self.level, keep, together)
        return certain_order(self.fit, self.level, keep, together, anytime=self.anytime)


def standings(
    fit: SkillFit,
    level: float,
    scale: Any,
    anchor: Any,
    min_games: float,
    bootstrap: Bootstrap | None,
    ranks: Any,
    anytime: bool = False,
) -> Leaderboard:
    """The leaderboard of the items with enough games, best score first."""
    _check(fit, scale, bootstrap, ranks, anytime)
    how, record = Intervals(fit, level, bootstrap, anytime), fit.record
    keep = np.flatnonzero(record["games"] >= min_games)
    place, at = _anchor(fit, anchor, scale)
    order = how.certain_order(keep, ranks == "simultaneous")  # first: its covariance also has the errors
    flat, component = is_hardly_known(fit)[keep], fit.component[keep]
    rank_low = 1 + order.better
    rank, best_first = _places(fit.log_skill[keep], component, flat, rank_low)
    shown = np.bincount(component)[component]
    low, high = _bounds(fit, place, how)
    few = fit.few_groups if bootstrap is None else ()
    scores = [_on_scale(values, fit, scale, place, at) for values in (fit.log_skill, low, high)]
    rows = keep[best_first]
    columns: dict[str, Any] = {name: values[rows] for name, values in record.items()}
    columns |= dict(zip(("score", "low", "high"), (values[rows] for values in scores), strict=True))
    return Leaderboard(
        rank=rank[best_first],
        item=fit.items[rows],
        **columns,
        rank_low=np.where(flat, NO_RANK, rank_low)[best_first],
        rank_high=np.where(flat, NO_RANK, shown - order.worse)[best_first],
        component=fit.component[rows].astype(np.int64),
        scale=scale,
        level=level,
        ranks=ranks,
        notes=(*fit.notes, *fit.remarks, *few, *_hardly_known(fit.items[keep[flat]])),
        order_effect=_order_effect(fit, scale, how),
        covariate_effects=_covariate_effects(fit, scale, how),
        method=_method(fit, how),
    )


def _places(theta: Floats, component: Codes, flat: NDArray[np.bool_], best: Index) -> tuple[Index, Index]:
    """The place of each item in its component, and the order of the board, best first.

    Items that are hardly known have no place, unless they are certainly better than others: no place is above
    ``best``, 1 + the number of items that are certainly better. Equal items share one, and keep their order
    although one of them is better in the last digit.
    """
    by_skill = np.lexsort((-theta, component))
    new = (np.diff(component[by_skill], prepend=-1) != 0) | (
        np.diff(-theta[by_skill], prepend=-np.inf) > EQUAL
    )
    level = np.empty(len(theta), dtype=np.int64)
    level[by_skill] = np.cumsum(new)
    best_first = np.lexsort((np.arange(len(theta)), level))
    known = best_first[~flat[best_first]]
    place = np.full(len(theta), NO_RANK)
    first_equal, first = (np.searchsorted(part[known], part[known]) for part in (level, component))
    place[known] = 1 + first_equal - first
    for part in np.split(known, np.flatnonzero(np.diff(component[known])) + 1):
        place[part] += np.maximum.accumulate(np.maximum(best[part] - place[part], 0))
    return place, best_first


def _check(fit: SkillFit, scale: Any, bootstrap: Bootstrap | None, ranks: Any, anytime: bool) -> None:
    """Raise an error if there is no such leaderboard."""
    if ranks not in RANKS:
        raise ValueError(f"ranks must be one of {', '.join(map(repr, RANKS))}, not {ranks!r}")
    if scale not in SCALES:
        raise ValueError(f"scale must be 'elo', 'log' or 'skill', not {scale!r}")
    if bootstrap is not None and not np.array_equal(bootstrap.items, fit.items):
        raise ValueError("the bootstrap has other items than this model; use a bootstrap of this model")
    if anytime:
        check_anytime(fit, bootstrap)


def _anchor(fit: SkillFit, anchor: Any, scale: str) -> tuple[int | None, float]:
    """The position of the anchor, and its score."""
    usual = {"elo": ELO_MEAN, "log": 0.0, "skill": 1.0}[scale]
    if anchor is None:
        return None, usual
    if isinstance(anchor, dict | list | set) or (isinstance(anchor, tuple) and len(anchor) != 2):
        raise ValueError(f"anchor must be an item, or a tuple of an item and its score, not {anchor!r}")
    if isinstance(anchor, tuple):
        item, score = anchor
        if not is_number(score) or not np.isfinite(score):
            raise ValueError(f"the score of the anchor must be a finite number, not {score!r}")
        if scale == "skill" and not score > 0:
            raise ValueError(f"on the scale 'skill' the score of the anchor must be above 0, not {score!r}")
        return int(positions(fit.items, [item])[0]), float(score)
    return int(positions(fit.items, [anchor])[0]), usual


def _on_scale(theta: Floats, fit: SkillFit, scale: str, place: int | None, at: float) -> Floats:
    """Log-skill on the given scale; in the component of the anchor, relative to the anchor."""
    anchored = np.zeros(len(theta), dtype=bool)
    base = 0.0
    if place is not None:
        anchored = fit.component == fit.component[place]
        base = float(fit.log_skill[place])
    with np.errstate(over="ignore"):
        if scale == "skill":
            share = np.exp(theta - (0.0 if fit.scale_text else np.logaddexp.reduce(fit.log_skill)))
            return np.where(anchored, at * np.exp(theta - base), share)
        unit, mean = (ELO_UNIT, ELO_MEAN) if scale == "elo" else (1.0, 0.0)
        return np.where(anchored, at + unit * (theta - base), mean + unit * theta)


def _bounds(fit: SkillFit, place: int | None, how: Intervals) -> tuple[Floats, Floats]:
    """Lower and upper bounds of log-skill; in the component of the anchor, with the anchor held fixed."""
    theta = fit.log_skill
    anchored = np.zeros(len(theta), dtype=bool) if place is None else fit.component == fit.component[place]
    if how.bootstrap is not None:
        samples = how.bootstrap.samples
        if place is not None:
            shift = np.where(anchored, samples[:, [place]] - theta[place], 0.0)
            samples = samples - shift
        return how.ends(theta, np.zeros_like(theta), samples)
    variance = fit.standard_error**2
    if place is not None:
        variance = np.where(anchored, fit.joint.variances_to(place), variance)
    return how.ends(theta, np.sqrt(variance), None)


def is_hardly_known(fit: SkillFit) -> NDArray[np.bool_]:
    """Whether the error of the difference to the mean of all others in the component is above `FLAT`.

    The error of items that only won or only lost says how strong the local prior is, so it does not matter.
    """
    size, seen = np.bincount(fit.component)[fit.component], fit.record
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = fit.standard_error * size / (size - 1)
    one_sided = fit.local & (seen["ties"] == 0) & (np.minimum(seen["wins"], seen["losses"]) == 0)
    return np.asarray(((apart > FLAT) | one_sided) & (not np.isinf(fit.tie)))


def _hardly_known(items: NDArray[Any]) -> tuple[str, ...]:
    """A note about items whose likelihood is so flat that a normal interval means little."""
    if not len(items):
        return ()
    names = ", ".join(map(quoted, items[:NAMED])) + (", ..." if len(items) > NAMED else "")
    return (
        f"hardly anything is known about {names}: there is no rank, and the interval is unreliable; add "
        "comparisons, use a bootstrap or set a prior",
    )


def _order_effect(fit: SkillFit, scale: str, how: Intervals) -> OrderEffect | None:
    """The advantage of the left side on the scale of the scores; with "skill", a factor of the odds."""
    if not fit.has_order_effect:
        return None
    samples = None if how.bootstrap is None else how.bootstrap.order_effect
    error = float(fit.errors_of(np.array([-1]))[0]) if samples is None else np.nan
    return OrderEffect(*_effect(fit.order_effect, error, samples, scale, how))


def _covariate_effects(fit: SkillFit, scale: str, how: Intervals) -> tuple[CovariateEffect, ...]:
    """What ``per`` units more of each covariate are worth; covariates that were left out are not listed."""
    found, drawn = [], None if how.bootstrap is None else how.bootstrap.covariate_effect
    for place, (name, per, value, error) in enumerate(fit.covariate_effects):
        samples = per * drawn[:, place] if drawn is not None and drawn.size else None
        if not np.isnan(value):
            ends = _effect(per * value, per * error, samples, scale, how)
            found.append(CovariateEffect(name, per, *ends))
    return tuple(found)


def _effect(value: float, error: float, samples: Floats | None, scale: str, how: Intervals) -> list[float]:
    """An effect on the log-odds with its interval, on the scale of the scores."""
    ends = np.array([value, *how.ends(np.array(value), np.array(error), samples)])
    with np.errstate(over="ignore"):
        found = np.exp(ends) if scale == "skill" else ends * (ELO_UNIT if scale == "elo" else 1.0)
    return [float(end) for end in found]


def _method(fit: SkillFit, how: Intervals) -> tuple[str, ...]:
    """Where intervals and weights come from, if not from the default."""
    drawn = "" if how.bootstrap is None else f"intervals: {len(how.bootstrap):,} bootstrap replicates"
    lines = (fit.scale_text, drawn or fit.error_text, fit.weight_text, METHOD if how.anytime else "")
    return tuple(line for line in lines if line)
