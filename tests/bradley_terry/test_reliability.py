"""Reliability and misfit against R's sirt::btm, and against their definitions."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import podium as pod
from podium.bradley_terry.reliability import Votes, estimates, fit_statistics, reliability

SESSIONS = (
    "davies2020a jones2013a_expert1 kinnear2021_experts-even luckett2018_cola luckett2018_coldbrew "
    "marshall2020_statistics pollittx_college sangwin2021_study1-insight zucco2019_legislators"
).split()


def session(n: int = 300, n_items: int = 12, seed: int = 0, spread: float = 1.0) -> pod.Comparisons:
    rng = np.random.default_rng(seed)
    r = rng.normal(0, spread, n_items)
    left = rng.integers(0, n_items, n)
    right = (left + rng.integers(1, n_items, n)) % n_items
    outcome = np.where(rng.random(n) < expit(r[right] - r[left]), 1, -1)
    return pod.Comparisons.from_arrays(left, right, outcome, group=rng.integers(0, 8, n))


@pytest.mark.parametrize("name", SESSIONS)
def test_against_sirt(name: str) -> None:
    """R stops when no skill moves by more than 1e-4, so its skills solve the equations less exactly."""
    if not (os.environ.get("PODIUM_DATA") and os.environ.get("PODIUM_ORACLES")):
        pytest.skip("needs PODIUM_DATA and PODIUM_ORACLES")
    said = json.loads((Path(os.environ["PODIUM_ORACLES"]) / "sirt_btm.json").read_text("utf-8"))[name]
    path = Path(os.environ["PODIUM_DATA"]) / f"comparative_judgement/{name}.csv.gz"
    c = pod.read_comparisons(path, left="chosen", right="not_chosen", group="judge")
    found = reliability(c, splits=0, level=0.95, random_state=0)
    assert found["ssr"] == pytest.approx(said["ssr"], abs=1e-3)
    assert found["separation"] == pytest.approx(said["separation"], rel=1e-3)
    frame = fit_statistics(c, "item").set_index("item")
    frame.index = frame.index.astype(str)
    theirs = pd.DataFrame(said["items"]).T.loc[frame.index]
    assert len(frame) == len(said["items"])
    np.testing.assert_allclose(frame.infit, theirs.infit, rtol=1e-3)
    np.testing.assert_allclose(frame.outfit, theirs.outfit, rtol=1e-3)


def test_a_script_may_be_called_na(tmp_path: Path) -> None:
    file = tmp_path / "votes.csv"
    file.write_text("judge,chosen,not_chosen\nj,N/A,b\nj,b,c\nk,c,N/A\nk,N/A,c\n", encoding="utf-8")
    frame = pod.BradleyTerry().fit(pod.read_comparisons(file, group="judge")).fit_statistics()
    assert frame.item.tolist() == ["N/A", "b", "c"]
    assert frame.n.tolist() == [3, 2, 3]


def test_the_equations_are_solved() -> None:
    """Up to a constant, which centring leaves: x - Σ n p = c I, with two groups that never met."""
    a, b = session(), session(40, 4, 1)
    shifted = pod.Comparisons.from_arrays(
        np.array([*a.items[a.left], *(100 + b.items[b.left])]),
        np.array([*a.items[a.right], *(100 + b.items[b.right])]),
        np.concatenate([c.outcome for c in (a, b) if c.outcome is not None]),
    )
    votes = Votes.of(shifted)
    r, error = estimates(votes)
    met = np.zeros((len(r), len(r)))
    np.add.at(met, (votes.winner, votes.loser), 1.0)
    wins, met = met.sum(axis=1), met + met.T
    games, p = met.sum(axis=1), expit(r[:, None] - r)
    inside = (met * p * (1 - p)).sum(axis=1)
    left = (0.3 + wins * (games - 0.6) / games - (met * p).sum(axis=1)) / inside
    for part in (votes.items < 100, votes.items >= 100):
        assert np.ptp(left[part]) < 1e-12
        assert r[part].mean() == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(error, inside**-0.5)


def test_statistics_do_not_depend_on_the_model() -> None:
    c = session()
    one, other = (pod.BradleyTerry(**how).fit(c) for how in ({}, {"ties": "half", "prior": "normal"}))  # type: ignore[arg-type]
    assert one.reliability(5) == other.reliability(5)
    pd.testing.assert_frame_equal(one.fit_statistics("judge"), other.fit_statistics("judge"))


def test_ties_are_left_out_and_counts_are_votes() -> None:
    c = session()
    tied = pod.concat([c, pod.Comparisons.from_arrays([0, 1], [1, 2], [0, 0], group=[0, 99])])
    twice = pod.Comparisons.from_codes(c.items, c.left, c.right, c.outcome, count=np.full(len(c), 2.0))
    pd.testing.assert_frame_equal(fit_statistics(tied, "item"), fit_statistics(c, "item"))
    doubled = fit_statistics(pod.concat([c, c]), "item")
    pd.testing.assert_frame_equal(fit_statistics(twice, "item"), doubled)


def test_a_judge_who_guesses_has_a_high_infit() -> None:
    c = session(1500, spread=2.0)
    assert c.outcome is not None
    rng = np.random.default_rng(3)
    outcome = np.where(c.group == 5, rng.choice([-1, 1], len(c)), c.outcome)
    guessed = pod.Comparisons.from_codes(c.items, c.left, c.right, outcome, group=c.group)
    frame = fit_statistics(guessed, "judge")
    assert frame.infit.idxmax() == frame.judge.tolist().index(5)
    assert frame.infit.max() > 1.3
    assert frame.infit.drop(frame.infit.idxmax()).max() < 1.1


def test_split_halves() -> None:
    c = session(4000, 30)
    found = reliability(c, splits=20, level=0.95, random_state=1)
    assert found == reliability(c, splits=20, level=0.95, random_state=1)
    assert found["splits"] == 20
    assert 0.8 < found["split_half"] < found["ssr"] < 1
    alone = reliability(pod.Comparisons.from_codes(c.items, c.left, c.right, c.outcome), 20, 0.95, 1)
    assert alone["split_half"] == pytest.approx(found["split_half"], abs=0.05)


@pytest.mark.parametrize("by", ["item", "judge"])
def test_what_cannot_be_computed(by: Any, tmp_path: Path) -> None:
    model = pod.BradleyTerry().fit(session())
    pod.save(model, tmp_path / "m.skops")
    with pytest.raises(ValueError, match="a saved model has no comparisons"):
        pod.load(tmp_path / "m.skops").fit_statistics(by)
    with pytest.raises(ValueError, match="by must be 'item' or 'judge', not 'script'"):
        model.fit_statistics("script")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the comparisons have no judges"):
        fit_statistics(pod.Comparisons.from_arrays(["a"], ["b"], [1]), "judge")


@pytest.mark.slow
def test_coverage_of_the_interval() -> None:
    """Against the squared correlation of the estimates with the true skills; 40 items, 16 votes on each."""
    hits, bias, n = 0, [], 200
    for seed in range(n):
        rng = np.random.default_rng(seed)
        r = rng.normal(0, 1.2, 40)
        left = np.tile(np.arange(40), 8)
        right = (left + rng.integers(1, 40, len(left))) % 40
        outcome = np.where(rng.random(len(left)) < expit(r[right] - r[left]), 1, -1)
        c = pod.Comparisons.from_arrays(left, right, outcome)
        found = reliability(c, 0, 0.95, 0)
        votes = Votes.of(c)
        truth = np.corrcoef(estimates(votes)[0], r[votes.items])[0, 1] ** 2
        bias.append(found["ssr"] - truth)
        hits += found["ssr_low"] <= truth <= found["ssr_high"]
    print(hits / n, np.mean(bias), np.std(bias))
    assert hits / n > 0.85
    assert abs(np.mean(bias)) < 0.02


def test_halves_without_any_spread_do_not_count() -> None:
    few = pod.Comparisons.from_arrays([*"abca"], [*"bcab"], [-1, -1, -1, 1])
    found = pod.BradleyTerry(prior=1.0).fit(few).reliability()
    assert found["splits"] == 0 or np.isfinite(found["split_half"])
    with pytest.raises(ValueError, match="level must be between 0 and 1, not 2"):
        pod.BradleyTerry(prior=1.0).fit(few).reliability(level=2)
