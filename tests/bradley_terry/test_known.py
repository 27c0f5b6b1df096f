"""Fixed skills against scipy, against finite differences, and in simulations."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

import podium as pod
from podium.comparisons.arrays import Floats
from podium.skill.fit import ExistenceWarning

N_ITEMS, N_GAMES = 8, 200
FIXED = {"i0": 1.2, "i3": -0.4}
FREE = [1, 2, 4, 5, 6, 7]


def games(seed: int = 0, n_games: int = N_GAMES, skill: object = None) -> pod.Comparisons:
    rng = np.random.default_rng(seed)
    r = rng.normal(size=N_ITEMS) if skill is None else np.asarray(skill)
    left = rng.integers(0, N_ITEMS, n_games)
    right = (left + rng.integers(1, N_ITEMS, n_games)) % N_ITEMS
    outcome = np.where(rng.random(n_games) < expit(r[right] - r[left]), 1, -1)
    if skill is None:
        outcome[rng.random(n_games) < 0.2] = 0
    names = np.array([f"i{k}" for k in range(N_ITEMS)])
    return pod.Comparisons.from_arrays(names[left], names[right], outcome)


def loss(z: Floats, c: pod.Comparisons) -> float:
    """Minus the log-likelihood of Davidson's model with an order effect, at the free parameters."""
    theta = np.zeros(N_ITEMS)
    theta[0], theta[3], theta[FREE] = FIXED["i0"], FIXED["i3"], z[:6]
    d = theta[c.right] - theta[c.left] - z[7]
    weights = np.stack([np.exp(-d / 2), np.exp(z[6]) * np.ones(len(d)), np.exp(d / 2)])
    assert c.outcome is not None
    chosen = weights[c.outcome.astype(int) + 1, np.arange(len(d))]
    return float(-np.log(chosen / weights.sum(axis=0)).sum())


def hessian(f: Callable[[Floats], float], x: Floats, step: float = 1e-4) -> Floats:
    """Second derivatives by central differences."""
    unit = step * np.eye(len(x))
    return np.array(
        [
            [
                sum(a * b * f(x + a * one + b * other) for a in (1, -1) for b in (1, -1)) / (4 * step**2)
                for other in unit
            ]
            for one in unit
        ]
    )


def test_fixed_skills_against_scipy() -> None:
    c = games()
    model = pod.BradleyTerry(fixed=FIXED, order_effect=True).fit(c)
    found = minimize(loss, np.zeros(8), (c,), options={"gtol": 1e-7})
    x = found.x - np.linalg.solve(hessian(lambda z: loss(z, c), found.x), found.jac)
    assert model.log_skill_[[0, 3]].tolist() == [1.2, -0.4]
    ours = [*model.log_skill_[FREE], np.log(model.tie_), model.order_effect_]
    np.testing.assert_allclose(ours, x, atol=1e-6)
    assert (model.result_.gradient_norm or 1.0) < 1e-9
    errors = np.sqrt(np.diag(np.linalg.inv(hessian(lambda z: loss(z, c), x))))
    np.testing.assert_allclose(model.standard_error_[FREE], errors[:6], rtol=1e-5)
    assert not model.standard_error_[[0, 3]].any()
    assert model.log_likelihood_ == pytest.approx(-found.fun)
    assert model.aic_ == pytest.approx(2 * 8 + 2 * found.fun)


@pytest.mark.parametrize("how", [{}, {"ties": "half"}, {"covariance": "robust"}])
def test_errors_of_fixed_skills_are_passed_on(how: dict[str, Any]) -> None:
    """The covariance gains J V J', where J are the derivatives of the estimates by the fixed skills."""
    c = games()

    def estimates(a: float, b: float) -> Any:
        return pod.BradleyTerry(fixed={"i0": a, "i3": b}, **how).fit(c).log_skill_

    moves = [estimates(1.201, -0.4) - estimates(1.199, -0.4), estimates(1.2, -0.399) - estimates(1.2, -0.401)]
    J = np.transpose(moves) / 0.002
    exact = pod.BradleyTerry(fixed=FIXED, **how).fit(c).covariance_
    model = pod.BradleyTerry(fixed={"i0": (1.2, 0.3), "i3": (-0.4, 0.2)}, **how).fit(c)
    np.testing.assert_allclose(model.covariance_, exact + J @ np.diag([0.09, 0.04]) @ J.T, atol=1e-6)
    np.testing.assert_allclose(model.standard_error_[[0, 3]], [0.3, 0.2])


