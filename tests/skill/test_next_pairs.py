"""next_pairs against brute force: every pair is tried, and the covariance is computed again."""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from podium import BradleyTerry, Comparisons, DynamicBradleyTerry, PlackettLuce, Rankings
from podium.skill.fit import ExistenceWarning
from podium.skill.next_pairs import _information, importance

ITEMS = list("abcdef")
PAIRS = list(combinations(range(6), 2))


def votes(n: int = 60, time: Any = None) -> Comparisons:
    """Random votes with some ties; the first item is the best."""
    rng = np.random.default_rng(2)
    left, right = np.array([rng.permutation(6)[:2] for _ in range(n)]).T
    result = np.digitize(0.5 * (left - right) + rng.logistic(size=n), [-0.4, 0.4]) - 1
    names = np.array(ITEMS)
    return Comparisons.from_arrays(names[left], names[right], -result, time=time)


@pytest.fixture(scope="module")
def model() -> BradleyTerry:
    return BradleyTerry().fit(votes())


# ------------------------------------------------------------------------------------ an oracle


def variance_of(cov: Any, i: int, j: int) -> float:
    return float(cov[i, i] + cov[j, j] - 2 * cov[i, j])


def weights(model: Any, goal: Any) -> dict[tuple[int, int], float]:
    """ω of every pair, from the definition."""
    skill, top = model.log_skill_, {"best": 1, "top-2": 2}.get(goal if isinstance(goal, str) else "")
    found = {}
    for i, j in PAIRS:
        error = np.sqrt(variance_of(model.covariance_, i, j))
        omega = norm.pdf((skill[i] - skill[j]) / error) / (2 * error)
        if isinstance(goal, tuple):
            omega = float({ITEMS[i], ITEMS[j]} == set(goal))
        elif top is not None:
            omega *= (sum(skill > skill[i]) < top) != (sum(skill > skill[j]) < top)
        found[i, j] = omega
    return found


def after(cov: Any, i: int, j: int, information: float) -> Any:
    """The covariance after one more comparison, from the inverse."""
    e = np.zeros(len(cov))
    e[[i, j]] = 1, -1
    known = np.linalg.inv(cov + np.ones_like(cov))  # differences do not change if all skills move together
    return np.linalg.inv(known + information * np.outer(e, e))


def tells(model: Any, i: int, j: int) -> float:
    """The information of a comparison by Davidson's model: the variance of half the sign of its result."""
    kappa = 1 / np.sqrt(1 + np.pi / 8 * variance_of(model.covariance_, i, j))
    half = kappa * (model.log_skill_[i] - model.log_skill_[j]) / 2
    odds = np.array([np.exp(half), model.fit_.tie, np.exp(-half)])
    p = odds / odds.sum()
    return float(kappa * (p[0] + p[2] - (p[0] - p[2]) ** 2) / 4)


def gains(model: Any, cov: Any, omega: dict[tuple[int, int], float]) -> dict[tuple[int, int], float]:
    found = {}
    for i, j in PAIRS:
        later = after(cov, i, j, tells(model, i, j))
        found[i, j] = sum(omega[p] * (variance_of(cov, *p) - variance_of(later, *p)) for p in PAIRS)
    return found


def places(frame: pd.DataFrame) -> list[tuple[int, int]]:
    sides = zip(frame["left"], frame["right"], strict=True)
    return [(min(i, j), max(i, j)) for i, j in ((ITEMS.index(a), ITEMS.index(b)) for a, b in sides)]


# ------------------------------------------------------------------------------------ gains


@pytest.mark.parametrize("goal", ["ranking", "best", "top-2", ("b", "e")])
def test_a_batch_is_brute_force_one_pair_after_the_other(model: BradleyTerry, goal: Any) -> None:
    drawn = model.next_pairs(8, goal, explore=0.0, random_state=0)
    cov, omega, left = model.covariance_, weights(model, goal), set(PAIRS)
    for pair, gain in zip(places(drawn), drawn["gain"], strict=True):
        every = gains(model, cov, omega)
        assert gain == pytest.approx(every[pair], rel=1e-6)
        assert gain == pytest.approx(max(every[p] for p in left), rel=1e-6)
        left.remove(pair)
        cov = after(cov, *pair, tells(model, *pair))


def test_without_a_batch_the_gains_are_those_of_now(model: BradleyTerry) -> None:
    drawn = model.next_pairs(15, batch=False, explore=0.0)
    every = gains(model, model.covariance_, weights(model, "ranking"))
    np.testing.assert_allclose(drawn["gain"], sorted(every.values(), reverse=True), rtol=1e-6)
    assert sorted(places(drawn)) == PAIRS


def test_weights_are_derivatives_of_the_expected_size_of_a_wrong_order() -> None:
    def loss(difference: float, variance: float) -> Any:
        z = difference / np.sqrt(variance)
        return np.sqrt(variance) * norm.pdf(z) - difference * norm.cdf(-z)

    omega = importance("ranking", ["a", "b"], np.array([0.7, 0.0]), np.array([[0.0, 0.5], [0.5, 0.0]]))
    assert omega[0, 1] == pytest.approx((loss(0.7, 0.5 + 1e-5) - loss(0.7, 0.5 - 1e-5)) / 2e-5)
    assert omega[0, 0] == 0


