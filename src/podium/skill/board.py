"""The leaderboard of a frozen fit."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.messages import quoted
from podium.leaderboard.board import ELO_UNIT, NO_RANK, RANKS, SCALES, CovariateEffect, OrderEffect
from podium.leaderboard.leaderboard import Leaderboard
from podium.numerics.parameters import is_number
from podium.skill.bootstrap import Bootstrap
from podium.skill.certainty import normal_quantile, shared_ranks
from podium.skill.fit import SkillFit
from podium.skill.prediction import positions

ELO_MEAN = 1500.0
FLAT = 3.0  # items whose log-skill has a larger standard error get no rank; a single lost game gives about 3
NAMED = 3  # items that a note names


def standings(
    fit: SkillFit,
    level: float,
    scale: Any,
    anchor: Any,
    min_games: float,
    bootstrap: Bootstrap | None,
    ranks: Any,
) -> Leaderboard:
    """The leaderboard of the items with enough games, best score first."""
    if ranks not in RANKS:
        raise ValueError(f"ranks must be one of {', '.join(map(repr, RANKS))}, not {ranks!r}")
    if scale not in SCALES:
        raise ValueError(f"scale must be 'elo', 'log' or 'skill', not {scale!r}")
    if bootstrap is not None and not np.array_equal(bootstrap.items, fit.items):
        raise ValueError("the bootstrap has other items than this model; use a bootstrap of this model")
    record = fit.record
    keep = np.flatnonzero(record["games"] >= min_games)
    place, at = _anchor(fit, anchor, scale)
    rank = _ranks(fit, level, keep, bootstrap, ranks)  # first: its covariance also has the standard errors
    flat = _is_hardly_known(fit)[keep]
    rank[flat] = NO_RANK
    low, high = _bounds(fit, level, place, bootstrap)
    scores = [_on_scale(values, fit, scale, place, at) for values in (fit.log_skill, low, high)]
    order = np.lexsort((-fit.log_skill[keep], fit.component[keep]))
    rows = keep[order]
    columns: dict[str, Any] = {name: values[rows] for name, values in record.items()}
    columns |= dict(zip(("score", "low", "high"), (values[rows] for values in scores), strict=True))
    return Leaderboard(
        rank=rank[order],
        item=fit.items[rows],
        **columns,
        component=fit.component[rows].astype(np.int64),
        scale=scale,
        level=level,
        ranks=ranks,
        notes=(*fit.notes, *fit.remarks, *_hardly_known(fit.items[keep[flat]])),
        order_effect=_order_effect(fit, level, scale, bootstrap),
        covariate_effects=_covariate_effects(fit, level, scale, bootstrap),
        method=_method(fit, bootstrap),
    )


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
            share = np.exp(theta - _log_sum(fit.log_skill))
            return np.where(anchored, at * np.exp(theta - base), share)
        unit, mean = (ELO_UNIT, ELO_MEAN) if scale == "elo" else (1.0, 0.0)
        return np.where(anchored, at + unit * (theta - base), mean + unit * theta)


def _log_sum(theta: Floats) -> float:
    return float(theta.max() + np.log(np.exp(theta - theta.max()).sum()))


def _bounds(
    fit: SkillFit, level: float, place: int | None, bootstrap: Bootstrap | None
) -> tuple[Floats, Floats]:
    """Lower and upper bounds of log-skill; in the component of the anchor, with the anchor held fixed."""
    theta = fit.log_skill
    anchored = np.zeros(len(theta), dtype=bool) if place is None else fit.component == fit.component[place]
    if bootstrap is not None:
        samples = bootstrap.samples
        if place is not None:
            shift = np.where(anchored, samples[:, [place]] - theta[place], 0.0)
            samples = samples - shift
        low, high = np.quantile(samples, [(1 - level) / 2, (1 + level) / 2], axis=0)
        return low, high
    variance = fit.standard_error**2
    if place is not None:
        variance = np.where(anchored, fit.joint.variances_to(place), variance)
    width = normal_quantile(level) * np.sqrt(variance)
    return theta - width, theta + width


def _is_hardly_known(fit: SkillFit) -> NDArray[np.bool_]:
    """Whether the error of the difference to the mean of all others in the component is above `FLAT`."""
    size = np.bincount(fit.component)[fit.component]
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = fit.standard_error * size / (size - 1)
    return np.asarray((apart > FLAT) & (not np.isinf(fit.tie)))


def _hardly_known(items: NDArray[Any]) -> tuple[str, ...]:
    """A note about items whose likelihood is so flat that a normal interval means little."""
    if not len(items):
        return ()
    names = ", ".join(map(quoted, items[:NAMED])) + (", ..." if len(items) > NAMED else "")
    return (
        f"hardly anything is known about {names}: there is no rank, and the interval is unreliable; add "
        "comparisons, use a bootstrap or set a prior",
    )


def _order_effect(fit: SkillFit, level: float, scale: str, bootstrap: Bootstrap | None) -> OrderEffect | None:
    """The advantage of the left side on the scale of the scores; with "skill", a factor of the odds."""
    if not fit.has_order_effect:
        return None
    samples = None if bootstrap is None else bootstrap.order_effect
    error = np.sqrt(fit.order_effect_variance()) if samples is None else np.nan
    return OrderEffect(*_effect(fit.order_effect, error, samples, level, scale))


def _covariate_effects(
    fit: SkillFit, level: float, scale: str, bootstrap: Bootstrap | None
) -> tuple[CovariateEffect, ...]:
    """What ``per`` units more of each covariate are worth; covariates that were left out are not listed."""
    found, drawn = [], None if bootstrap is None else bootstrap.covariate_effect
    for place, (name, per, value, error) in enumerate(fit.covariate_effects):
        samples = per * drawn[:, place] if drawn is not None and drawn.size else None
        if not np.isnan(value):
            ends = _effect(per * value, per * error, samples, level, scale)
            found.append(CovariateEffect(name, per, *ends))
    return tuple(found)


def _effect(value: float, error: float, samples: Floats | None, level: float, scale: str) -> list[float]:
    """An effect on the log-odds with its interval, on the scale of the scores."""
    if samples is not None:
        low, high = np.quantile(samples, [(1 - level) / 2, (1 + level) / 2])
    else:
        width = normal_quantile(level) * error
        low, high = value - width, value + width
    ends = np.array([value, low, high])
    with np.errstate(over="ignore"):
        found = np.exp(ends) if scale == "skill" else ends * (ELO_UNIT if scale == "elo" else 1.0)
    return [float(end) for end in found]


def _method(fit: SkillFit, bootstrap: Bootstrap | None) -> tuple[str, ...]:
    """Where intervals and weights come from, if not from the default."""
    drawn = "" if bootstrap is None else f"intervals: {len(bootstrap):,} bootstrap replicates"
    return tuple(line for line in (drawn or fit.error_text, fit.weight_text) if line)


def _ranks(
    fit: SkillFit, level: float, keep: NDArray[np.int64], bootstrap: Bootstrap | None, ranks: str
) -> NDArray[np.int64]:
    """The ranks among the items to keep."""
    together = ranks == "simultaneous"
    if bootstrap is not None:
        return bootstrap.shared_ranks(level, keep, together)
    return shared_ranks(fit, level, keep, together)