@pytest.mark.parametrize("scale", ["elo", "log", "skill"])
def test_a_board_keeps_its_scale(scale: Any) -> None:
    before = pod.BradleyTerry(fixed={"i5": 0.7}).fit(games())
    board = before.leaderboard(scale=scale)
    known = board[:3]
    after = pod.BradleyTerry(fixed=known).fit(games(1)).leaderboard(scale=scale)
    rows = [after.item.tolist().index(item) for item in known.item]
    np.testing.assert_allclose(after.score[rows], known.score)
    np.testing.assert_allclose(after.low[rows], known.low, rtol=1e-9)
    assert any("scale: given by the skills of" in line for line in after.method)


def test_all_skills_move_with_the_fixed_ones() -> None:
    c = games()
    low, high = (pod.BradleyTerry(fixed={"i0": 1 + d, "i3": d}).fit(c) for d in (0.0, 5.0))
    np.testing.assert_allclose(high.log_skill_ - low.log_skill_, 5.0, atol=1e-7)
    np.testing.assert_allclose(high.covariance_, low.covariance_, atol=1e-7)


def test_one_fixed_skill_only_shifts() -> None:
    c = games()
    free, fixed = pod.BradleyTerry().fit(c), pod.BradleyTerry(fixed={"i2": 0.5}).fit(c)
    np.testing.assert_allclose(fixed.log_skill_, free.log_skill_ - free.log_skill_[2] + 0.5, atol=1e-7)
    board = free.leaderboard(scale="log", anchor=("i2", 0.5))
    assert board.low == pytest.approx(fixed.leaderboard(scale="log").low)


def test_fixed_items_join_groups_that_never_met() -> None:
    left, right = ["a", "b", "a", "c", "d", "c"], ["b", "a", "b", "d", "c", "d"]
    c = pod.Comparisons.from_arrays(left, right, [-1, -1, 1, -1, -1, 1])
    model = pod.BradleyTerry(fixed={"a": 2.0, "c": 0.0}).fit(c)
    assert not model.components_.any()
    assert not model.notes_
    np.testing.assert_allclose(model.log_skill_, [2, 2 + np.log(2), 0, np.log(2)], atol=1e-6)


def test_items_that_only_lost_against_fixed_ones_get_a_prior() -> None:
    c = pod.Comparisons.from_arrays(["a", "a", "x", "y"], ["x", "x", "y", "x"], [-1, -1, -1, -1])
    with pytest.raises(ValueError, match=r"'x' and 'y' have no finite"):
        pod.BradleyTerry(fixed={"a": 1.0}, prior=0).fit(c)
    with pytest.warns(ExistenceWarning, match=r"'x' and 'y' have no finite"):
        model = pod.BradleyTerry(fixed={"a": 1.0}).fit(c)
    assert model.log_skill_[0] == 1.0
    assert (model.log_skill_[1:] < 0).all()


