"""The goodness of fit test rejects data that do not fit, and only those."""

import numpy as np
import pytest

from podium import Comparisons
from podium.bradley_terry.model import BradleyTerry
from podium.datasets import make_games


def test_p_values_are_uniform_when_the_model_holds() -> None:
    p_values = []
    for seed in range(60):
        c, _ = make_games(5, 1500, order_effect=0.3, random_state=seed)
        p_values.append(BradleyTerry(order_effect=True).fit(c).goodness_of_fit().p_value)
    assert 0.3 < np.mean(p_values) < 0.7
    assert np.mean(np.array(p_values) < 0.05) < 0.15


def test_rock_paper_scissors_does_not_fit() -> None:
    names = ["rock", "scissors", "paper"]
    left = np.repeat(names, 40)
    right = np.repeat([*names[1:], names[0]], 40)
    outcome = np.tile([-1] * 9 + [1], 12)
    model = BradleyTerry().fit(Comparisons.from_arrays(left, right, outcome))
    np.testing.assert_allclose(model.log_skill_, 0, atol=1e-9)
    fit = model.goodness_of_fit()
    assert fit.degrees_of_freedom == 1
    assert fit.chi_squared == pytest.approx(3 * 2 * (36 - 20) ** 2 / 20)
    assert fit.p_value < 1e-6
    found = model.intransitivity()
    assert (found.n_cycles, found.n_triangles) == (1, 1)
    cycle = found.cycles[0]
    start = cycle.items.index("rock")
    assert (cycle.items * 2)[start : start + 3] == ("rock", "scissors", "paper")
    expected = 3 * np.log(36.5 / 4.5) / np.sqrt(3 * (1 / 36.5 + 1 / 4.5))
    assert cycle.z == pytest.approx(expected)
    assert cycle.p_value < 1e-6


def test_a_ranking_has_no_cycles() -> None:
    c, _ = make_games(10, 20_000, spread=2.0, random_state=0)
    found = BradleyTerry().fit(c).intransitivity()
    assert found.n_triangles == 120
    assert all(cycle.p_value > 0.05 for cycle in found.cycles)


def test_cycles_are_all_found() -> None:
    c, _ = make_games(12, 400, random_state=0)
    model = BradleyTerry(order_effect=True).fit(c)
    found = model.intransitivity(limit=1000)
    assert len(found.cycles) == found.n_cycles
    assert [cycle.z for cycle in found.cycles] == sorted((cycle.z for cycle in found.cycles), reverse=True)
    assert [c.items for c in model.intransitivity(limit=3).cycles] == [c.items for c in found.cycles[:3]]


def test_goodness_of_fit_needs_a_model_of_ties() -> None:
    c, _ = make_games(5, 300, random_state=0)
    with pytest.raises(ValueError, match="not a model of ties"):
        BradleyTerry(ties="half").fit(c).goodness_of_fit()
    with pytest.raises(ValueError, match="limit must be at least 1"):
        BradleyTerry().fit(c).intransitivity(0)


def circle(covariate: float) -> Comparisons:
    """Each of five items mostly beats the next two; a covariate decides the rest."""
    rng = np.random.default_rng(0)
    left = rng.integers(0, 5, 400)
    right = (left + rng.integers(1, 3, 400)) % 5
    length = rng.normal(size=400)
    d = -1.0 + covariate * length
    outcome = np.where(rng.random(400) < 1 / (1 + np.exp(-d)), 1, -1)
    return Comparisons.from_arrays(left, right, outcome, covariates={"length": length})


def test_what_does_not_fit_is_found_beside_a_covariate() -> None:
    fit = BradleyTerry().fit(circle(1.5)).goodness_of_fit()
    assert fit.p_value == 1 / 200  # none of the simulated data sets fits as badly
    assert fit.note == ""


def test_neither_the_order_of_rows_nor_whole_counts_matter() -> None:
    """The p-value comes from data sets that are drawn with a fixed seed."""
    c, _ = make_games(6, 150, random_state=3)
    found = BradleyTerry().fit(c).goodness_of_fit()
    assert found.smallest_expected < 5
    for other in (c[np.random.default_rng(0).permutation(len(c))], c.aggregate()):
        again = BradleyTerry().fit(other).goodness_of_fit()
        assert again.chi_squared == pytest.approx(found.chi_squared)
        assert again.p_value == found.p_value


def test_without_enough_comparisons_there_is_a_reason_instead_of_a_p_value() -> None:
    once = np.array([(i, j) for i in range(25) for j in range(i)])
    outcome = np.random.default_rng(0).choice([-1, 1], len(once))
    said = BradleyTerry().fit(Comparisons.from_arrays(once[:, 0], once[:, 1], outcome)).goodness_of_fit()
    assert np.isnan(said.p_value)
    assert said.note == "there are 300 comparisons, and a p-value needs 600"  # two for each pair
    halves = Comparisons.from_arrays(once[:, 0], once[:, 1], outcome, weight=np.full(len(once), 0.5))
    assert "not whole numbers" in BradleyTerry().fit(halves).goodness_of_fit().note
    two = Comparisons.from_arrays(["a", "b"], ["b", "a"], [1, 1])
    assert "no degrees of freedom" in BradleyTerry().fit(two).goodness_of_fit().note
