"""The leaderboard of a fitted Bradley–Terry model."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.messages import quoted
from podium.skill.certainty import has_covariance, normal_quantile, order_effect_variance, variances_to
from podium.skill.prediction import positions

if TYPE_CHECKING:
    from podium.bradley_terry.bootstrap.bootstrap import Bootstrap
    from podium.bradley_terry.model import BradleyTerry
    from podium.leaderboard.leaderboard import Leaderboard, OrderEffect

Floats = NDArray[np.float64]

ELO_UNIT = 400 / np.log(10)
ELO_MEAN = 1500.0
FLAT = 4.0  # standard error of log-skill: odds of 50 to 1
NAMED = 3  # items in a note


def standings(
    model: "BradleyTerry",
    level: float,
    scale: Any,
    anchor: Any,
    min_games: float,
    bootstrap: "Bootstrap | None",
) -> "Leaderboard":
    """Ranks, scores, intervals and records of the items with enough games."""
    from podium.leaderboard.leaderboard import Leaderboard
    from podium.leaderboard.text import SCALES

    if scale not in SCALES:
        raise ValueError(f"the scale {scale!r} is none of 'elo', 'log' and 'skill'")
    record = records(model)
    keep = np.flatnonzero(record["games"] >= min_games)
    place, at = _anchor(model, anchor, scale)
    rank = _ranks(model, level, keep, bootstrap)  # first, for its covariance has the errors of the bounds
    low, high = _bounds(model, level, place, bootstrap)
    scores = [_on_scale(values, model, scale, place, at) for values in (model.log_skill_, low, high)]
    order = np.lexsort((-model.log_skill_[keep], rank, model.components_[keep]))
    rows = keep[order]
    columns: dict[str, Any] = {name: values[rows] for name, values in record.items()}
    columns |= dict(zip(("score", "low", "high"), (values[rows] for values in scores), strict=True))
    return Leaderboard(
        rank=rank[order],
        item=model.items_[rows],
        **columns,
        component=model.components_[rows].astype(np.int64),
        scale=scale,
        level=level,
        notes=(*model.notes_, *_hardly_known(model, keep, bootstrap)),
        order_effect=_order_effect(model, level, scale, bootstrap),
    )


def records(model: "BradleyTerry") -> dict[str, Floats]:
    """Games, wins, ties and losses of every item, ties counted whatever the model made of them."""
    counts, teams = model._data.counts, model._data.teams
    ties = counts.by_side(counts.ties)
    games = counts.games
    wins = counts.score - ties / 2
    found = {"games": games, "wins": wins, "ties": ties, "losses": games - wins - ties}
    if teams is not None:
        found = {name: teams.T @ values for name, values in found.items()}
    return {name: np.where(np.abs(values) < 1e-9, 0.0, values) for name, values in found.items()}


def _anchor(model: "BradleyTerry", anchor: Any, scale: str) -> tuple[int | None, float]:
    """The position of the anchor and the score it is given."""
    usual = {"elo": ELO_MEAN, "log": 0.0, "skill": 1.0}[scale]
    if anchor is None:
        return None, usual
    if isinstance(anchor, tuple):
        item, score = anchor
        if scale == "skill" and not score > 0:
            raise ValueError(f"the score {score!r} of the anchor is not above 0, as skill is")
        return int(positions(model.items_, [item])[0]), float(score)
    return int(positions(model.items_, [anchor])[0]), usual


def _on_scale(theta: Floats, model: "BradleyTerry", scale: str, place: int | None, at: float) -> Floats:
    """Log-skill on another scale; in the component of the anchor, relative to it."""
    anchored = np.zeros(len(theta), dtype=bool)
    base = 0.0
    if place is not None:
        anchored = model.components_ == model.components_[place]
        base = float(model.log_skill_[place])
    with np.errstate(over="ignore"):
        if scale == "skill":
            share = np.exp(theta - _log_sum(model.log_skill_))
            return np.where(anchored, at * np.exp(theta - base), share)
        unit, mean = (ELO_UNIT, ELO_MEAN) if scale == "elo" else (1.0, 0.0)
        return np.where(anchored, at + unit * (theta - base), mean + unit * theta)


def _log_sum(theta: Floats) -> float:
    return float(theta.max() + np.log(np.exp(theta - theta.max()).sum()))


def _bounds(
    model: "BradleyTerry", level: float, place: int | None, bootstrap: "Bootstrap | None"
) -> tuple[Floats, Floats]:
    """Lower and upper bounds of log-skill, or of the difference to the anchor with the anchor held fixed."""
    theta = model.log_skill_
    anchored = (
        np.zeros(len(theta), dtype=bool) if place is None else model.components_ == model.components_[place]
    )
    if bootstrap is not None:
        samples = bootstrap.samples
        if place is not None:
            shift = np.where(anchored, samples[:, [place]] - theta[place], 0.0)
            samples = samples - shift
        low, high = np.quantile(samples, [(1 - level) / 2, (1 + level) / 2], axis=0)
        return low, high
    variance = model.standard_error_**2
    if place is not None:
        variance = np.where(anchored, variances_to(model, place), variance)
    width = normal_quantile(level) * np.sqrt(variance)
    return theta - width, theta + width


def _hardly_known(
    model: "BradleyTerry", keep: NDArray[np.intp], bootstrap: "Bootstrap | None"
) -> tuple[str, ...]:
    """A sentence on items whose likelihood is so flat that a normal interval says little."""
    if bootstrap is not None:
        return ()
    flat = keep[model.standard_error_[keep] > FLAT]
    if not len(flat):
        return ()
    names = ", ".join(quoted(model.items_[i]) for i in flat[:NAMED]) + (", ..." if len(flat) > NAMED else "")
    return (
        f"hardly anything is known of {names}: the interval, and the rank, which counts who is surely "
        "better, say little; see the bootstrap, or give a prior",
    )


def _order_effect(
    model: "BradleyTerry", level: float, scale: str, bootstrap: "Bootstrap | None"
) -> "OrderEffect | None":
    """The advantage of the left side on the scale of the scores; on that of skill, the factor of its odds."""
    from podium.leaderboard.leaderboard import OrderEffect

    if not model._problem.free_order:
        return None
    value = model.order_effect_
    if bootstrap is not None:
        low, high = np.quantile(bootstrap.order_effect, [(1 - level) / 2, (1 + level) / 2])
    else:
        width = normal_quantile(level) * np.sqrt(order_effect_variance(model))
        low, high = value - width, value + width
    ends = np.array([value, low, high])
    found = np.exp(ends) if scale == "skill" else ends * (ELO_UNIT if scale == "elo" else 1.0)
    return OrderEffect(*found.tolist())


def _ranks(
    model: "BradleyTerry", level: float, keep: NDArray[np.int64], bootstrap: "Bootstrap | None"
) -> NDArray[np.int64]:
    """The shared ranks among the items to keep."""
    if bootstrap is not None:
        return bootstrap.shared_ranks(level, keep)
    quantile = normal_quantile(level)
    if has_covariance(model):
        from podium.skill.dependent_ranks import ranks_of_dependent

        return ranks_of_dependent(model.log_skill_, model.covariance_, model.components_, keep, quantile)
    from podium.skill.ranks import ranks_of_independent

    theta, component = model.log_skill_[keep], model.components_[keep]
    return ranks_of_independent(theta, model.standard_error_[keep] ** 2, component, quantile)