def test_items_between_two_fixed_ones_have_an_estimate() -> None:
    """a beat x and x beat b, so x is between them: the known items are one node."""
    c = pod.Comparisons.from_arrays(["a", "x"], ["x", "b"], [-1, -1])
    model = pod.BradleyTerry(fixed={"a": 1.0, "b": -1.0}, prior=0).fit(c)
    assert model.log_skill_[2] == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize(
    ("fixed", "message"),
    [
        ({"nobody": 1.0}, "none of the items in fixed"),
        ({"i0": "strong"}, r"'i0' must be a number or \(number, error\), not 'strong'"),
        ({"i0": (1.0, -1.0)}, "'i0' must be a number"),
        ([1.2], "fixed must be a dict"),
    ],
)
def test_bad_fixed_skills(fixed: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pod.BradleyTerry(fixed=fixed).fit(games())  # type: ignore[arg-type]


def test_names_that_are_not_there_are_said() -> None:
    with pytest.warns(ExistenceWarning, match="fixed has 'zoe'"):
        pod.BradleyTerry(fixed={"i0": 0.0, "zoe": 1.0}).fit(games())


def test_a_board_of_two_groups_has_no_common_scale() -> None:
    with pytest.warns(ExistenceWarning):
        model = pod.BradleyTerry(prior=0.0).fit(
            pod.Comparisons.from_arrays(list("abcd"), list("badc"), [-1] * 4)
        )
    with pytest.raises(ValueError, match="board of several groups"):
        pod.BradleyTerry(fixed=model.leaderboard()).fit(games())


def test_two_fixed_skills_differ_for_certain() -> None:
    model = pod.BradleyTerry(fixed=FIXED).fit(games())
    found = model.compare("i0", "i3")
    assert (found.low, found.high, found.p_value, found.probability) == (1.6, 1.6, 0.0, 1.0)
    assert np.isfinite(model.next_pairs(5)["gain"]).all()
    samples = model.bootstrap(20, random_state=0).samples
    np.testing.assert_allclose(samples[:, [0, 3]], [[1.2, -0.4]] * 20)
    assert samples[:, FREE].std(axis=0).min() > 0.1


def test_rankings_with_fixed_skills() -> None:
    c = games()
    names = c.items
    assert c.outcome is not None
    pairs = [
        [(names[a], names[b])] if y == 0 else [names[a], names[b]] if y < 0 else [names[b], names[a]]
        for a, b, y in zip(c.left, c.right, c.outcome, strict=True)
    ]
    fixed = {"i0": (1.2, 0.3), "i3": -0.4}
    listed = pod.PlackettLuce(fixed=fixed).fit(pod.Rankings.from_lists(pairs))
    paired = pod.BradleyTerry(fixed=fixed).fit(c)
    np.testing.assert_allclose(listed.log_skill_, paired.log_skill_, atol=1e-7)
    np.testing.assert_allclose(listed.covariance_, paired.covariance_, atol=1e-7)
    orders = [["a", "x", "b"], ["b", "x"], ["x", "c"]]
    with pytest.raises(ValueError, match="'c'"):
        pod.PlackettLuce(fixed={"a": 1.0, "b": 0.0}, prior=0).fit(pod.Rankings.from_lists(orders))


@pytest.mark.slow
def test_coverage_with_anchors() -> None:
    """Intervals hold the truth, with anchors known exactly and with anchors known up to an error."""
    truth, rng = np.linspace(-1.5, 1.5, N_ITEMS), np.random.default_rng(1)
    hits = np.zeros(2)
    n = 400
    for seed in range(n):
        c = games(seed, 240, truth)
        shown = truth[[0, 3]] + rng.normal(0, 0.3, 2)
        for k, fixed in enumerate(
            ({"i0": truth[0], "i3": truth[3]}, {"i0": (shown[0], 0.3), "i3": (shown[1], 0.3)})
        ):
            model = pod.BradleyTerry(fixed=fixed).fit(c)
            hits[k] += (np.abs(model.log_skill_ - truth)[FREE] < 1.96 * model.standard_error_[FREE]).mean()
    print(hits / n)
    assert (np.abs(hits / n - 0.95) < 0.012).all()


def test_a_known_scale_is_nested_in_a_free_one() -> None:
    c = pod.datasets.load_chess_club()
    known, free = (pod.BradleyTerry(fixed=fixed).fit(c) for fixed in ({"Ada": 0.5, "Boris": 0.0}, None))
    found = pod.likelihood_ratio(known, free)
    assert found.df == 1
    assert found.statistic == pytest.approx(2 * (free.log_likelihood_ - known.log_likelihood_))
