"""Whether groups of judges, or other categories, need boards of their own."""

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import podium as pod

VOTES = pod.datasets.load_model_votes()
JUDGE = np.asarray(VOTES.group)


def drawn(rng: np.random.Generator, skills: NDArray[np.float64], n: int) -> pod.Comparisons:
    """Comparisons of random pairs, a third of them tied if skills are equal; n for each row of skills."""
    groups, items = skills.shape
    left = rng.integers(0, items, n * groups)
    right = (left + rng.integers(1, items, n * groups)) % items
    of = np.repeat(np.arange(groups), n)
    lead = skills[of, right] - skills[of, left]
    worth = np.exp(np.column_stack([-lead / 2, np.zeros(n * groups), lead / 2]))
    drawn = rng.random(n * groups) * worth.sum(axis=1)
    outcome = (drawn[:, None] > worth.cumsum(axis=1)).sum(axis=1) - 1
    return pod.Comparisons.from_arrays(left, right, outcome, group=of)


def test_it_is_the_sum_of_separate_fits_against_one() -> None:
    by = JUDGE % 3
    model = pod.BradleyTerry(order_effect=True).fit(VOTES)
    parts = [pod.BradleyTerry(order_effect=True).fit(VOTES[by == k]) for k in range(3)]
    found = model.differ(by)
    assert found.statistic == pytest.approx(
        2 * (sum(p.log_likelihood_ for p in parts) - model.log_likelihood_)
    )
    assert found.df == 2 * (8 + 2)
    assert found.notes == ()
    assert model.differ(np.array(["c", "b", "a"])[by]).statistic == pytest.approx(found.statistic)


def test_equal_halves_do_not_differ_and_opposite_ones_do() -> None:
    c = pod.concat([VOTES, VOTES])
    half = np.repeat([0, 1], len(VOTES))
    found = pod.BradleyTerry(tol=1e-10).fit(c).differ(half)
    assert found.statistic == pytest.approx(0, abs=1e-6)
    assert found.p_value == pytest.approx(1)
    outcome = np.asarray(c.outcome)
    turned = pod.Comparisons.from_arrays(c.left, c.right, np.where(half, -outcome, outcome))
    assert pod.BradleyTerry().fit(turned).differ(half).p_value < 1e-9


def test_items_of_one_category_alone_are_no_parameters_more() -> None:
    apart = pod.Comparisons.from_arrays(
        VOTES.left + 9, VOTES.right + 9, VOTES.outcome, category=["b"] * len(VOTES)
    )
    near = pod.Comparisons.from_arrays(VOTES.left, VOTES.right, VOTES.outcome, category=["a"] * len(VOTES))
    with pytest.warns(UserWarning, match="2 groups that were never compared"):
        model = pod.BradleyTerry().fit(pod.concat([near, apart]))
    found = model.differ("category")
    assert found.df == 1  # the ties
    assert found.statistic == pytest.approx(0, abs=1e-6)


def test_kinds_of_judges() -> None:
    kind = np.array(["human", "ai"])[JUDGE % 2]
    c = pod.Comparisons.from_arrays(VOTES.left, VOTES.right, VOTES.outcome, judge_kind=kind)
    model = pod.BradleyTerry().fit(c)
    assert model.differ("judge_kind") == model.differ(kind)


def test_few_comparisons_are_noted() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = pod.BradleyTerry().fit(VOTES).differ("group")
    assert "and 35 more have fewer than 20 comparisons for each parameter" in found.notes[-1]


@pytest.mark.parametrize(
    ("options", "by", "why"),
    [
        ({"ties": "half"}, JUDGE % 2, "ties='half' is not a model of ties"),
        ({"prior": "normal"}, JUDGE % 2, "needs a model without a normal prior"),
        ({}, "category", "by='category' is not a column"),
        ({}, np.zeros(len(VOTES), dtype=int), "every comparison is of 0"),
        ({}, JUDGE[1:], "by has 1,599 entries for 1,600 comparisons"),
        ({"prior": 0}, np.minimum(np.arange(len(VOTES)), 1), "0 has no board of its own"),
    ],
)
def test_what_cannot_be_tested(options: dict[str, Any], by: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        pod.BradleyTerry(**options).fit(VOTES).differ(by)


def test_a_saved_model_has_no_comparisons(tmp_path: Any) -> None:
    pod.save(pod.BradleyTerry().fit(VOTES), tmp_path / "m.skops")
    with pytest.raises(ValueError, match="a saved model does not keep"):
        pod.load(tmp_path / "m.skops").differ("group")


@pytest.mark.slow
def test_the_null_is_rejected_as_often_as_it_says() -> None:
    """5 groups, 10 items, 40 comparisons per parameter; 20 items and 4 groups rejected 6.8 % of 600."""
    rng = np.random.default_rng(1)
    p = []
    for _ in range(200):
        c = drawn(rng, np.tile(rng.normal(size=10), (5, 1)), 400)
        p.append(pod.BradleyTerry().fit(c).differ("group").p_value)
    assert 0.015 <= np.mean(np.array(p) < 0.05) <= 0.1
