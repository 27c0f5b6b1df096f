"""Standard errors, intervals and tests agree with their definition, with simulation and the bootstrap."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.exceptions import NotFittedError

from podium import Comparisons
from podium.bradley_terry.model import BradleyTerry
from podium.datasets import make_games
from podium.skill.certainty import Difference
from tests.bradley_terry.plain_likelihood import negative_log_likelihood
from tests.many_items import with_many_items

TIES = ["davidson", "rao-kupper", "half", "ignore"]


def numerical_covariance(c: Comparisons, model: BradleyTerry) -> Any:
    """The pseudo-inverse of second differences of the plain objective, in skills, tie parameter and order."""
    k = c.n_items
    x = model.result_.solution
    free_tie = model.fit_.problem.free_tie

    def loss(z: Any) -> Any:
        tie = np.exp(z[k]) - (model.ties == "rao-kupper") if free_tie else 0.0
        order = z[-1] if model.order_effect else 0.0
        return negative_log_likelihood(c, z[:k], model.ties, tie, order, model.prior_)

    def gradient(z: Any) -> Any:
        return np.array([loss(z + 1e-30j * unit).imag / 1e-30 for unit in np.eye(len(z))])

    step = 1e-5
    hessian = [
        (gradient(x + step * unit) - gradient(x - step * unit)) / (2 * step) for unit in np.eye(len(x))
    ]
    return np.linalg.pinv(np.array(hessian), rcond=1e-7, hermitian=False)


@pytest.mark.parametrize("order_effect", [False, True])
@pytest.mark.parametrize("prior", [0.0, 2.0])
@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "ignore"])
def test_covariance_is_the_inverse_of_the_second_derivatives(
    ties: Any, prior: float, order_effect: bool
) -> None:
    c, _ = make_games(6, 400, order_effect=0.3, random_state=0)
    model = BradleyTerry(ties=ties, prior=prior, order_effect=order_effect).fit(c)
    expected = numerical_covariance(c, model)
    np.testing.assert_allclose(model.fit_.joint_covariance, expected, atol=1e-6)
    np.testing.assert_allclose(model.covariance_.sum(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(model.standard_error_**2, np.diag(model.covariance_))


def test_covariance_in_groups_is_that_of_each_group_alone() -> None:
    first, _ = make_games(4, 300, tie_rate=0, random_state=0)
    second, _ = make_games(3, 200, tie_rate=0, random_state=1)
    assert first.outcome is not None
    assert second.outcome is not None
    both = Comparisons.from_arrays(
        [*first.left, *(second.left + 10)],
        [*first.right, *(second.right + 10)],
        [*first.outcome, *second.outcome],
    )
    with pytest.warns(UserWarning, match="2 groups"):
        model = BradleyTerry().fit(both)
    np.testing.assert_allclose(model.covariance_[:4, :4], BradleyTerry().fit(first).covariance_, atol=1e-9)
    np.testing.assert_allclose(model.covariance_[4:, 4:], BradleyTerry().fit(second).covariance_, atol=1e-9)
    np.testing.assert_allclose(model.covariance_[:4, 4:], 0, atol=1e-12)


def test_half_ties_need_the_sandwich() -> None:
    """At 40 % ties the inverse information gives .0447, but .0338 is true."""
    rng = np.random.default_rng(0)
    outcome = rng.choice([-1, 0, 1], p=[0.3, 0.4, 0.3], size=(400, 2000))
    sides = np.zeros(2000, dtype=int)
    estimates, errors = [], []
    for row in outcome:
        model = BradleyTerry(ties="half").fit(Comparisons.from_arrays(sides, sides + 1, row))
        estimates.append(model.log_skill_[1])
        errors.append(model.standard_error_[1])
    true = np.std(estimates)
    assert np.mean(errors) == pytest.approx(true, rel=0.08)
    assert np.mean(errors) == pytest.approx(np.sqrt(0.6) * np.sqrt(4 / 2000) / 2, rel=0.01)


@pytest.mark.parametrize(
    ("ties", "order_effect", "team_size"),
    [
        ("davidson", True, 1),
        pytest.param("half", False, 1, marks=pytest.mark.slow),
        pytest.param("rao-kupper", False, 1, marks=pytest.mark.slow),
        pytest.param("ignore", True, 1, marks=pytest.mark.slow),
    ],
)
def test_intervals_cover_the_truth(ties: Any, order_effect: bool, team_size: int) -> None:
    """95 % intervals of skills and of differences, 300 simulations of 8 items each."""
    truth = np.linspace(-1, 1, 8)
    tie_rate = 0.0 if ties in ("half", "rao-kupper") else 0.6  # the data are simulated from the model
    hits, gaps = [], []
    for seed in range(300):
        c, _ = make_games(
            log_skill=truth,
            n_games=600,
            tie_rate=tie_rate,
            order_effect=0.3 * order_effect,
            random_state=seed,
        )
        model = BradleyTerry(ties=ties, order_effect=order_effect).fit(c)
        low, high = model.interval(0.95).T
        hits.append((low <= truth) & (truth <= high))
        difference = model.compare(0, 7)
        gaps.append(difference.low <= -2 <= difference.high)
    assert 0.93 <= np.mean(hits) <= 0.97
    assert 0.92 <= np.mean(gaps) <= 0.98


def test_compare_is_the_normal_test() -> None:
    c, _ = make_games(5, 300, random_state=0)
    model = BradleyTerry().fit(c)
    a, b = model.items_[model.log_skill_.argmax()], model.items_[model.log_skill_.argmin()]
    found = model.compare(a, b, level=0.9)
    z = found.difference / found.standard_error
    assert found.p_value == pytest.approx(2 * norm.sf(abs(z)))
    assert found.probability == pytest.approx(norm.cdf(z))
    assert found.high - found.low == pytest.approx(2 * norm.ppf(0.95) * found.standard_error)
    back = model.compare(b, a, level=0.9)
    assert (back.difference, back.low) == pytest.approx((-found.difference, -found.high))
    with pytest.raises(ValueError, match="level"):
        model.compare(a, b, level=95)


def test_top_probability_counts_places() -> None:
    c, _ = make_games(8, 1500, random_state=0)
    model = BradleyTerry().fit(c)
    for k in (1, 3, 8):
        chance = model.top_probability(k, random_state=0)
        assert chance.sum() == pytest.approx(k)
    assert model.top_probability(1, random_state=0).argmax() == model.log_skill_.argmax()
    np.testing.assert_array_equal(
        model.top_probability(2, random_state=1), model.top_probability(2, random_state=1)
    )


# ------------------------------------------------------------------------------------ many items


@pytest.mark.parametrize("prior", [0.0, 0.5])
@pytest.mark.parametrize("ties", ["davidson", "half"])
def test_many_items_get_nearly_exact_errors(ties: Any, prior: float) -> None:
    c, _ = make_games(400, 20_000, order_effect=0.2, spread=0.5, random_state=0)
    exact = BradleyTerry(ties=ties, prior=prior, order_effect=True).fit(c)
    model = with_many_items(exact)
    np.testing.assert_allclose(model.standard_error_, exact.standard_error_, rtol=0.02)
    expected = exact.compare(3, 5).standard_error
    assert model.compare(3, 5).standard_error == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("ties", ["davidson", "half"])
def test_a_ladder_of_items_gets_exact_errors(ties: Any) -> None:
    rng = np.random.default_rng(0)
    rung = np.repeat(np.arange(199), 12)
    c = Comparisons.from_arrays(rung, rung + 1, rng.choice([-1, 0, 1], size=len(rung)))
    exact = BradleyTerry(ties=ties).fit(c)
    np.testing.assert_allclose(with_many_items(exact).standard_error_, exact.standard_error_, rtol=1e-6)


def test_nothing_is_uncertain_before_a_fit() -> None:
    model = BradleyTerry()
    for name in ("covariance_", "standard_error_"):
        with pytest.raises(NotFittedError):
            getattr(model, name)
    for ask in (model.interval, model.top_probability, model.bootstrap, model.leaderboard, model.win_matrix):
        with pytest.raises(NotFittedError):
            ask()


def test_a_difference_is_a_sentence_about_the_better_item() -> None:
    found = Difference("ann", "bob", 0.92, 0.33, 0.27, 1.57, 0.005, 0.997)
    turned = Difference("bob", "ann", -0.92, 0.33, -1.57, -0.27, 0.005, 0.003)
    assert str(found) == str(turned)
    assert str(found).startswith("ann is better than bob by 160 points (95 % interval 47 to 273, p = 0.005);")
    assert str(found).endswith("since they hold for all pairs together")
    open_ = Difference("ann", "bob", 0.2, 0.33, -0.45, 0.85, 0.54, 0.73, 0.9, anytime=True)
    assert str(open_).startswith(
        "the data cannot tell whether ann is better than bob: it is 35 points ahead "
        "(90 % interval -78 to 148, p = 0.540, whenever you look);"
    )
    assert "p < 0.001" in str(Difference("a", "b", 3.0, 0.1, 2.8, 3.2, 1e-9, 1.0))
