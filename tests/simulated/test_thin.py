"""Many items with few games: what a normal prior covers, and what the board says without one."""

import warnings
from typing import Any

import numpy as np
import pytest

import podium as pod
from podium.skill.fit import ExistenceWarning

EFFECT = 0.5  # of the left side, and of one unit more of the covariate


def thin_games(run: int, n_items: int, games: int, tie: float) -> tuple[Any, pod.Comparisons]:
    """Log-skills with standard deviation 1, and random pairs with ``games`` per item."""
    rng = np.random.default_rng([n_items, games, run])
    theta, n = rng.normal(size=n_items), n_items * games // 2
    left = rng.integers(0, n_items, n)
    right = (left + rng.integers(1, n_items, n)) % n_items
    length = rng.normal(size=n)
    d = theta[right] - theta[left] - EFFECT + EFFECT * length
    p = np.column_stack([np.exp(-d / 2), np.full(n, tie), np.exp(d / 2)])
    p /= p.sum(axis=1, keepdims=True)
    outcome = (rng.random(n)[:, None] > p.cumsum(axis=1)[:, :2]).sum(axis=1) - 1
    return theta, pod.Comparisons.from_arrays(left, right, outcome, covariates={"length": length})


def fitted(c: pod.Comparisons, **options: Any) -> pod.BradleyTerry:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExistenceWarning)
        return pod.BradleyTerry(order_effect=True, **options).fit(c)


def covered(runs: int, n_items: int, games: int, tie: float = 1.0) -> Any:
    """How often 95 % intervals of a normal prior hold scores, the covariate, the order effect and log ν."""
    held = []
    for run in range(runs):
        theta, c = thin_games(run, n_items, games, tie)
        model = fitted(c, prior="normal")
        low, high = model.interval().T
        true = theta[model.items_] - theta[model.items_].mean()
        inside = [np.mean((low <= true) & (true <= high))]
        table = model.summary().to_frame().set_index("parameter")
        for name, value in (("length", EFFECT), ("order effect", EFFECT), ("tie (log ν)", np.log(tie or 1))):
            if name in table.index:
                inside.append(table.loc[name, "low"] <= value <= table.loc[name, "high"])
        held.append(inside)
    return np.mean(held, axis=0)


def biases(runs: int, n_items: int, games: int) -> tuple[Any, float]:
    """The mean of ν, the covariate and the order effect, relative to the truth; how often there is a note."""
    found, noted = [], []
    for run in range(runs):
        model = fitted(thin_games(run, n_items, games, 1.0)[1])
        found.append([model.tie_, model.covariate_effect_[0] / EFFECT, model.order_effect_ / EFFECT])
        noted.append(any("too far apart" in note for note in model.leaderboard().notes))
    return np.mean(found, axis=0), float(np.mean(noted))


def test_a_normal_prior_covers_thin_data() -> None:
    assert (covered(15, 50, 5) >= [0.88, 0.8, 0.8, 0.73]).all()


def test_thin_data_have_a_note() -> None:
    assert biases(2, 200, 20)[1] == 1
    assert biases(2, 10, 400)[1] == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_items", "games", "tie", "runs"),
    [(50, 5, 1.0, 300), (50, 5, 0.0, 300), (500, 5, 1.0, 60), (500, 5, 0.0, 60)],
)
def test_a_normal_prior_covers_thin_data_long(n_items: int, games: int, tie: float, runs: int) -> None:
    found = covered(runs, n_items, games, tie)
    print(n_items, games, tie, runs, found.round(3))
    assert found[0] >= 0.93
    assert (found[1:] >= 0.85).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_items", "games", "runs", "noted"),
    [(500, 5, 20, 1), (500, 20, 20, 1), (50, 20, 100, 1), (200, 40, 20, 0), (10, 400, 20, 0)],
)
def test_thin_data_have_a_note_long(n_items: int, games: int, runs: int, noted: int) -> None:
    found = biases(runs, n_items, games)
    print(n_items, games, found)
    assert found[1] == noted


@pytest.mark.slow
def test_many_ties_never_give_endless_numbers_long() -> None:
    for run in range(300):
        c, _ = pod.datasets.make_games(50, 125, tie_rate=10.0, order_effect=0.5, random_state=run)
        model = fitted(c, prior="normal")
        assert model.tie_ < 1e6
        assert abs(model.order_effect_) < 8


@pytest.mark.slow
def test_an_order_effect_is_no_error_with_hardly_a_win_long() -> None:
    for run in range(300):
        c, _ = pod.datasets.make_games(20, 100, tie_rate=30.0, random_state=run)
        assert abs(fitted(c).order_effect_) < 8
