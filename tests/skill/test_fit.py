"""Clustered errors come from groups: how few are refused, what is said, and which distribution is used."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm, t

from podium import BradleyTerry, Comparisons, PlackettLuce, Rankings, load, save
from podium.skill.certainty import drawn_errors, quantile
from podium.skill.joint import Dense, Drawn
from tests.bradley_terry.votes import make_votes

CLUSTERED = BradleyTerry(order_effect=True, covariance="cluster").fit(make_votes(n_judges=7))
SIX = t(6)  # Student's t distribution with one degree of freedom less than the groups


def ballots(sizes: Any) -> Rankings:
    """Random orders of three; voter j casts ``sizes[j]`` of them."""
    voter = np.repeat(np.arange(len(sizes)), sizes)
    rng = np.random.default_rng(0)
    return Rankings.from_lists([rng.permutation(3).tolist() for _ in voter], group=voter)


def votes(sizes: Any) -> Comparisons:
    """Random votes on two items; judge j casts ``sizes[j]`` of them."""
    judge = np.repeat(np.arange(len(sizes)), sizes)
    outcome = np.random.default_rng(0).choice([-1, 0, 1], len(judge))
    return Comparisons.from_arrays(["a"] * len(judge), ["b"] * len(judge), outcome, group=judge)


# ------------------------------------------------------------------------------------ Student's t


def test_intervals_and_tests_are_those_of_student() -> None:
    quantile, error = SIX.ppf(0.95), CLUSTERED.standard_error_
    width = np.diff(CLUSTERED.interval(0.9), axis=1)[:, 0] / 2
    np.testing.assert_allclose(width, quantile * error)
    found = CLUSTERED.compare(0, 1, level=0.9)
    z = found.difference / found.standard_error
    assert found.high - found.difference == pytest.approx(quantile * found.standard_error)
    assert found.p_value == pytest.approx(2 * SIX.sf(abs(z)))
    assert found.probability == pytest.approx(SIX.cdf(z))
    board = CLUSTERED.leaderboard(level=0.9, scale="log")
    np.testing.assert_allclose((board.high - board.low) / 2, quantile * error[board.item])
    for effect, one in zip(board.covariate_effects, CLUSTERED.covariate_error_, strict=True):
        assert effect.high - effect.value == pytest.approx(quantile * effect.per * one)
    assert board.order_effect is not None
    error_of_order = CLUSTERED.fit_.errors_of(np.array([-1]))[0]
    assert board.order_effect.high - board.order_effect.value == pytest.approx(quantile * error_of_order)


def test_a_summary_says_and_uses_the_degrees_of_freedom() -> None:
    summary = CLUSTERED.summary(0.9)
    np.testing.assert_allclose(summary.p, 2 * SIX.sf(np.abs(summary.z)))
    np.testing.assert_allclose(summary.high - summary.estimate, SIX.ppf(0.95) * summary.error)
    assert "Student's t distribution with 6 degrees of freedom" in str(summary)
    assert "few groups" in str(summary)
    assert "Student" not in str(BradleyTerry().fit(make_votes()).summary())


def test_ranks_test_every_difference_by_student() -> None:
    """Šidák's level for each of the 15 pairs."""
    level = 0.9 ** (1 / 15)
    board = CLUSTERED.leaderboard(level=0.9)
    for item, rank in zip(board.item, board.rank_low, strict=True):
        better = [CLUSTERED.compare(o, item, level).low > 0 for o in CLUSTERED.items_ if o != item]
        assert rank == 1 + sum(better)
    usual = BradleyTerry(order_effect=True, covariance="robust").fit(make_votes(n_judges=7)).leaderboard(0.9)
    assert board.rank_low.sum() < usual.rank_low.sum()
    assert board.rank_high.sum() > usual.rank_high.sum()


def test_adjusted_tests_are_those_of_student() -> None:
    found = CLUSTERED.pairwise_tests(adjust="holm")
    np.testing.assert_allclose(found["p"], 2 * SIX.sf(np.abs(found["z"])))
    width = SIX.ppf(1 - 0.025 / len(found)) * found["error"]
    np.testing.assert_allclose(found["high"] - found["difference"], width)
    largest = CLUSTERED.pairwise_tests(adjust="max", level=0.9)
    np.testing.assert_allclose(largest["p_adjusted"], 1 - (1 - found["p"]) ** 15)
    width = SIX.ppf((1 + 0.9 ** (1 / 15)) / 2) * found["error"]
    np.testing.assert_allclose(largest["high"] - largest["difference"], width)


def test_errors_are_drawn_from_the_multivariate_t() -> None:
    found = drawn_errors(Dense(np.diag([1.0, 4.0])), 200_000, 5, np.random.default_rng(0)) / [1, 2]
    quantiles = np.quantile(found, [0.01, 0.2, 0.9], axis=0)
    np.testing.assert_allclose(quantiles.T, np.tile(t(5).ppf([0.01, 0.2, 0.9]), (2, 1)), rtol=0.03)
    large = np.abs(found) > t(5).ppf(0.995)
    assert large.all(axis=1).mean() > 5 * 0.01**2  # all errors share one uncertain scale