def test_information_is_a_mean_over_the_unknown_difference() -> None:
    c = votes()
    fit = BradleyTerry().fit(c[np.asarray(c.outcome) != 0]).fit_
    node, weight = np.polynomial.hermite_e.hermegauss(60)
    for difference, variance in [(0.0, 0.1), (1.0, 1.0), (2.0, 0.5), (0.5, 4.0)]:
        p = 1 / (1 + np.exp(-(difference + np.sqrt(variance) * node)))
        mean = weight @ (p * (1 - p)) / weight.sum()
        v = np.array([[0.0, variance], [variance, 0.0]])
        found = _information(fit, np.array([difference, 0.0]), v)[0, 1]
        assert found == pytest.approx(mean, rel=0.04)


def test_groups_that_were_never_compared_are_joined_first() -> None:
    apart = Comparisons.from_arrays(
        list("abab") + list("cdcd"), list("baba") + list("dcdc"), [-1, -1, -1, 1] * 2
    )
    with pytest.warns(ExistenceWarning):
        model = BradleyTerry().fit(apart)
    first = model.next_pairs(1, explore=0.0, random_state=0).iloc[0]
    assert len({first["left"], first["right"]} & {"a", "b"}) == 1


# ------------------------------------------------------------------------------------ probabilities


def test_probabilities_of_all_pairs_sum_to_1(model: BradleyTerry) -> None:
    drawn = pd.concat([model.next_pairs(1, explore=0.8, random_state=seed) for seed in range(120)])
    chance = dict(zip(places(drawn), drawn["probability"], strict=True))
    assert len(chance) == 15
    assert sum(chance.values()) == pytest.approx(1)
    often = pd.Series(places(drawn)).value_counts()
    assert chance[often.index[0]] == pytest.approx(0.2 + 0.8 / 15)
    assert drawn["left"].nunique() == drawn["right"].nunique() == 6


def test_pure_exploration_is_uniform_and_no_pair_comes_twice(model: BradleyTerry) -> None:
    drawn = model.next_pairs(100, explore=1.0, random_state=0)
    assert sorted(places(drawn)) == PAIRS
    np.testing.assert_allclose(drawn["probability"], 1 / np.arange(15, 0, -1))
    assert not drawn["gain"].is_monotonic_decreasing


def test_equal_gains_share_the_probability() -> None:
    circle = BradleyTerry().fit(Comparisons.from_arrays(list("abc"), list("bca"), [-1] * 3))
    drawn = [circle.next_pairs(1, explore=0.0, random_state=seed).iloc[0] for seed in range(20)]
    assert {row["probability"] for row in drawn} == {1 / 3}
    assert len({frozenset((row["left"], row["right"])) for row in drawn}) == 3


def test_the_seed_decides_everything(model: BradleyTerry) -> None:
    first, again = (model.next_pairs(9, explore=0.5, random_state=3) for _ in range(2))
    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(model.next_pairs(9, explore=0.5, random_state=4))
    assert len(model.next_pairs(2, random_state=np.random.default_rng(0))) == 2


# ------------------------------------------------------------------------------------ candidates


def test_candidates_are_items_or_pairs(model: BradleyTerry) -> None:
    some = model.next_pairs(candidates=["f", "a", "c", "a"])
    assert sorted(places(some)) == [(0, 2), (0, 5), (2, 5)]
    pairs = model.next_pairs(candidates=[("d", "a"), ("a", "d"), ["b", "c"]])
    assert sorted(places(pairs)) == [(0, 3), (1, 2)]
    indirect = model.next_pairs(candidates=[("a", "b"), ("b", "e")], goal=("a", "e"), explore=0.0)
    assert (indirect["gain"] > 0).all()


def test_new_items_need_a_normal_prior(model: BradleyTerry) -> None:
    normal = BradleyTerry(prior="normal").fit(votes())
    found = normal.next_pairs(1, candidates=["a", "b", "new"], explore=0.0).iloc[0]
    assert "new" in {found["left"], found["right"]}
    with pytest.raises(ValueError, match=r"'new' not seen in fit; next_pairs needs prior='normal'"):
        model.next_pairs(candidates=["a", "new"])


def test_all_models_of_skill_have_it() -> None:
    races = Rankings.from_lists([list("abcd"), list("badc"), list("acbd"), list("cabd"), list("dbca")])
    dynamic = DynamicBradleyTerry().fit(votes(time=np.arange(60)))
    for model, n_pairs in ((PlackettLuce().fit(races), 6), (dynamic, 15)):
        found = model.next_pairs(20, "top-2", random_state=0)
        assert len(found) == n_pairs
        assert (found["gain"] > 0).all()
    assert "new" in dynamic.next_pairs(candidates=["a", "new"]).iloc[0].to_list()


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"n": 0}, "n must be a whole number of at least 1, not 0"),
        ({"n": 1.5}, "n must be a whole number of at least 1, not 1.5"),
        ({"explore": 2}, "explore must be between 0 and 1, not 2"),
        ({"goal": "first"}, "goal must be 'ranking', 'best', 'top-k' such as 'top-5', or a pair of items"),
        ({"goal": "top-6"}, "only 1 to 5 of 6 items can be at the top"),
        ({"goal": "top-0"}, "only 1 to 5 of 6 items can be at the top"),
        ({"goal": ("a", "a")}, "a pair of items, not"),
        ({"goal": ("a", "z")}, "'z'"),
        ({"candidates": ["a"]}, "fewer than two items to compare"),
        ({"candidates": [("a", "a"), ("b", "b")]}, "every pair in candidates is an item beside itself"),
        ({"candidates": []}, "fewer than two items to compare"),
        ({"candidates": [f"x{i}" for i in range(3001)]}, "up to 3,000 items, not 3,001; name some"),
    ],
)
def test_what_cannot_be_asked_is_said(model: BradleyTerry, how: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        model.next_pairs(**how)
