"""How each judge votes, seen from the model of all the others.

A judge is a group of comparisons. Three sums over the votes of a judge are compared with what the model
without this judge expects:

- the log loss: is it too high, because the judge votes against the others?
- the score of the left side, where a tie counts ½: does the judge prefer a side?
- the ties, if the model has ties: does the judge call too many or too few?

If the judge follows the model, the terms of each sum are independent and their distributions are known. The
errors of the estimated parameters add to the sum (see `left_out`).

A bad judge among the others makes honest judges look bad. So of the judges who surprise, the worst are taken
out of the others, the rest is compared again, and so on until nobody surprises. In the end, those who are out
are compared with the rest.
"""

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from podium.bradley_terry.fitted import PairedFit
from podium.bradley_terry.left_out import Errors, LeftOut, fitter_without
from podium.comparisons.arrays import Floats
from podium.comparisons.messages import InputError
from podium.comparisons.outcomes import only_winner
from podium.comparisons.table import Comparisons
from podium.core.links import outcome_probabilities
from podium.core.smooth import TINY
from podium.metrics import krippendorff_alpha
from podium.numerics.progress import Progress
from podium.numerics.result import NotConverged
from podium.numerics.threads import one_blas_thread
from podium.skill.pairwise import holm
from podium.skill.prediction import differences
from podium.skill.tails import upper_tail

if TYPE_CHECKING:
    import pandas as pd

# What a vote for the left, a tie and a vote for the right add to the score of the left side, and to the ties.
LEFT_SCORE, TIES = (1.0, 0.5, 0.0), (0.0, 1.0, 0.0)
# What it means if the log loss, the score of the left side or the ties are too large, and too small.
TOO_LARGE = ("votes against the others", "prefers the left side", "calls too many ties")
TOO_SMALL = ("", "prefers the right side", "calls too few ties")


class Judge(NamedTuple):
    """The columns of a judge, how far each sum is above its expectation, and the p-value of each sum."""

    columns: dict[str, Any]
    beyond: Floats
    p_value: Floats


def judges(
    fit: PairedFit, level: float, progress: Progress | None = None, effects: bool = False
) -> "pd.DataFrame":
    """The table of `BradleyTerry.judges`, with the effects of the judges if they were asked for.

    A judge is compared with others who are all alike, so with the plain fit.
    """
    import pandas as pd

    if effects:
        from podium.bradley_terry.judge_effects.fitted import judge_frame

        own = judge_frame(fit, level).drop(columns="votes").set_index("judge")
        own.columns = [name.replace("ties", "tie_habit") for name in own.columns]
        frame = judges(getattr(fit, "plain", fit), level, progress)
        found = frame.join(own, on="judge")
        found.attrs |= frame.attrs
        return found

    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level!r}")
    c = _rows_by_judge(fit)
    assert c.groups is not None
    panel = Panel(fit, c, progress)
    with one_blas_thread():
        _compare_all(panel, 1 - level)
    if panel.early:
        message = f"{panel.early:,} of the {panel.done:,} fits without a group stopped before they converged"
        warnings.warn(message, NotConverged, stacklevel=3)
    found, adjusted = panel.found, _adjusted(panel.found)
    surprising = adjusted <= 1 - level
    frame = pd.DataFrame([judge.columns for judge in found])
    frame.insert(0, "judge", pd.Series(c.groups[panel.present]))
    frame.insert(6, "flagged", surprising.any(axis=1))
    frame["p_value"] = np.nanmin(np.column_stack([adjusted, np.ones(len(found))]), axis=1)
    frame["reason"] = [
        _reason(*row) for row in zip(surprising, (judge.beyond for judge in found), strict=True)
    ]
    frame.attrs["krippendorff_alpha"] = _alpha(c)
    if panel.winner:
        frame.attrs["note"] = f"the winner is always on the {panel.winner}, so sides are not tested"
    return frame


class Panel:
    """All judges, and what was found about each of them."""

    def __init__(self, fit: PairedFit, c: Comparisons, progress: Progress | None) -> None:
        self.fit, self.c, self.progress = fit, c, progress
        self.present, start = np.unique(np.asarray(c.group), return_index=True)
        self.parts = [slice(*ends) for ends in zip(start, [*start[1:], len(c)], strict=True)]
        self.without, self.winner = fitter_without(fit), only_winner(c.outcome)
        self.times = c.count if fit.problem.free_tie else c.count * (np.asarray(c.outcome) != 0)
        self.found = [Judge({}, np.zeros(3), np.full(3, np.nan))] * len(self.parts)
        self.done = self.early = 0

    def compare(self, asked: list[int], out: list[int]) -> None:
        """Compare some judges who are not out, each with the others who are not out."""
        gone, total = self.present[out], self.done + len(asked)
        rest = self.without(gone).fit if out else self.fit
        errors = Errors(rest, self.c, self.times, np.isin(np.asarray(self.c.group), gone))
        for k in asked:
            others, rows = self.without(self.present[[*out, k]]), self.parts[k]
            self.found[k] = _judge(others, self.c[rows], errors, rows, sides=not self.winner)
            self.done, self.early = self.done + 1, self.early + others.early
            if self.progress is not None:
                self.progress(self.done, total)


