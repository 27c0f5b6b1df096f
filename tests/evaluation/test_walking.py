"""Every tested row is predicted from strictly earlier rows, and scored as scikit-learn scores it."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss

import podium as pod
from podium.evaluation import WalkForward, walk_forward

CHESS = pod.read_comparisons(pod.datasets.shipped_file("chess_club.csv"), time="season")
SEASON = np.asarray(CHESS.time)


def by_hand(y: NDArray[np.int8], p: NDArray[np.float64]) -> dict[str, float]:
    expected, score = p[:, 2] + p[:, 1] / 2, (y + 1) / 2
    with np.errstate(divide="ignore"):
        losses = {"log loss": -np.log(p[np.arange(len(y)), y + 1]).mean()}
    losses["score loss"] = -np.mean(score * np.log(expected) + (1 - score) * np.log(1 - expected))
    return losses | {"Brier": ((p - (y[:, None] == [-1, 0, 1])) ** 2).sum(axis=1).mean() / 2}


def assert_scored(walk: WalkForward, p: NDArray[np.float64]) -> None:
    for name, loss in by_hand(walk.outcome, p).items():
        assert walk.scores[name].value == pytest.approx(loss)
    found = walk.probability
    assert found is not None
    np.testing.assert_allclose(found, p)
    frame = walk.to_frame()
    assert frame.columns.tolist() == ["score", "value", "low", "high", "n"]
    assert (frame["n"] == len(walk.rows)).all()


def test_a_model_without_before_is_fitted_to_all_that_is_strictly_earlier() -> None:
    walk = walk_forward(pod.BradleyTerry(), CHESS, start=2023, refits=3)
    assert walk.rows.tolist() == np.flatnonzero(SEASON >= 2023).tolist()
    p = np.zeros((len(CHESS), 3))
    for year in (2023, 2024, 2025):
        p[year == SEASON] = pod.BradleyTerry().fit(CHESS[year > SEASON]).predict_proba(CHESS[year == SEASON])
    assert_scored(walk, p[walk.rows])
    said = np.array([-1, 0, 1])[p[walk.rows].argmax(axis=1)]
    assert walk.scores["accuracy"].value == pytest.approx(accuracy_score(walk.outcome, said))
    assert "fitted 3 times" in repr(walk)


def test_a_model_with_before_follows_the_rows() -> None:
    """Fitted again or not, Elo has the same ratings."""
    elo = pod.Elo(tie=0.8)
    walk = walk_forward(elo, CHESS, start=2024)
    assert not hasattr(elo, "items_")
    early, late = CHESS[SEASON < 2024], CHESS[SEASON >= 2024]
    assert_scored(walk, elo.fit(early).before(late))
    assert "fitted 2 times, each to all rows before its period; then it followed those of" in repr(walk)


def test_parameters_that_are_auto_are_estimated_in_each_period() -> None:
    """The first season alone says something else about spread and drift than all seasons before the last."""
    walk = walk_forward(pod.DynamicBradleyTerry(), CHESS, start=2023, refits=3)
    p, spreads = np.zeros((len(CHESS), 3)), []
    for year in (2023, 2024, 2025):
        model = pod.DynamicBradleyTerry().fit(CHESS[year > SEASON])
        p[year == SEASON] = model.before(CHESS[year == SEASON])
        spreads.append(model.spread_)
    assert_scored(walk, p[walk.rows])
    assert f"spread {min(spreads):.3g} to {max(spreads):.3g}" in walk.notes[1]
    known = walk_forward(pod.DynamicBradleyTerry(1.0, drift=0.2, reversion=0.0, order_drift=0.0), CHESS)
    assert not any("estimated" in note for note in known.notes)


def test_rows_in_any_order_have_the_same_scores() -> None:
    order = np.random.default_rng(0).permutation(len(CHESS))
    one, other = (walk_forward(pod.BradleyTerry(), c, start=2023, refits=2) for c in (CHESS, CHESS[order]))
    for name, score in one.scores.items():
        assert other.scores[name][1:4] == pytest.approx(score[1:4])
    assert sorted(order[other.rows]) == one.rows.tolist()


def test_without_ties_the_scores_are_the_usual_ones() -> None:
    c = pod.datasets.load_chess_club()
    c = c[np.asarray(c.outcome) != 0]
    walk = walk_forward(pod.BradleyTerry(), c, refits=1)
    assert walk.probability is not None
    right = walk.probability[:, 2]
    assert list(walk.scores) == ["log loss", "Brier", "accuracy"]
    assert walk.scores["log loss"].value == pytest.approx(log_loss(walk.outcome == 1, right))
    assert walk.scores["Brier"].value == pytest.approx(brier_score_loss(walk.outcome == 1, right))
    assert walk.rows.tolist() == list(range(len(c) - round(0.2 * len(c)), len(c)))


def test_weights_count_as_copies() -> None:
    rng = np.random.default_rng(0)
    times = rng.integers(0, 3, size=len(CHESS))
    copies = CHESS[np.repeat(np.arange(len(CHESS)), times)]
    some = CHESS[times > 0]
    counted = pod.Comparisons.from_arrays(
        some.items[some.left],
        some.items[some.right],
        some.outcome,
        count=times[times > 0],
        time=np.asarray(some.time),
    )
    found = [walk_forward(pod.BradleyTerry(), c, start=2025, blocks=1, refits=1) for c in (counted, copies)]
    for name, score in found[0].scores.items():
        assert score.value == pytest.approx(found[1].scores[name].value)
        assert np.isnan(score.low)  # one season is one block


def test_strangers_are_average_and_ties_may_be_impossible() -> None:
    names = CHESS.items[np.column_stack([CHESS.left, CHESS.right])].astype(object)
    names[SEASON >= 2024] += " (youth)"
    c = pod.Comparisons.from_arrays(names[:, 0], names[:, 1], CHESS.outcome, time=SEASON)
    walk = walk_forward(pod.BradleyTerry(), c, start=2024, refits=1)
    assert walk.notes[1] == "364 rows have an item that was not learned from, which counts as average"
    assert walk.probability is not None
    assert np.ptp(walk.probability, axis=0) == pytest.approx(0)
    untied = walk_forward(pod.Elo(), c, start=2024)
    assert "the log loss is infinite: ties have probability 0; the score loss" in repr(untied)
    assert np.isinf(untied.scores["log loss"].value)
    assert np.isnan(untied.scores["log loss"].low)
    assert (
        untied.scores["score loss"].low < untied.scores["score loss"].value < untied.scores["score loss"].high
    )


@pytest.mark.filterwarnings("ignore:the items form 2 groups")
def test_rows_that_cannot_be_compared_have_even_chances() -> None:
    """The second league never met the first one before the test."""
    sides = ["a", "b", "c", "d"] * 2 + ["a"], ["b", "a", "d", "c"] * 2 + ["c"]
    c = pod.Comparisons.from_arrays(*sides, outcome=[1, 1, -1, -1, -1, -1, 1, 1, 1])
    walk = walk_forward(pod.BradleyTerry(), c, test_share=0.1, refits=1)
    assert walk.notes[1] == "1 rows have even chances, since the model cannot compare their items"
    assert walk.scores["log loss"].value == pytest.approx(np.log(2))


def test_models_without_probabilities_have_accuracy_and_auc() -> None:
    c = pod.datasets.make_norm_comparisons(60, norm=1, random_state=0)
    walk = walk_forward(pod.SVMCompare(), c, refits=1)
    assert walk.probability is None
    model, late = pod.SVMCompare().fit(c[:48]), c[48:]
    area = pod.metrics.comparison_auc(np.asarray(late.outcome), model.decision_function(late))
    expected = {"accuracy": model.score(late), "AUC": area}
    assert {name: score.value for name, score in walk.scores.items()} == pytest.approx(expected)


def test_two_models_are_compared_on_the_same_blocks() -> None:
    c = pod.datasets.load_chess_club()
    one, other = (walk_forward(pod.BradleyTerry(ties=ties), c) for ties in ("davidson", "rao-kupper"))
    table, back = one.compare(other).set_index("score"), other.compare(one).set_index("score")
    for name, score in one.scores.items():
        assert table["difference"][name] == pytest.approx(score.value - other.scores[name].value)
        assert table["low"][name] == pytest.approx(-back["high"][name], nan_ok=True)
    y, rows = one.outcome + 1, np.arange(len(one.rows))
    assert one.probability is not None
    assert other.probability is not None
    gap = np.log(other.probability[rows, y] / one.probability[rows, y])
    sums, size = np.bincount(one.block, gap - gap.mean()), len(gap)
    error = np.sqrt(20 / 19 * (sums**2).sum()) / size  # of a mean over 20 blocks
    width = table["high"]["log loss"] - table["low"]["log loss"]
    assert width == pytest.approx(2 * 2.093 * error, rel=0.15)
    pooled = one.compare(other, blocks=4).set_index("score")
    assert pooled["difference"].tolist() == table["difference"].tolist()
    sums = sums.reshape(4, 5).sum(axis=1)
    error = np.sqrt(4 / 3 * (sums**2).sum()) / size
    width = pooled["high"]["log loss"] - pooled["low"]["log loss"]
    assert width == pytest.approx(2 * 3.182 * error, rel=0.15)
    assert np.isnan(one.compare(other, blocks=1)["low"]).all()
    with pytest.raises(ValueError, match="blocks is 0, where a number of at least 1"):
        one.compare(other, blocks=0)
    worse = walk_forward(pod.Elo(start=0, tie=50.0), c)
    assert worse.compare(one).set_index("score")["difference"]["accuracy"] < 0
    with pytest.raises(ValueError, match="not tested on the same rows"):
        one.compare(walk_forward(pod.Elo(), c, test_share=0.5))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test_share": 1.0}, "test_share is 1, where a number between 0 and 1 is expected"),
        ({"start": 2030}, "start=2030 leaves no row to test on; times go from 2021"),
        ({"start": 2021}, "start=2021 leaves no row to learn from"),
        ({"refits": 0}, "refits is 0, where a number of at least 1 is expected"),
        ({"refits": 1.5}, "refits is 1.5, where a number of at least 1 is expected"),
        ({"level": 2.0}, "between 0 and 1, not 2.0"),
        ({"level": "x"}, "between 0 and 1, not 'x'"),
        ({"n_bootstrap": -1}, "n_bootstrap is -1, where a number of at least 0 is expected"),
        ({"test_share": "x"}, "test_share is 'x', where a number between 0 and 1 is expected"),
    ],
)
def test_impossible_tests_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        walk_forward(pod.BradleyTerry(), CHESS, **options)  # type: ignore[arg-type]


def test_bad_data_are_refused() -> None:
    c = pod.Comparisons.from_arrays(["a", "b"], ["b", "a"])
    with pytest.raises(ValueError, match="no outcomes to compare predictions with"):
        walk_forward(pod.Elo(), c)
    with pytest.raises(ValueError, match="have no time; give test_share instead"):
        walk_forward(pod.Elo(), pod.datasets.load_chess_club(), start=2024)
    with pytest.raises(ValueError, match="comparisons are expected, not list"):
        walk_forward(pod.Elo(), [])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="all rows have the same time"):
        walk_forward(pod.Elo(), CHESS[SEASON == 2025])
    with pytest.raises(ValueError, match="there are no comparisons to test on"):
        walk_forward(pod.Elo(), CHESS[:0])
    with pytest.raises(ValueError, match="start must be a number, not 'soon'"):
        walk_forward(pod.Elo(), CHESS, start="soon")


@pytest.mark.parametrize("model", [pod.OrdinalSVM(), "elo"])
def test_what_does_not_learn_from_comparisons_is_refused(model: Any) -> None:
    with pytest.raises(ValueError, match="does not learn from comparisons"):
        walk_forward(model, CHESS)
