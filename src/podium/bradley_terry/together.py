"""What works together in `BradleyTerry`: one table, which fits, the documentation and the tests read.

A row of the table is something that can be asked for. It has a sentence for everything that it is refused
with; with everything else it works. A new row or a new refusal is one line here and one in the tests.
"""

from collections.abc import Callable, Mapping
from typing import Any

from podium.comparisons.messages import InputError
from podium.comparisons.table import Comparisons

NO_UPDATE = {"update": "no Bradley–Terry model goes on from a saved model; fit it to all comparisons again"}
NO_REMOVAL = dict.fromkeys(("fragility", "influence"), "votes are taken away from skills alone")

PRIORS = ("prior=0", "prior=0.1", "prior='normal'", "prior='normal' with features")
FOR_ONE_KIND = (
    "anytime|judge effects|fixed skills|teams|covariates|ties='rao-kupper'|ties='half'|ties='ignore'|"
    "half-life|covariance='robust'|covariance='cluster'|bootstrap|boards by category|goodness of fit|"
    "judges|grades|fragility|influence|DynamicBradleyTerry|PlackettLuce"
).split("|")

TOGETHER: dict[str, dict[str, str]] = {
    "judge effects": {
        "anytime": "errors take the spreads of the judges as known",
        "kinds of judges": "each is a model of judges; choose one of them",
        "fixed skills": "known skills are not on the scale of the typical judge",
        "grades": "judge effects know wins and ties only; fit dataclasses.replace(c, grade=None)",
        "teams": "judge effects are for single items",
        "prior=0.1": "a fixed prior would be undone by the sharpness of the judges; use prior='normal'",
        "prior='normal' with features": "skills with features are not integrated over judges",
        "ties='rao-kupper'": "the tie habit of judges is a factor of Davidson's tie parameter",
        "ties='half'": "half a win is not a likelihood, so judges cannot be integrated out",
        "half-life": "a judge is the same at all times",
        "covariance='cluster'": "judges are in the model, so use covariance='model', or 'robust'",
        "weights": "a weight is not a number of votes; use counts",
        "bootstrap": "a resample would need the whole fit again; intervals come from the information",
        "boards by category": "a category has too few votes of each judge; fit it on its own",
        "goodness of fit": "the test is for votes that do not depend on who cast them",
        **NO_REMOVAL,
        "DynamicBradleyTerry": "it has no judge effects; fit a BradleyTerry to the votes of a period",
        "PlackettLuce": "it has no judge effects; use comparisons",
        **NO_UPDATE,
    },
    "anytime": {
        "prior='normal'": "errors must not depend on an estimated prior",
        "prior='normal' with features": "errors must not depend on an estimated prior",
        "half-life": "skills must stay the same",
        "bootstrap": "bootstrap intervals hold for one look only",
        "DynamicBradleyTerry": "skills must stay the same",
        "kinds of judges": "errors must not depend on an estimated prior",
        **NO_UPDATE,
    },
    "kinds of judges": {
        **dict.fromkeys(PRIORS, "kinds of judges have normal priors of their own; use prior='auto'"),
        **dict.fromkeys(FOR_ONE_KIND, "this is for votes of one kind; fit those alone"),
        **NO_UPDATE,
    },
    "fixed skills": {
        "kinds of judges": "the kinds would have to agree about the known skills",
        "teams": "teams have no skills of their own that could be known",
        "prior=0.1": "this prior draws all skills together, wherever the known ones are",
        "prior='normal'": "the mean of the prior is that of all items, not of the known ones",
        "prior='normal' with features": "the mean of the prior is that of all items, not of the known ones",
        "DynamicBradleyTerry": "a known skill stands still",
        **NO_UPDATE,
    },
    "grades": {
        "judge effects": "judge effects know wins and ties only; fit dataclasses.replace(c, grade=None)",
        "kinds of judges": "kinds of judges know wins and ties only; fit dataclasses.replace(c, grade=None)",
        **dict.fromkeys(
            ("fragility", "goodness of fit", "influence", "judges"),
            "it knows wins and ties only; fit dataclasses.replace(c, grade=None)",
        ),
        **NO_UPDATE,
    },
}

# How a fit sees what was asked for, from its parameters and its comparisons; the rest are actions.
USED: dict[str, Callable[[Mapping[str, Any], Comparisons], bool]] = {
    "judge effects": lambda how, c: how["judge_effects"] is not None,
    "teams": lambda how, c: c.teams is not None,
    "covariates": lambda how, c: c.covariates is not None,
    "order effect": lambda how, c: bool(how["order_effect"]),
    "neutral ground": lambda how, c: c.neutral is not None,
    "prior=0": lambda how, c: how["prior"] == 0,
    "prior=0.1": lambda how, c: how["prior"] not in ("auto", "normal", 0),
    "prior='auto'": lambda how, c: how["prior"] == "auto",
    "prior='normal'": lambda how, c: how["prior"] == "normal",
    "prior='normal' with features": lambda how, c: how["prior"] == "normal" and c.features is not None,
    "ties='rao-kupper'": lambda how, c: how["ties"] == "rao-kupper",
    "ties='half'": lambda how, c: how["ties"] == "half",
    "ties='ignore'": lambda how, c: how["ties"] == "ignore",
    "fixed skills": lambda how, c: how["fixed"] is not None,
    "grades": lambda how, c: c.grade is not None and how["ties"] in ("davidson", "rao-kupper"),
    "half-life": lambda how, c: how["half_life"] is not None,
    "covariance='robust'": lambda how, c: how["covariance"] == "robust",
    "covariance='cluster'": lambda how, c: how["covariance"] == "cluster",
    "several groups": lambda how, c: c.other_group is not None,
    "counts": lambda how, c: bool((c.count != 1).any()),
    "weights": lambda how, c: bool((c.weight != 1).any()),
    "kinds of judges": lambda how, c: how["judge_kind"] is not None,
}
ACTIONS = (
    "bootstrap",
    "boards by category",
    "fragility",
    "goodness of fit",
    "influence",
    "judges",
    "saving",
    "update",
)
MODELS = ("DynamicBradleyTerry", "PlackettLuce")


def check_together(how: Mapping[str, Any], c: Comparisons, *actions: str) -> None:
    """Refuse in one sentence what does not work together: parameters, comparisons, and actions on a fit."""
    used = [*(name for name, is_used in USED.items() if is_used(how, c)), *actions]
    for row, refused in TOGETHER.items():
        for column in used:
            if row in used and column in refused:
                refuse(row, column)


def refuse(row: str, column: str) -> None:
    """Say why a row and a column of the table do not work together."""
    raise InputError(f"{row} and {column} do not work together: {TOGETHER[row][column]}")