def test_chances_of_the_first_place_are_less_sure_with_few_groups() -> None:
    robust = BradleyTerry(order_effect=True, covariance="robust").fit(make_votes(n_judges=7))
    sure, careful = (m.top_probability(random_state=0).max() for m in (robust, CLUSTERED))
    assert 0.5 < careful < sure


@pytest.mark.parametrize("degrees", [np.inf, 4.0, 200.0])
def test_quantiles_of_one_test_and_of_many(degrees: float) -> None:
    isf = norm.isf if np.isinf(degrees) else t(degrees).isf
    assert quantile(0.95, degrees) == pytest.approx(isf(0.025))
    assert quantile(0.9, degrees, 15) == pytest.approx(isf((1 - 0.9 ** (1 / 15)) / 2))
    assert quantile(0.95, degrees, 10**8) == pytest.approx(isf(-np.log(0.95) / 2e8), rel=1e-6)


def test_ranks_from_draws_bear_any_quantile() -> None:
    """Of thousands of items, with t of 4 degrees, a quantile may be above 100."""
    errors = np.random.default_rng(0).standard_normal((300, 64)).astype(np.float32)
    theta = np.where(np.arange(300) < 150, 0.0, 1000.0)
    found = Drawn(errors).certain(theta, 200.0)
    assert sorted(set(found.better.tolist())) == sorted(set(found.worse.tolist())) == [0, 150]


# ------------------------------------------------------------------------------------ few groups


def test_fewer_than_five_groups_are_refused() -> None:
    for sizes in ([9], [9, 9], [9, 9, 9, 9]):
        sentence = f"at least 5 groups, and these {{}} have {len(sizes)}"
        with pytest.raises(ValueError, match=sentence.format("comparisons")):
            BradleyTerry(covariance="cluster").fit(votes(sizes))
        with pytest.raises(ValueError, match=sentence.format("rankings")):
            PlackettLuce(covariance="cluster").fit(ballots(sizes))
    assert BradleyTerry(covariance="cluster").fit(votes([9] * 5)).fit_.degrees == 4
    assert PlackettLuce(covariance="cluster").fit(ballots([9] * 5)).fit_.degrees == 4


def test_judges_of_ties_are_no_groups_if_ties_are_ignored() -> None:
    c = votes([9] * 5)
    tied = np.where(c.group == 0, 0, np.asarray(c.outcome))
    assert BradleyTerry(covariance="cluster").fit(c, tied).fit_.degrees == 4
    with pytest.raises(ValueError, match="these comparisons have 4"):
        BradleyTerry(ties="ignore", covariance="cluster").fit(c, tied)


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ([9] * 30, ""),
        ([9] * 29, "few groups"),
        ([300] + [9] * 39, "groups of unequal size: 40 groups count like 5 equal ones"),
        ([300] + [9] * 19, "groups of unequal size: 20 groups count like 2 equal ones"),
    ],
)
def test_the_board_says_what_clustered_errors_come_from(sizes: Any, said: str, tmp_path: Path) -> None:
    models: Any = (BradleyTerry(covariance="cluster"), PlackettLuce(covariance="cluster"))
    for model, data in zip(models, (votes(sizes), ballots(sizes)), strict=True):
        model.fit(data)
        save(model, tmp_path / "model.skops")
        for one in (model, load(tmp_path / "model.skops")):
            board = one.leaderboard()
            assert board.method == (f"standard errors: clustered by group ({len(sizes)} groups)",)
            assert [said in note for note in board.notes] == [True] * bool(said)
        assert model.leaderboard(bootstrap=10, random_state=0).notes == ()


def test_anytime_intervals_need_twenty_groups() -> None:
    few, enough = (BradleyTerry(covariance="cluster").fit(votes([9] * n)) for n in (19, 20))
    with pytest.raises(ValueError, match="at least 20 groups, not 19"):
        few.leaderboard(anytime=True)
    with pytest.raises(ValueError, match="at least 20 groups, not 19"):
        few.compare("a", "b", anytime=True)
    assert enough.leaderboard(anytime=True).rank_low.max() == 1
    assert enough.compare("a", "b", anytime=True).anytime


def test_the_board_names_items_that_few_groups_compared() -> None:
    """35 judges compare a, b and c; ten of them also d, which is far fewer than the others have."""
    judge = np.repeat(np.arange(35), 12)
    pairs = np.array([(0, 1), (1, 2), (2, 0)] * 4 * 35)
    pairs[(judge < 10) & (np.arange(len(judge)) % 12 == 0)] = (0, 3)
    outcome = np.random.default_rng(0).choice([-1, 1], len(judge))
    left, right = np.array(["a", "b", "c", "d"])[pairs].T
    c = Comparisons.from_arrays(left, right, outcome, group=judge)
    notes = BradleyTerry(covariance="cluster").fit(c).leaderboard().notes
    assert [note.partition(", so")[0] for note in notes] == ["few groups compared 'd'"]
    lists = [[left, right][::-winner] for left, right, winner in zip(c.left, c.right, outcome, strict=True)]
    model = PlackettLuce(covariance="cluster").fit(Rankings.from_lists(lists, group=judge))
    assert [note.partition(", so")[0] for note in model.leaderboard().notes] == ["few groups compared 3"]
