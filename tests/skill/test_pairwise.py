"""Adjusted tests of differences agree with `compare`, statsmodels' rules and Tukey's distribution."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm, studentized_range

from podium import BradleyTerry, Comparisons
from podium.datasets import load_chess_club, make_games
from podium.skill import pairwise
from tests.many_items import with_many_items


@pytest.fixture
def model() -> BradleyTerry:
    return BradleyTerry(order_effect=True).fit(load_chess_club())


def test_each_row_is_a_comparison(model: BradleyTerry) -> None:
    found = model.pairwise_tests(adjust="none", level=0.9)
    columns = ["a", "b", "difference", "error", "z", "p", "p_adjusted", "low", "high"]
    assert list(found) == columns
    assert len(found) == 14 * 13 // 2
    for row in found.iloc[[0, 20, 90]].itertuples():
        one = model.compare(row.a, row.b, level=0.9)
        expected = [one.difference, one.standard_error, one.p_value, one.low, one.high, one.p_value]
        np.testing.assert_allclose(
            [row.difference, row.error, row.p, row.low, row.high, row.p_adjusted], expected
        )


def test_holm_and_bonferroni_by_hand(model: BradleyTerry) -> None:
    items = ["Elif", "Ada", "Boris"]
    p = model.pairwise_tests(items, "none")["p"].to_numpy()
    np.testing.assert_allclose(model.pairwise_tests(items, "bonferroni")["p_adjusted"], np.minimum(3 * p, 1))
    small, middle, large = np.sort(p)
    second = max(3 * small, 2 * middle)
    expected = {small: 3 * small, middle: second, large: max(second, large)}
    found = model.pairwise_tests(items, "holm")
    np.testing.assert_allclose(found["p_adjusted"], [min(expected[each], 1) for each in p])
    assert found["a"].tolist() == ["Elif", "Elif", "Ada"]
    width = norm.ppf(1 - 0.05 / 6) * found["error"]
    np.testing.assert_allclose(found["high"] - found["difference"], width)


def test_the_largest_is_tukeys_if_the_design_is_balanced() -> None:
    """Each pair met equally often with equal results up to a shift, so all errors are nearly equal."""
    pairs = [(a, b) for a in range(5) for b in range(a)]
    rows = [(a, b, sign) for a, b in pairs for sign in [-1] * 20 + [1] * 20]
    rows += [(4, 0, -1)] * 3
    model = BradleyTerry().fit(Comparisons.from_arrays(*zip(*rows, strict=True)))
    found = model.pairwise_tests(adjust="max")
    expected = studentized_range.sf(np.abs(found["z"]) * np.sqrt(2), 5, np.inf)
    np.testing.assert_allclose(found["p_adjusted"], expected, atol=0.006)
    width = ((found["high"] - found["low"]) / 2 / found["error"]).to_numpy()
    np.testing.assert_allclose(width, studentized_range.ppf(0.95, 5, np.inf) / np.sqrt(2), rtol=0.01)


def test_the_adjustments_are_in_their_order(model: BradleyTerry) -> None:
    none, most, holm, crude = (
        model.pairwise_tests(adjust=each)["p_adjusted"].to_numpy()
        for each in ("none", "max", "holm", "bonferroni")
    )
    assert (none <= most).all()
    assert (most <= crude + 1e-15).all()
    assert (none <= holm).all()
    assert (holm <= crude).all()
    assert most.min() < 1e-6  # far below what draws can count
    np.testing.assert_array_equal(most, model.pairwise_tests(adjust="max")["p_adjusted"])


def test_the_joint_level_holds_for_equal_items() -> None:
    """Of 60 data sets of 8 equal items, about 5 % have any rejection; each pair alone would give 50 %."""
    rejected = {"max": 0, "holm": 0, "none": 0}
    for seed in range(60):
        rng = np.random.default_rng(seed)
        left = rng.integers(0, 8, 600)
        c = Comparisons.from_arrays(left, (left + rng.integers(1, 8, 600)) % 8, rng.choice([-1, 0, 1], 600))
        fit = BradleyTerry().fit(c)
        for adjust in rejected:
            found = pairwise.pairwise_tests(fit.fit_, None, adjust, 0.95)
            rejected[adjust] += bool((found["p_adjusted"] < 0.05).any())
    assert 1 <= rejected["max"] <= 9
    assert rejected["holm"] <= rejected["max"] + 1
    assert rejected["none"] > 18


def test_many_items_need_names() -> None:
    c, _ = make_games(600, 20_000, tie_rate=0.0, random_state=0)
    model = BradleyTerry(prior=0.1).fit(c)
    with pytest.raises(ValueError, match=r"600 items have 179,700 pairs, .* compare in items="):
        model.pairwise_tests()
    few, more = model.items_[:5], model.items_[:30]
    exact, exact_more = model.pairwise_tests(few, "max"), model.pairwise_tests(more)
    rough = with_many_items(model)
    found = rough.pairwise_tests(few, "max")
    np.testing.assert_allclose(found["difference"], exact["difference"], atol=1e-6)
    np.testing.assert_allclose(found["error"], exact["error"], rtol=1e-5)
    np.testing.assert_allclose(found["p_adjusted"], exact["p_adjusted"], atol=0.02)
    np.testing.assert_allclose(rough.pairwise_tests(more)["error"], exact_more["error"], rtol=0.15)


def test_groups_that_never_met() -> None:
    c = Comparisons.from_arrays([*"abab", *"xyxy"], [*"baba", *"yxyx"], [-1, -1, 1, -1, 1, 1, 1, -1])
    with pytest.warns(match="2 groups"):
        model = BradleyTerry().fit(c)
    found = model.pairwise_tests()
    assert found[["a", "b"]].to_numpy().tolist() == [["a", "b"], ["x", "y"]]
    with pytest.raises(ValueError, match="'a' and 'x' are in groups that were never compared"):
        model.pairwise_tests(["a", "x"])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"adjust": "tukey"}, "adjust must be one of 'holm', 'bonferroni', 'max', 'none', not 'tukey'"),
        ({"items": "Ada"}, "items must be a list of items, not the text 'Ada'"),
        ({"items": ["Ada", "Ada"]}, "'Ada' is named twice in items="),
        ({"items": ["Ada"]}, "no pair to test"),
        ({"items": ["Ada", "Zoe"]}, "'Zoe' was not seen in fit"),
        ({"level": 1.5}, "level must be between 0 and 1"),
    ],
)
def test_wrong_arguments_are_one_sentence(model: BradleyTerry, arguments: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        model.pairwise_tests(**arguments)
