"""Which judges to use: how they agree, whether their verdicts depend on the order, and what follows."""

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.comparisons.table import Comparisons
from podium.evaluation.intervals import binomial_interval
from podium.numerics.progress import Progress

if TYPE_CHECKING:
    import pandas as pd


def judge_table(c: Comparisons, level: float, progress: Progress | None = None) -> "pd.DataFrame":
    """The table of `BradleyTerry.judges` with judge effects, and more columns.

    ``kappa`` is Cohen's κ of a judge with the majority of the others, on the same pair and category (prompt);
    ``kappa_people`` with that of other judges of the kind "human". ``both_orders`` counts the pairs that a
    judge saw with both sides first, on the same prompt; ``flips`` is the share of them whose first verdicts
    in the two orders differ, with an interval (nan without prompts). ``verdict`` says use, calibrate or do
    not use, and why.
    """
    import pandas as pd

    from podium.bradley_terry.model import BradleyTerry

    outcome = np.asarray(c.outcome).astype(np.float64)
    judge = np.full(len(c), "all", object) if c.groups is None else c.groups[c.group]
    rows: dict[str, Any] = {"judge": judge, "low": np.minimum(c.left, c.right)}
    rows |= {"high": np.maximum(c.left, c.right), "prompt": 0 if c.category is None else c.category}
    rows |= {"swapped": c.left > c.right, "vote": np.where(c.left > c.right, -outcome, outcome)}
    votes = pd.DataFrame(rows | {"times": c.count, "person": False})
    if c.judge_kind is not None and c.judge_kinds is not None:
        votes["person"] = c.judge_kinds[c.judge_kind] == "human"
    if len(set(judge.tolist())) > 1:
        table = BradleyTerry(judge_effects="auto").fit(c).judges(level, progress=progress or False)
    else:
        shares = {"ties": np.average(outcome == 0, weights=c.count), "agreement": np.nan, "reason": ""}
        decided = c.count @ (outcome != 0)
        shares["left"] = c.count @ (outcome < 0) / decided if decided else np.nan
        unknown = dict.fromkeys(("log_loss", "chance", "p_value"), np.nan) | {"flagged": False}
        table = pd.DataFrame({"judge": judge[:1], "votes": c.count.sum(), **shares, **unknown})
        table.attrs["krippendorff_alpha"] = np.nan
    more = {"kappa": _kappas(votes, np.ones(len(votes)))}
    if votes["person"].any():
        more["kappa_people"] = _kappas(votes, votes["person"])
    orders = _both_orders(votes if c.category is not None else votes[:0], level)
    found = table.join(pd.DataFrame(more), on="judge").join(orders, on="judge")
    found.attrs |= table.attrs
    return found.assign(verdict=[_verdict(row) for row in found.to_dict("records")])


UNIT = ["prompt", "low", "high"]


def _kappas(votes: "pd.DataFrame", among: Any) -> "pd.Series[float]":
    """Cohen's κ of every judge with the majority of the others, of those ``among`` whom it counts.

    Every vote counts from both sides, so it does not matter which side of a pair comes first.
    """
    import pandas as pd
    from sklearn.metrics import cohen_kappa_score

    counted = votes.assign(n=votes["times"] * among, sum=votes["times"] * among * votes["vote"])
    rest = sum(
        sign * counted.groupby(by)[["n", "sum"]].transform("sum")
        for sign, by in ((1, UNIT), (-1, ["judge", *UNIT]))
    )
    known = votes.assign(rest=np.sign(rest["sum"]))[rest["n"] > 0]
    known = pd.concat([known, known.assign(vote=-known["vote"], rest=-known["rest"])])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of judges who always say the same
        of = {
            judge: cohen_kappa_score(own["vote"], own["rest"], sample_weight=own["times"])
            for judge, own in known.groupby("judge")
        }
    return pd.Series(of, dtype=np.float64)


def _both_orders(votes: "pd.DataFrame", level: float) -> "pd.DataFrame":
    """How many pairs each judge saw in both orders, and the share that flipped."""
    import pandas as pd

    first = votes.pivot_table(index=["judge", *UNIT], columns="swapped", values="vote", aggfunc="first")
    both = first.reindex(columns=[False, True]).dropna()
    found = (both[False] != both[True]).groupby("judge").agg(both_orders="size", flips="mean")
    intervals = [binomial_interval(flips, int(n), level) for n, flips in found.to_numpy(np.float64)]
    limits = np.array(intervals).reshape(-1, 2)
    return found.join(pd.DataFrame(limits, found.index, ["flips_low", "flips_high"]))


def _verdict(row: dict[str, Any]) -> str:
    """What to do with the votes of a judge, and why."""
    flips = f"{100 * row['flips']:.0f} % of the verdicts change with the order"
    if row["flips_low"] > 0.5:
        return f"do not use: {flips}"
    if row["flagged"] and row["log_loss"] >= row["chance"]:
        return f"do not use: {row['reason']}, no better than chance"
    if row["flagged"] or row["flips_low"] > 0.1:
        why = [row["reason"]] * bool(row["flagged"]) + [f"{flips}, so ask in both"] * (row["flips_low"] > 0.1)
        return f"calibrate: {'; '.join(why)}"
    return f"use: nothing surprising in {row['votes']:.6g} votes"
