"""Held-out log loss of real votes, in five folds of rows, with and without judges in the model."""

import os
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import podium as pod

DATA = os.environ.get("PODIUM_DATA")
SESSIONS = (
    *("davies2020a", "jones2013a_expert1", "kinnear2021_experts-even", "luckett2018_cola"),
    *("luckett2018_coldbrew", "marshall2020_statistics", "pollittx_college", "sangwin2021_study1-insight"),
    "zucco2019_legislators",
)
pytestmark = [pytest.mark.slow, pytest.mark.skipif(DATA is None, reason="needs PODIUM_DATA")]


def held_out(c: pod.Comparisons, **parameters: Any) -> float:
    """The mean log loss of five folds of rows at random, each predicted by a fit to the others."""
    fold, total = np.random.default_rng(0).permutation(len(c)) % 5, 0.0
    assert c.outcome is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in range(5):
            model, test = pod.BradleyTerry(**parameters).fit(c[fold != k]), fold == k
            unseen: Any = None if model.prior_scale_ > 0 else "average"
            p = model.predict_proba(c[test], unseen=unseen)
            total -= np.log(p[np.arange(len(p)), c.outcome[test] + 1]).sum()
    return float(total / len(c))


@pytest.mark.parametrize(
    ("effects", "most"),
    [
        (None, 1.015),
        (("sharpness", "ties"), 0.921),
        (("sharpness", "ties", "side"), 0.916),
        ("auto", 0.916),
    ],
)
def test_workers_who_compare_language_models(effects: Any, most: float) -> None:
    assert held_out(pod.datasets.fetch_llm_votes(), order_effect=True, judge_effects=effects) <= most


@pytest.mark.parametrize(
    ("effects", "most"), [(None, 0.893), (("sharpness", "ties"), 0.816), ("auto", 0.816)]
)
def test_students_who_compare_schools(effects: Any, most: float) -> None:
    rows = pd.read_csv(f"{DATA}/bt_classic/cems.csv.gz").dropna()
    sides = (rows.school1, rows.school2, rows.y)
    c = pod.Comparisons.from_arrays(*sides, outcome_format="score", group=rows.student)
    assert held_out(c, order_effect=True, judge_effects=effects) <= most


def test_comparative_judgement_is_predicted_as_well_as_without_judges() -> None:
    worse = []
    for name in SESSIONS:
        rows = pd.read_csv(f"{DATA}/comparative_judgement/{name}.csv.gz", dtype=str)
        won, group = np.full(len(rows), -1), rows.judge.to_numpy()  # always on the left, so sides say nothing
        c = pod.Comparisons.from_arrays(rows.chosen, rows.not_chosen, won, group=group)
        plain, judged = (held_out(c, prior="normal", judge_effects=how) for how in (None, "auto"))
        worse.append(judged - plain)
        assert worse[-1] <= 0.002, (name, plain, judged)
    assert np.mean(worse) <= 0
