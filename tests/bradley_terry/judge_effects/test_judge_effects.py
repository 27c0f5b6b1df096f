"""What a model with judge effects says: of judges, items, new comparisons, and extremes."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium as pod
from tests.bradley_terry.judge_effects.simulated import judged_votes, log_probabilities

EFFECTS, WIDE = ("sharpness", "ties", "side"), (0.8, 1.0, 0.8)
NEUTRAL = {"sharpness": 1.0, "ties": 1.0, "side": 0.0}


@pytest.fixture(scope="module")
def votes() -> Any:
    return judged_votes(40, 40, WIDE)


@pytest.fixture(scope="module")
def model(votes: Any) -> pod.BradleyTerry:
    return pod.BradleyTerry(judge_effects=EFFECTS, order_effect=True).fit(votes[0])


def same(one: pod.BradleyTerry, other: pod.BradleyTerry) -> None:
    for name in ("log_skill_", "covariance_", "tie_", "order_effect_", "log_likelihood_", "aic_"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


def test_spreads_and_judges_are_near_the_truth(votes: Any, model: pod.BradleyTerry) -> None:
    _, skill, u = votes
    assert list(model.judge_spread_.values()) == pytest.approx(WIDE, rel=0.3)
    assert np.corrcoef(model.log_skill_, skill)[0, 1] > 0.98
    found = model.judge_effects_
    for k, name in enumerate(EFFECTS):
        truth = u[:, k] if name == "side" else np.exp(u[:, k])
        inside = (found[f"{name}_low"] < truth) & (truth < found[f"{name}_high"])
        assert inside.mean() > 0.85, name
    assert found.votes.sum() == 1600
    assert model.result_.converged
    assert model.result_.gradient_norm is not None
    assert model.result_.gradient_norm < 1e-9
    assert model.result_.details["smallest_information"] > 0


def test_without_judge_effects_nothing_changes(votes: Any) -> None:
    c = votes[0]
    same(
        pod.BradleyTerry().fit(c),
        pod.BradleyTerry(judge_effects=None).fit(replace(c, group=None, groups=None)),
    )
    with pytest.raises(AttributeError, match="fitted without judge_effects"):
        _ = pod.BradleyTerry().fit(c).judge_spread_


def test_auto_is_the_plain_fit_if_judges_are_alike() -> None:
    one, *_ = judged_votes(1, 40, (0.0, 0.0, 0.0))
    c = replace(
        pod.concat([one] * 30), group=np.repeat(np.arange(30, dtype=np.int32), 40), groups=np.arange(30)
    )
    plain = pod.BradleyTerry(order_effect=True).fit(c)
    with pytest.warns(UserWarning, match="do not differ enough in sharpness"):
        auto = pod.BradleyTerry(order_effect=True, judge_effects="auto").fit(c)
    same(plain, auto)
    assert np.array_equal(plain.predict_proba(c), auto.predict_proba(c))
    assert list(auto.judge_spread_.values()) == [0, 0, 0]
    assert len(auto.judge_effects_) == 30
    for name, value in NEUTRAL.items():
        for ending in ("", "_low", "_high"):
            assert (auto.judge_effects_[name + ending] == value).all()


def test_auto_keeps_what_judges_differ_in() -> None:
    c, *_ = judged_votes(30, 40, (0.0, 1.0, 0.0), seed=2)
    with pytest.warns(UserWarning, match="so these effects are left out"):
        model = pod.BradleyTerry(judge_effects="auto", order_effect=True).fit(c)
    assert model.judge_spread_["ties"] == pytest.approx(1.0, abs=0.4)
    assert model.judge_spread_["sharpness"] == 0 == model.judge_spread_["side"]
    assert (model.judge_effects_.side_low == 0).all()
    assert "sharpness and the side that they prefer" in model.notes_[-1]


def test_predictions_know_judges_and_integrate_over_new_ones(votes: Any, model: pod.BradleyTerry) -> None:
    known = model.judge_effects_.set_index("judge")
    sharp, dull = known.sharpness.idxmax(), known.sharpness.idxmin()
    best, worst = model.items_[np.argmax(model.log_skill_)], model.items_[np.argmin(model.log_skill_)]

    def predict(**columns: Any) -> Any:
        return model.predict_proba(pod.Comparisons.from_arrays([best], [worst], **columns))[0]

    odds = [np.divide(*predict(group=[judge], neutral=[True])[[0, 2]]) for judge in (sharp, 99, dull)]
    assert odds[0] > odds[1] > odds[2]
    assert np.array_equal(predict(), predict(group=[99]))
    draws = np.random.default_rng(0).normal(size=(200_000, 3)) * list(model.judge_spread_.values())
    d = (
        np.exp(draws[:, 0]) * (model.log_skill_.min() - model.log_skill_.max())
        - model.order_effect_
        - draws[:, 2]
    )
    expected = np.exp(log_probabilities(d, np.log(model.tie_) + draws[:, 1])).mean(axis=0)
    assert predict() == pytest.approx(expected, abs=0.002)
    assert predict(neutral=[True]).sum() == pytest.approx(1)
    assert model.decision_function(pod.Comparisons.from_arrays([best], [worst]))[0] < 0


def test_new_items_are_predicted_with_a_normal_prior(votes: Any) -> None:
    model = pod.BradleyTerry(judge_effects=("sharpness",), prior="normal").fit(votes[0])
    found = model.predict_proba(pod.Comparisons.from_arrays([98, 98], [0, 99], group=[3, 77]))
    assert found.sum(axis=1) == pytest.approx([1, 1])
    assert found[1, 0] == pytest.approx(found[1, 2])
    assert model.prior_scale_ > 0.3
    with pytest.raises(ValueError, match="not seen in fit"):
        pod.BradleyTerry(judge_effects=EFFECTS).fit(votes[0]).predict_proba(
            pod.Comparisons.from_arrays([99], [0])
        )


def test_a_saved_model_predicts_the_same(votes: Any, model: pod.BradleyTerry, tmp_path: Path) -> None:
    pod.save(model, tmp_path / "judges.skops")
    loaded = pod.load(tmp_path / "judges.skops")
    assert np.array_equal(loaded.predict_proba(votes[0]), model.predict_proba(votes[0]))
    assert loaded.judge_spread_ == model.judge_spread_
    assert loaded.judge_effects_.equals(model.judge_effects_)
    assert loaded.leaderboard().item.tolist() == model.leaderboard().item.tolist()


def test_the_table_of_judges_gains_the_effects(votes: Any, model: pod.BradleyTerry) -> None:
    plain = pod.BradleyTerry(order_effect=True).fit(votes[0]).judges()
    table = model.judges()
    assert table[plain.columns].equals(plain)
    assert table.attrs == plain.attrs
    own = model.judge_effects_
    for name, theirs in {
        "sharpness": "sharpness",
        "tie_habit_low": "ties_low",
        "side_high": "side_high",
    }.items():
        assert table[name].tolist() == own[theirs].tolist()
    wider = model.judges(level=0.99)
    assert (wider.sharpness_low < table.sharpness_low).all()


def test_boards_and_summaries_say_that_scores_are_those_of_the_typical_judge(model: pod.BradleyTerry) -> None:
    for shown in (model.leaderboard(), model.summary()):
        [note] = [note for note in shown.notes if note.startswith("judge effects")]
        assert "the typical judge" in note
        assert f"sharpness {model.judge_spread_['sharpness']:.2f}" in note
    assert model.summary().n_parameters == 4 + 1 + 1 + 3


def test_extremes_stay_finite() -> None:
    c, *_ = judged_votes(30, 30)
    frame = c.to_frame()
    rows = frame.iloc[:61].copy()
    rows["group"] = [100] * 30 + [101] * 30 + [102]
    rows["outcome"] = [0] * 30 + [-1] * 30 + [1]
    with_extremes = pod.concat([c, pod.read_comparisons(rows, outcome="outcome", outcome_format="sign")])
    model = pod.BradleyTerry(judge_effects=EFFECTS, order_effect=True).fit(with_extremes)
    found = model.judge_effects_.set_index("judge").loc[[100, 101, 102]]
    assert np.isfinite(found.to_numpy(dtype=float)).all()
    assert found.ties[100] > 10
    assert found.side[101] > 0.8 > found.sharpness[101]
    assert abs(np.log(found.sharpness[102])) < 0.5
    widths = np.log(model.judge_effects_.sharpness_high / model.judge_effects_.sharpness_low)
    assert widths.iloc[-1] > widths.median()


def test_what_cannot_be_estimated_is_left_out_and_named() -> None:
    c, *_ = judged_votes(10, 30)
    assert c.outcome is not None
    with pytest.warns(
        UserWarning, match="there are no ties to model, so the judge effect 'ties' is left out"
    ):
        model = pod.BradleyTerry(judge_effects=("ties",), prior=0).fit(c[c.outcome != 0])
    assert model.judge_spread_["ties"] == 0
    with pytest.warns(UserWarning, match="only ties"):
        pod.BradleyTerry(judge_effects=EFFECTS).fit(c[c.outcome == 0])
    with pytest.warns(UserWarning, match="there are only 3 judges"):
        pod.BradleyTerry(judge_effects=("ties",), prior=0).fit(c[np.asarray(c.group) < 3])


def test_sides_say_nothing_if_the_winner_is_always_on_the_left() -> None:
    c = judged_votes(20, 30, (0.8, 0.0, 0.0))[0]
    assert c.outcome is not None
    c = c[c.outcome != 0]
    assert c.outcome is not None
    won = np.where(c.outcome > 0, c.right, c.left), np.where(c.outcome > 0, c.left, c.right)
    by_winner = replace(c, left=won[0], right=won[1], outcome=np.full(len(c), -1, np.int8))
    with pytest.warns(UserWarning, match="the winner is always on the same side"):
        model = pod.BradleyTerry(judge_effects=("sharpness", "side")).fit(by_winner)
    assert model.judge_spread_["side"] == 0
    same(model, pod.BradleyTerry(judge_effects=("sharpness",)).fit(by_winner))


def test_without_a_finite_estimate_skills_are_normal() -> None:
    c, *_ = judged_votes(12, 20)
    winner = pod.Comparisons.from_arrays([9] * 3, [0, 1, 2], [-1] * 3, group=[0, 1, 2])
    with pytest.warns(UserWarning, match="so log-skills have a normal prior"):
        model = pod.BradleyTerry(judge_effects=("ties",)).fit(pod.concat([c, winner]))
    assert model.prior_scale_ > 0
    assert np.isfinite(model.log_skill_).all()
    with pytest.warns(UserWarning, match="so log-skills have a normal prior"):  # 80 comparisons per item
        model = pod.BradleyTerry(judge_effects=("ties",)).fit(judged_votes(10, 20)[0])
    assert model.prior_scale_ > 0


@pytest.mark.parametrize("effects", ["sharpness", (), ("sharpness", "taste"), 3])
def test_other_effects_are_refused(effects: Any) -> None:
    with pytest.raises(
        ValueError, match="judge_effects must be None, 'auto' or some of sharpness, ties, side"
    ):
        pod.BradleyTerry(judge_effects=effects).fit(judged_votes()[0])


def test_votes_without_judges_are_refused() -> None:
    c = replace(judged_votes()[0], group=None, groups=None)
    with pytest.raises(ValueError, match="need to know who voted; give group="):
        pod.BradleyTerry(judge_effects="auto").fit(c)


def test_a_row_without_a_group_is_a_judge_of_its_own() -> None:
    c, *_ = judged_votes(12, 25, WIDE, 5)
    assert c.group is not None
    alone = replace(c, group=np.where(c.group == 3, -1, c.group).astype(np.int32))
    named = c.to_frame().group.to_numpy()
    each = pod.Comparisons.from_arrays(
        c.left, c.right, c.outcome, group=np.where(named == 3, 1000 + np.arange(len(c)), named)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, other = (pod.BradleyTerry(judge_effects=("ties",)).fit(part) for part in (alone, each))
    assert one.log_skill_ == pytest.approx(other.log_skill_, abs=1e-10)
    assert len(one.judge_effects_) == 11
    assert one.predict_proba(alone).shape == (len(c), 3)


def test_counts_are_votes() -> None:
    c, *_ = judged_votes(12, 25, WIDE, 5)
    twice = replace(c, count=np.full(len(c), 2.0))
    one, other = (
        pod.BradleyTerry(judge_effects=("ties",)).fit(part)
        for part in (twice, c[np.repeat(np.arange(len(c)), 2)])
    )
    assert one.log_skill_ == pytest.approx(other.log_skill_, abs=1e-10)
    assert one.judge_effects_.votes.tolist() == other.judge_effects_.votes.tolist() == [50.0] * 12
