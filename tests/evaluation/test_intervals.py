"""Intervals cover the truth, and real differences are told apart from noise."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import podium as pod
from podium.evaluation.intervals import Score, behind_best, side_by_side, with_intervals
from podium.evaluation.scoring import Judged, Misses
from tests.cli.runs import done

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("hits", [0, 3, 17, 20])
def test_shares_have_the_exact_interval(hits: int) -> None:
    hit = np.arange(20) < hits
    [score] = with_intervals(Judged({"accuracy": lambda rows: hit[rows].mean()}, 20, False, None), 0.9)
    expected = binomtest(hits, 20).proportion_ci(0.9, method="exact")
    assert (score.low, score.high) == pytest.approx((expected.low, expected.high))


def test_the_bootstrap_has_the_width_of_the_normal_interval() -> None:
    x = RNG.normal(size=400)
    judged = Judged({"mean": lambda rows: x[rows].mean()}, 400, False, None)
    [score] = with_intervals(judged, n_bootstrap=2000)
    assert score.interval == "bootstrap"
    assert score.high - score.low == pytest.approx(2 * 1.96 * x.std() / 20, rel=0.1)
    assert with_intervals(judged, n_bootstrap=50) == with_intervals(judged, n_bootstrap=50)


def test_any_random_state_will_do() -> None:
    x = RNG.normal(size=50)
    judged = Judged({"mean": lambda rows: x[rows].mean()}, 50, False, None)
    for make in (lambda: 3, lambda: np.random.RandomState(3), lambda: np.random.default_rng(3)):
        one, other = (with_intervals(judged, n_bootstrap=20, random_state=make()) for _ in range(2))
        assert one == other
        assert one[0].low < one[0].value < one[0].high


def test_groups_are_resampled_whole() -> None:
    group = np.repeat(np.arange(20), 30)
    x = RNG.normal(size=20)[group]  # all rows of a group are alike: there are 20 facts, not 600
    score = {"accuracy": lambda rows: x[rows].mean()}
    [by_group] = with_intervals(Judged(score, 600, False, group), n_bootstrap=500)
    assert by_group.interval == "bootstrap of groups"
    assert by_group.high - by_group.low == pytest.approx(2 * 1.96 * x.std() / np.sqrt(20), rel=0.25)


def test_what_is_infinite_has_no_interval() -> None:
    [score] = with_intervals(Judged({"log loss": lambda rows: np.inf}, 5, False, None))
    assert score.value == np.inf
    assert np.isnan(score.low)
    with pytest.raises(ValueError, match="level"):
        with_intervals(Judged({}, 5, False, None), level=1.0)


# ------------------------------------------------------------------------------------ calibration


def judged_chances(rng: np.random.Generator, n: int, sharpness: float, group_size: int = 1) -> Judged:
    """Chances of three outcomes, right if ``sharpness`` is 1; the rows of a group are one fact repeated."""
    z = rng.normal(size=(n // group_size, 3))
    truth, said = (np.exp(s * z) / np.exp(s * z).sum(axis=1, keepdims=True) for s in (1.0, sharpness))
    y = (rng.uniform(size=(len(z), 1)) > truth.cumsum(axis=1)[:, :2]).sum(axis=1) - 1
    misses = Misses.of(np.repeat(y, group_size), np.repeat(said, group_size, axis=0), np.ones(n))
    group = np.repeat(np.arange(n // group_size), group_size) if group_size > 1 else None
    return Judged(
        {"calibration error": misses.error}, n, False, group, {"calibration error": misses.error_by_chance}
    )


@pytest.mark.parametrize("group_size", [1, 4])
def test_an_error_that_chance_explains_may_be_none(group_size: int) -> None:
    """The quantiles of the bootstrap hold the truth, 0, in none of these cases: bins are never exact."""
    found = [
        with_intervals(judged_chances(np.random.default_rng(k), 240, 1.0, group_size), n_bootstrap=60)[0]
        for k in range(40)
    ]
    assert all(score.value > 0 for score in found)
    assert np.mean([score.low == 0 for score in found]) > 0.8
    assert {score.interval for score in found} == {"basic bootstrap" + " of groups" * (group_size > 1)}


def test_an_error_that_is_none_of_chance_is_told() -> None:
    judged = judged_chances(np.random.default_rng(0), 2000, 3.0)
    truth = with_intervals(judged_chances(np.random.default_rng(1), 200_000, 3.0), n_bootstrap=0)[0].value
    [score] = with_intervals(judged, n_bootstrap=100)
    assert 0 < score.low < truth < score.high < 1


@given(st.integers(3, 40), st.integers(0, 1000), st.floats(0.2, 5))
def test_the_interval_of_the_calibration_error_holds_it(n: int, seed: int, sharpness: float) -> None:
    [score] = with_intervals(judged_chances(np.random.default_rng(seed), n, sharpness), n_bootstrap=20)
    assert 0 <= score.low <= score.value <= score.high <= 1


# ------------------------------------------------------------------------------------ side by side


def losses(x: np.ndarray, name: str = "log loss", group: np.ndarray | None = None) -> Judged:
    return Judged({name: lambda rows: float(x[rows].mean())}, len(x), False, group)


def test_the_difference_has_the_interval_of_paired_rows() -> None:
    """Losses vary much between rows, but differ little between two models on the same row."""
    hard = RNG.normal(size=300, scale=10)
    gap = 0.1 + 0.2 * RNG.normal(size=300)
    found = side_by_side({"worse": [losses(hard + gap)], "best": [losses(hard)]}, n_bootstrap=2000)
    behind = found["worse"].behind["log loss"]
    assert behind.value == pytest.approx(gap.mean())
    half = 1.96 * gap.std() / np.sqrt(300)
    assert (behind.low, behind.high) == pytest.approx((gap.mean() - half, gap.mean() + half), abs=0.1 * half)
    assert behind.low > 0  # although the intervals of the two overlap almost completely
    one, other = (found[model].scores["log loss"] for model in ("worse", "best"))
    assert one.low < other.value < one.high
    assert found["best"].behind["log loss"].value == 0
    assert np.isnan(found["best"].behind["log loss"].low)


def test_parts_are_averaged_and_resampled_each_for_itself() -> None:
    small, large = np.array([1.0, 1.0]), np.full(50, 3.0)
    [standing] = side_by_side({"one": [losses(small), losses(large)]}).values()
    score = standing.scores["log loss"]
    assert (score.value, score.low, score.high) == (2.0, 2.0, 2.0)


def test_more_is_better_of_auc_and_accuracy() -> None:
    few, many = np.array([0.1, 0.2]), np.array([0.8, 0.9])
    found = side_by_side({"few": [losses(few, "AUC")], "many": [losses(many, "AUC")]})
    assert found["many"].behind["AUC"].value == 0
    assert found["few"].behind["AUC"].value == pytest.approx(0.7)
    assert found["few"].behind["AUC"].low > 0


def test_infinite_and_missing_scores_are_never_the_best() -> None:
    endless, none = np.array([np.inf, 1.0]), np.array([np.nan, np.nan])
    models = {"none": [losses(none)], "endless": [losses(endless)], "finite": [losses(np.ones(2))]}
    found = side_by_side(models)
    assert found["finite"].behind["log loss"].value == 0
    assert found["endless"].behind["log loss"].value == np.inf
    assert np.isnan(found["none"].behind["log loss"].value)
    assert all(np.isnan(standing.behind["log loss"].low) for standing in found.values())


def test_groups_are_drawn_together_for_all_models() -> None:
    group = np.repeat(np.arange(10), 20)
    hard, gap = RNG.normal(size=200), RNG.normal(size=10)[group] + 0.5
    models = {"worse": [losses(hard + gap, group=group)], "best": [losses(hard, group=group)]}
    behind = side_by_side(models, n_bootstrap=1000)["worse"].behind["log loss"]
    expected = 2 * 1.96 * gap.std() / np.sqrt(10)  # ten facts, not two hundred
    assert behind.high - behind.low == pytest.approx(expected, rel=0.2)


def test_without_replicates_only_shares_have_intervals() -> None:
    judged = Judged({"error": lambda rows: 0.5, "AUC": lambda rows: 0.5}, 10, False, None)
    error, auc = with_intervals(judged, n_bootstrap=0)
    assert error.low < 0.5 < error.high
    assert np.isnan(auc.low)


# ------------------------------------------------------------------------------------ picking the best


def simulated(
    models: int, kind: str, worse: float = 0.0, tables: int = 1000
) -> Iterator[tuple[list[Score], Score]]:
    """Differences to the best in tables of 200 losses per model, the first of which is better by ``worse``.

    Yields those of all models but the first, and that of the first. Resamples serve 50 tables each.
    """
    rng = np.random.default_rng(0)
    for table in range(tables):
        if table % 50 == 0:
            times = rng.multinomial(199, np.full(200, 1 / 200), size=500) / 199
        hard = rng.normal(size=200)  # a hard row is hard for all models
        if kind == "log loss":
            loss = np.log1p(np.exp(2 * rng.normal(size=(models, 200)) + hard))
        else:
            loss = (rng.normal(size=(models, 200)) + hard > 1).astype(float)
        loss[1:] += worse
        names = [str(k) for k in range(models)]
        value = dict(zip(names, loss.mean(axis=1), strict=True))
        draws = dict(zip(names, loss @ times.T, strict=True))
        first, *others = behind_best(kind, value, draws, 0.95).values()
        yield others, first


@pytest.mark.parametrize(
    ("models", "kind"),
    [
        pytest.param(2, "error", marks=pytest.mark.slow),
        (3, "log loss"),
        pytest.param(6, "log loss", marks=pytest.mark.slow),
        (6, "error"),
    ],
)
def test_the_best_of_equal_models_is_not_called_better(models: int, kind: str) -> None:
    """In 5 % of tables it is. Intervals of one pair would do it in 12 % with three models, 36 % with six."""
    called = [any(score.low > 0 for score in [*others, first]) for others, first in simulated(models, kind)]
    assert 0.03 < np.mean(called) < 0.07


def test_a_model_that_is_better_is_found() -> None:
    found = [[score.low > 0 for score in others] for others, _ in simulated(3, "log loss", 0.5, 300)]
    assert np.mean(np.all(found, axis=1)) > 0.85


def test_the_intervals_hold_the_truth_all_at_once() -> None:
    """The first of six models is so much better that it is always the best."""
    held = [
        all(score.low <= 2 <= score.high for score in others)
        for others, _ in simulated(6, "log loss", 2.0, 500)
    ]
    assert np.mean(held) > 0.93


def test_more_rivals_widen_the_interval_of_each() -> None:
    loss = RNG.exponential(size=(6, 100))
    loss[0] -= 0.5
    models = {str(k): [losses(x)] for k, x in enumerate(loss)}
    few, many = (side_by_side(dict(list(models.items())[:k]))["1"].behind["log loss"] for k in (2, 6))
    assert few.value == many.value > 0
    assert many.high - many.low > 1.2 * (few.high - few.low)


def test_progress_counts_the_resamples() -> None:
    loss, seen = np.arange(20.0), []
    judged = Judged({"loss": lambda rows: loss[rows].mean()}, 20, False, None)
    with_intervals(judged, n_bootstrap=30, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(done, 30) for done in range(1, 31)]


def test_scores_of_rows_without_time_are_those_of_the_command_line(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X, query = rng.normal(size=(120, 2)), np.arange(120) // 10
    table = pd.DataFrame(X, columns=["a", "b"]).assign(query=query, grade=np.digitize(X[:, 0], [0.0, 1.0]))
    table["a"] += rng.normal(size=120)
    table.to_csv(tmp_path / "rows.csv", index=False)
    train, test = (pod.read_rows(tmp_path / "rows.csv", where=f"query {which} 8") for which in ("<", ">="))
    model = make_pipeline(StandardScaler(), pod.SwappedPairsSVM())
    model.fit(train.features, train.label, swappedpairssvm__qid=train.query)
    pod.save(model, tmp_path / "model.skops")
    found = pod.evaluation.evaluate(model, test, k=3, n_bootstrap=50)
    options = ["--where", "query >= 8", "--metric", "ndcg@3", "--bootstrap", 50]
    done("evaluate", tmp_path / "model.skops", tmp_path / "rows.csv", *options, "--out", tmp_path / "out.csv")
    same = pd.read_csv(tmp_path / "out.csv", index_col="score")
    for name in ("swapped pairs", "NDCG@3"):
        np.testing.assert_allclose(found[name][1:4], same.loc[name, ["value", "low", "high"]].astype(float))
        assert found[name].low < found[name].value < found[name].high
    with pytest.raises(ValueError, match="k must be a whole number"):
        pod.evaluation.evaluate(model, test, k=0)


def test_comparisons_without_time_are_evaluated_too() -> None:
    games = pod.Comparisons.from_arrays(list("ababc"), list("babaa"), [1, -1, 0, 1, 1])
    model = pod.BradleyTerry().fit(games[:4])
    with pytest.warns(UserWarning, match="1 of 5 rows are left out"):
        found = pod.evaluation.evaluate(model, games, n_bootstrap=10)
    assert found["error"].low < found["error"].high
    with pytest.raises(ValueError, match="k is for NDCG of labelled rows"):
        pod.evaluation.evaluate(model, games, k=10)
