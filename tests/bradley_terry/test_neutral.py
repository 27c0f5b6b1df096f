"""Rows on neutral ground have no order effect."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from podium import BradleyTerry, Comparisons
from podium.skill.fit import ExistenceWarning
from tests.oracles.simulated import random_rows


@pytest.mark.parametrize(("ties", "marked", "unmarked"), [("davidson", 0.470, 0.445), ("half", 0.403, 0.382)])
def test_ice_hockey(real_data: Path, ties: Any, marked: float, unmarked: float) -> None:
    """The visitor is on the left. R gives 0.403 and 0.382 if ties are half wins."""
    games = pd.read_csv(real_data / "bt_classic" / "icehockey.csv.gz")
    outcome = np.sign(0.5 - games["y"]).astype(int)  # y is the score of the visitor
    neutral = games["home_ice"].to_numpy() == 0
    assert neutral.sum() == 69
    for ground, said in ((neutral, marked), (None, unmarked)):
        c = Comparisons.from_arrays(games["visitor"], games["opponent"], outcome, neutral=ground)
        model = BradleyTerry(ties, order_effect=True).fit(c)
        assert -model.order_effect_ == pytest.approx(said, abs=5e-4)


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "half", "ignore"])
def test_neutral_ground_does_not_care_who_is_left(ties: Any) -> None:
    rows = random_rows(71, ties=ties, effects=(), neutral=True)
    assert rows.neutral is not None
    turned = rows.neutral & (np.arange(len(rows.left)) % 2 == 0)
    sides = np.where(turned, rows.right, rows.left), np.where(turned, rows.left, rows.right)
    outcome = np.where(turned, -rows.outcome, rows.outcome)
    c, other = rows.comparisons(), Comparisons.from_arrays(*sides, outcome, neutral=rows.neutral)
    a, b = (BradleyTerry(ties, order_effect=True, tol=1e-12).fit(each) for each in (c, other))
    np.testing.assert_allclose(b.log_skill_, a.log_skill_, atol=1e-8)
    np.testing.assert_allclose(b.standard_error_, a.standard_error_, atol=1e-8)
    assert b.order_effect_ == pytest.approx(a.order_effect_, abs=1e-8)


def test_without_an_order_effect_the_mark_changes_nothing() -> None:
    rows = random_rows(72, effects=(), neutral=True)
    marked = BradleyTerry(tol=1e-12).fit(rows.comparisons())
    plain = BradleyTerry(tol=1e-12).fit(Comparisons.from_arrays(rows.left, rows.right, rows.outcome))
    np.testing.assert_allclose(marked.log_skill_, plain.log_skill_, atol=1e-9)


def test_predictions_on_neutral_ground() -> None:
    rows = random_rows(73, effects=(), neutral=True, order=1.0)
    model = BradleyTerry(order_effect=True, tol=1e-12).fit(rows.comparisons())
    here, there = (Comparisons.from_arrays([0, 1], [1, 0], neutral=[mark] * 2) for mark in (False, True))
    difference = model.log_skill_[1] - model.log_skill_[0]
    np.testing.assert_allclose(model.decision_function(there), [difference, -difference], atol=1e-9)
    h = model.order_effect_
    np.testing.assert_allclose(model.decision_function(here), [difference - h, -difference - h], atol=1e-9)
    chance = model.predict_proba(there)
    np.testing.assert_allclose(chance[0], chance[1][::-1], atol=1e-9)


def test_a_side_that_won_on_neutral_ground_only() -> None:
    c = Comparisons.from_arrays(
        ["a", "b", "c", "a"], ["b", "c", "a", "b"], [-1, -1, -1, 1], neutral=[True, True, True, False]
    )
    with pytest.raises(ValueError, match="the left side never won except on neutral ground"):
        BradleyTerry(order_effect=True, prior=0).fit(c)
    with pytest.warns(ExistenceWarning, match="the left side never won except on neutral ground"):
        model = BradleyTerry(order_effect=True).fit(c)
    assert -5 < model.order_effect_ < 0
