import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from podium import BradleyTerry, Comparisons
from podium.datasets import load_chess_club, load_doubles_league
from podium.metrics import krippendorff_alpha

NAMES = ["judge", "votes", "agreement", "ties", "left", "log_loss", "flagged"]


def honest(seed: int, n_items: int, n_judges: int, n_votes: int, nu: float = 0.6) -> dict[str, Any]:
    """Votes of judges who all follow Davidson's model."""
    rng = np.random.default_rng(seed)
    skill = rng.normal(size=n_items)
    left = rng.integers(0, n_items, n_votes)
    right = (left + rng.integers(1, n_items, n_votes)) % n_items
    d = skill[right] - skill[left]
    p = np.column_stack([np.exp(-d / 2), np.full(n_votes, nu), np.exp(d / 2)])
    p /= p.sum(axis=1, keepdims=True)
    outcome = (rng.random(n_votes)[:, None] > p.cumsum(axis=1)[:, :2]).sum(axis=1) - 1
    return {"left": left, "right": right, "outcome": outcome, "group": rng.integers(0, n_judges, n_votes)}


def table_of(votes: dict[str, Any], **parameters: Any) -> pd.DataFrame:
    return BradleyTerry(**parameters).fit(Comparisons.from_arrays(**votes)).judges()


# ------------------------------------------------------------------------------------ against plain refits


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "half", "ignore"])
@pytest.mark.parametrize("order_effect", [False, True])
@pytest.mark.parametrize("prior", ["auto", 0.5])
def test_each_row_is_what_a_fit_without_the_judge_says(ties: Any, order_effect: bool, prior: Any) -> None:
    c = Comparisons.from_arrays(**honest(1, 6, 4, 400), count=np.tile([1.0, 2.0], 200))
    make = {"ties": ties, "order_effect": order_effect, "prior": prior}
    found = BradleyTerry(**make).fit(c).judges()
    assert list(found.columns[: len(NAMES)]) == NAMES
    assert not found["with_prior"].any()
    for row in found.itertuples():
        own = c[c.group == row.judge]
        others = BradleyTerry(**make).fit(c[c.group != row.judge])
        y, w = np.asarray(own.outcome), own.count
        decided, p = y != 0, others.predict_proba(own)[np.arange(len(own)), y + 1]
        modelled = decided | (ties in ("davidson", "rao-kupper"))
        right = np.sign(others.decision_function(own)) == y
        assert row.votes == w.sum()
        assert row.agreement == pytest.approx(np.average(right[decided], weights=w[decided]))
        assert row.ties == pytest.approx(np.average(~decided, weights=w))
        assert row.left == pytest.approx(np.average(y[decided] == -1, weights=w[decided]))
        loss = np.average(-np.log(p[modelled]), weights=w[modelled])
        assert row.log_loss == pytest.approx(loss, abs=1e-6)


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "half"])
def test_judges_who_click_left_do_not_count_among_the_others(ties: Any) -> None:
    votes = honest(5, 6, 8, 1200)
    clicks = votes["group"] < 2
    c = Comparisons.from_arrays(**votes | {"outcome": np.where(clicks, -1, votes["outcome"])})
    make = {"ties": ties, "order_effect": True}
    found = BradleyTerry(**make).fit(c).judges()
    assert found["flagged"].tolist() == [True, True] + [False] * 6
    for row in found.itertuples():
        own, y = c[c.group == row.judge], np.asarray(c.outcome)[c.group == row.judge]
        others = BradleyTerry(**make).fit(c[(c.group != row.judge) & ~clicks])
        modelled = (y != 0) | (ties != "half")
        p = others.predict_proba(own)[np.arange(len(own)), y + 1]
        assert row.log_loss == pytest.approx(-np.log(p[modelled]).mean(), abs=1e-6)


def test_the_last_two_judges_keep_each_other() -> None:
    votes = honest(5, 6, 2, 400)
    votes["outcome"] = np.where(votes["group"] == 1, -votes["outcome"], votes["outcome"])
    assert table_of(votes)["flagged"].all()


def test_ties_that_only_a_judge_who_is_out_called_have_a_test() -> None:
    votes = honest(5, 6, 8, 1200, nu=0.0)
    votes["outcome"] = np.where(votes["group"] == 2, 0, votes["outcome"])
    found = flagged(table_of(votes))
    assert list(found) == [2]
    assert "calls too many ties" in found[2]


def test_chance_knows_the_ties_but_no_skills() -> None:
    c = Comparisons.from_arrays(**honest(1, 6, 4, 400))
    found = BradleyTerry().fit(c).judges()
    for row in found.itertuples():
        others = np.asarray(c.outcome)[c.group != row.judge]
        share = (others == 0).mean()
        loss = -row.ties * np.log(share) - (1 - row.ties) * np.log((1 - share) / 2)
        assert row.chance == pytest.approx(loss, abs=0.01)
    np.testing.assert_allclose(BradleyTerry("half").fit(c).judges()["chance"], np.log(2))