def _compare_all(panel: Panel, size: float) -> None:
    """Compare every judge with the others, after the surprising ones are out.

    The worst tenth of the surprising judges gets out at a time; one at a time takes far longer if there are
    hundreds of them. Half of all judges stay, since the majority defines what is surprising; two at least.
    """
    n, out = len(panel.parts), list[int]()
    asked, most = list(range(n)), min(n // 2, n - 2)
    while True:
        panel.compare(asked, out)
        surprising = np.any(_adjusted(panel.found) <= size, axis=1)
        suspects = sorted(filter(surprising.item, asked), key=lambda k: np.nanmin(panel.found[k].p_value))
        worst = suspects[: min((len(suspects) + 9) // 10, most - len(out))]
        out += worst
        stay = [k for k in range(n) if k not in out]
        if not worst and asked == stay:
            break
        asked = (suspects[len(worst) :] if worst else []) or stay
    for k in out:
        panel.compare([k], [j for j in out if j != k])


def _adjusted(found: list[Judge]) -> Floats:
    """The p-values of all tests of all judges, adjusted by Holm's method; nan where there is no test."""
    p_value = np.array([judge.p_value for judge in found])
    is_test = ~np.isnan(p_value)
    p_value[is_test] = holm(p_value[is_test])
    return p_value


def _rows_by_judge(fit: PairedFit) -> Comparisons:
    """The comparisons in the order of their judges."""
    c = fit.rows
    if c is None:
        raise ValueError("a saved model does not keep its comparisons, so it has no judges; fit it again")
    if c.group is None:
        raise InputError("the comparisons do not say who voted; give {@group} when you read or make them")
    if np.isinf(fit.tie):
        raise ValueError("there are only ties, so judges cannot be compared with a model")
    order = np.argsort(c.group, kind="stable")
    if c.group[order[0]] == c.group[order[-1]]:
        raise ValueError(
            "there is only one judge; to compare a judge with the others, there must be two or more"
        )
    return c[order]


def _judge(others: LeftOut, c: Comparisons, errors: Errors, rows: slice, *, sides: bool) -> Judge:
    """Compare the votes of one judge, which are ``rows`` of all votes, with the model of the others.

    ``sides`` says whether the score of the left side is tested.
    """
    assert c.outcome is not None
    fit, has_ties = others.fit, others.fit.problem.free_tie
    d, times, vote = differences(fit, c), c.count, np.eye(3)[c.outcome + 1]
    decided, modelled = times * (c.outcome != 0), errors.times[rows]
    p = _possible(outcome_probabilities(d, fit.link), has_ties)
    surprise = -np.log(np.where(p > 0, p, 1.0))
    columns = {
        "votes": times.sum(),
        "agreement": _mean(np.where(d == 0, 0.5, np.sign(d) == c.outcome), decided),
        "ties": _mean(vote[:, 1], times),
        "left": _mean(vote[:, 0], decided),
        "log_loss": _mean((vote * surprise).sum(axis=1), modelled),
        "expected": _mean((p * surprise).sum(axis=1), modelled),
        "chance": _chance(_mean(vote[:, 1], modelled), others.tie_share if has_ties else 0.0),
        "with_prior": others.with_prior,
    }
    beyond, p_value = np.zeros(3), np.full(3, np.nan)
    if not modelled.any():
        return Judge(columns, beyond, p_value)
    sums = [surprise, *(np.tile(values, (len(c), 1)) for values in (LEFT_SCORE, TIES))][: 2 + has_ties]
    variance, log_loss = errors.of_sums(rows, sums)
    usual = _possible(errors.usual[rows], has_ties)
    for k, values in enumerate(sums):
        beyond[k] = modelled @ ((vote - p) * values).sum(axis=1) - (log_loss if k == 0 else 0.0)
        if k != 1 or sides:
            p_value[k] = _p_value(beyond[k], values, usual, modelled, variance[k], one_sided=k == 0)
    return Judge(columns, beyond, p_value)


def _possible(p: Floats, has_ties: bool) -> Floats:
    """Probabilities above 0; those of ties are 0 if they have no model."""
    return np.maximum(p, TINY) * [1.0, float(has_ties), 1.0]


def _chance(tied: float, share: float) -> float:
    """The log loss of votes of which ``tied`` are ties, if every vote is predicted to tie with ``share``."""
    return float((tied - 1) * np.log((1 - share) / 2) - (tied * np.log(share) if share else 0.0))


def _p_value(
    beyond: float, values: Floats, p: Floats, times: Floats, variance: float, *, one_sided: bool
) -> float:
    """How often a sum would be this far from its mean by chance.

    The two-sided sums are counts, so half a vote is subtracted (the continuity correction).
    """
    if one_sided:
        return upper_tail(beyond, values, p, times, variance) if beyond > 0 else 1.0
    return 2 * upper_tail(abs(beyond) - 0.5, np.sign(beyond) * values, p, times, variance)


def _mean(values: Floats, weight: Floats) -> float:
    return float(weight @ values / weight.sum()) if weight.any() else np.nan


def _reason(surprising: Any, beyond: Floats) -> str:
    words = np.where(beyond > 0, TOO_LARGE, TOO_SMALL)
    return " and ".join(words[surprising])


def _alpha(c: Comparisons) -> float:
    """Krippendorff's α of the votes on each pair.

    Every vote counts from both sides, so it does not matter which side of a pair comes first.
    """
    assert c.outcome is not None
    left, right = c.left.astype(np.int64), c.right.astype(np.int64)
    n = int(max(left.max(), right.max())) + 1
    unit = np.concatenate([left * n + right, right * n + left])
    return krippendorff_alpha(
        unit, np.concatenate([c.outcome, -c.outcome]), sample_weight=np.tile(c.count, 2)
    )