def test_teams_have_judges_too() -> None:
    doubles = load_doubles_league()
    c = Comparisons.from_codes(
        doubles.items, doubles.left, doubles.right, np.asarray(doubles.outcome),
        teams=doubles.teams, group=np.arange(len(doubles)) % 4,
    )  # fmt: skip
    found = BradleyTerry().fit(c).judges()
    row = found.iloc[0]
    others = BradleyTerry().fit(c[c.group != 0])
    own = c[c.group == 0]
    p = others.predict_proba(own)[np.arange(len(own)), np.asarray(own.outcome) + 1]
    assert row.log_loss == pytest.approx(-np.log(p).mean(), abs=1e-4)
    assert not found["flagged"].any()


# ------------------------------------------------------------------------------------ flags


def flagged(found: pd.DataFrame) -> dict[Any, str]:
    rows = found[found["flagged"]]
    return dict(zip(rows["judge"], rows["reason"], strict=True))


def planted(outcome: Any) -> dict[Any, str]:
    """Flags if judge 3 of 20 has these outcomes instead of honest ones."""
    votes = honest(5, 8, 20, 1600)
    own = votes["group"] == 3
    votes["outcome"] = np.where(own, outcome(votes["outcome"]), votes["outcome"])
    return flagged(table_of(votes))


def test_planted_judges_are_flagged_with_the_reason() -> None:
    assert planted(lambda y: y) == {}
    assert planted(lambda y: -y) == {3: "votes against the others"}
    assert "prefers the left side" in planted(lambda y: np.full_like(y, -1))[3]
    assert "prefers the right side" in planted(lambda y: np.where(np.arange(len(y)) % 8 > 0, 1, y))[3]
    assert "calls too many ties" in planted(lambda y: np.where(np.arange(len(y)) % 2 > 0, 0, y))[3]
    never = planted(lambda y: np.where(y == 0, np.where(np.arange(len(y)) % 2, 1, -1), y))
    assert "calls too few ties" in never[3]


def test_a_left_clicker_is_flagged_without_a_model_of_ties() -> None:
    votes = honest(5, 8, 20, 1600)
    votes["outcome"] = np.where(votes["group"] == 3, -1, votes["outcome"])
    for ties in ("half", "ignore"):
        assert "prefers the left side" in flagged(table_of(votes, ties=ties))[3]


@pytest.mark.parametrize("ties", [False, True])
def test_if_one_side_always_wins_sides_are_not_tested(ties: bool) -> None:
    votes = honest(5, 6, 8, 800, nu=0.6 * ties)
    turned = votes["outcome"] > 0
    left, right = (np.where(turned, votes[a], votes[b]) for a, b in (("right", "left"), ("left", "right")))
    won = Comparisons.from_arrays(left, right, -np.abs(votes["outcome"]), group=votes["group"])
    for c, side in ((won, "left"), (won.swap(), "right")):
        found = BradleyTerry().fit(c).judges()
        assert not found["flagged"].any()
        assert found.attrs["note"] == f"the winner is always on the {side}, so sides are not tested"
    assert "note" not in table_of(votes).attrs


def test_honest_judges_are_rarely_flagged() -> None:
    """At most in 5 % of the data sets: of 40, more than 5 have a probability below 2 %."""
    few = sum(table_of(honest(seed, 8, 5, 200))["flagged"].any() for seed in range(40))
    many = sum(table_of(honest(seed, 8, 25, 250))["flagged"].any() for seed in range(40, 80))
    assert few <= 5
    assert many <= 5


def test_few_honest_judges_of_many_items_are_not_flagged() -> None:
    """With 200 items the model of the others is too sure, and its log loss is far above its expectation."""
    for seed in range(3):
        found = table_of(honest(seed, 200, 4, 4000))
        assert (found["log_loss"] > found["expected"] + 0.05).all()
        assert not found["flagged"].any()


def test_a_lower_level_flags_more() -> None:
    votes = honest(2, 6, 10, 300)
    own = np.flatnonzero(votes["group"] == 4)
    votes["outcome"][own[:14]] = -1
    model = BradleyTerry().fit(Comparisons.from_arrays(**votes))
    p_value = model.judges()["p_value"][4]
    assert 0 < p_value < 0.5
    for level, expected in ((1 - 1.1 * p_value, True), (1 - 0.9 * p_value, False)):
        assert model.judges(level)["flagged"][4] == expected


def test_a_judge_who_alone_called_a_tie_is_not_condemned_for_it() -> None:
    votes = honest(4, 5, 5, 300, nu=0.0)
    votes["outcome"][0] = 0
    found = table_of(votes)
    assert np.isfinite(found["log_loss"]).all()
    assert not found["flagged"].any()


def test_a_judge_who_alone_saw_an_item_is_marked() -> None:
    votes = honest(4, 5, 5, 300)
    own = np.flatnonzero(votes["group"] == 2)[:6]
    votes["left"][own], votes["right"][own] = 9, np.arange(6) % 5
    votes["outcome"][own] = [-1, -1, 1, 1, 0, 0]
    found = table_of(votes)
    assert found.loc[found["with_prior"], "judge"].tolist() == [2]
    assert not found["flagged"].any()


# ------------------------------------------------------------------------------------ invariants


def test_neither_the_order_of_rows_nor_whole_counts_matter() -> None:
    c = Comparisons.from_arrays(**honest(6, 6, 5, 300))
    found = BradleyTerry().fit(c).judges()
    shuffled = BradleyTerry().fit(c[np.random.default_rng(0).permutation(len(c))]).judges()
    merged = BradleyTerry().fit(c.aggregate(by_group=True)).judges()
    for other in (shuffled, merged):
        pd.testing.assert_frame_equal(found, other, rtol=1e-6)
        assert found.attrs["krippendorff_alpha"] == pytest.approx(other.attrs["krippendorff_alpha"])


def test_swapping_the_sides_swaps_left_and_right() -> None:
    c = Comparisons.from_arrays(**honest(6, 6, 5, 300))
    found, swapped = (BradleyTerry(order_effect=True).fit(each).judges() for each in (c, c.swap()))
    np.testing.assert_allclose(swapped["left"], 1 - found["left"])
    same = ["votes", "agreement", "ties", "log_loss", "p_value"]
    pd.testing.assert_frame_equal(found[same], swapped[same], rtol=1e-6)


def test_alpha_does_not_depend_on_names_and_counts_each_pair_from_both_sides() -> None:
    votes = honest(6, 6, 5, 300)
    alpha = table_of(votes).attrs["krippendorff_alpha"]
    renamed = votes | {side: (votes[side] * 5 + 3) % 6 for side in ("left", "right")}
    assert table_of(renamed).attrs["krippendorff_alpha"] == pytest.approx(alpha)
    pairs = [f"{a}-{b}" for a, b in zip(votes["left"], votes["right"], strict=True)]
    turned = [f"{b}-{a}" for a, b in zip(votes["left"], votes["right"], strict=True)]
    both = np.concatenate([votes["outcome"], -votes["outcome"]])
    assert krippendorff_alpha(pairs + turned, both) == pytest.approx(alpha)


def test_alpha_is_1_if_all_judges_agree() -> None:
    votes = {"left": ["a", "b", "c"] * 4, "right": ["b", "c", "a"] * 4, "outcome": [-1, 0, 1] * 4}
    found = table_of(votes | {"group": np.repeat(list("wxyz"), 3)}, prior=0.1)
    assert found.attrs["krippendorff_alpha"] == 1


# ------------------------------------------------------------------------------------ refusals


def test_what_cannot_be_compared_is_refused_with_what_to_do() -> None:
    votes = honest(6, 6, 5, 300)
    model = BradleyTerry().fit(Comparisons.from_arrays(**votes))
    with pytest.raises(ValueError, match="level must be between 0 and 1, not 95"):
        model.judges(level=95)
    alone = Comparisons.from_arrays(**votes | {"group": np.zeros(300)})
    with pytest.raises(ValueError, match="there is only one judge"):
        BradleyTerry().fit(alone).judges()
    del votes["group"]
    with pytest.raises(ValueError, match="do not say who voted; give group="):
        BradleyTerry().fit(Comparisons.from_arrays(**votes)).judges()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tied = BradleyTerry().fit(Comparisons.from_arrays(["a", "b"], ["b", "a"], [0, 0], group=[1, 2]))
    with pytest.raises(ValueError, match="only ties"):
        tied.judges()


def test_rows_without_weight_have_no_judge() -> None:
    c = load_chess_club()
    group = np.asarray(c.group)
    found = BradleyTerry().fit(c, sample_weight=(group != 1).astype(float)).judges()
    assert found["judge"].tolist() == ["2021", "2023", "2024", "2025"]


def test_progress_counts_the_judges() -> None:
    seen: list[tuple[int, int]] = []
    table = BradleyTerry().fit(load_chess_club()).judges(progress=lambda done, n: seen.append((done, n)))
    assert seen == [(done, len(table)) for done in range(1, len(table) + 1)]
