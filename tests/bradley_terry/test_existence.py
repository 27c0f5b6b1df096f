"""Comparisons that do not determine every skill: what the model fits instead, and how it warns."""

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import linprog

from podium import Comparisons
from podium.bradley_terry.counts.counting import paired_input
from podium.bradley_terry.existence import connections, rest_is_finite
from podium.bradley_terry.model import BradleyTerry
from podium.skill.fit import ExistenceWarning
from podium.skill.plan import LOCAL
from tests.comparisons.strategies import comparisons


def games(*results: str) -> Comparisons:
    """'a>b': a beat b; 'a=b': a tie. The left side is a."""
    left, right, outcome = [], [], []
    for result in results:
        left.append(result[0])
        right.append(result[2])
        outcome.append({">": -1, "=": 0, "<": 1}[result[1]])
    return Comparisons.from_arrays(left, right, outcome)


ROUND = ("a>b", "b>c", "c>a")


def test_a_cycle_of_wins_has_a_finite_estimate() -> None:
    model = BradleyTerry().fit(games(*ROUND))
    assert model.prior_ == 0
    np.testing.assert_allclose(model.log_skill_, 0, atol=1e-9)


@pytest.mark.parametrize(
    ("results", "named"),
    [
        ((*ROUND, "d>a", "d>b"), "'d'"),  # undefeated
        ((*ROUND, "a>d"), "'d'"),  # never won
        (("a>b",), "'a' and 'b'"),  # one game
        (("a>b", "b>c", "c>d"), "'a', 'b', 'c' and 'd'"),  # a chain
        ((*ROUND, "d>e", "e>d", "a>d"), "'d' and 'e'"),  # a weaker pair
    ],
)
def test_without_an_estimate_a_weak_prior_is_used_and_items_are_named(
    results: tuple[str, ...], named: str
) -> None:
    with pytest.warns(ExistenceWarning, match=f"^the skills of {named} have no finite"):
        model = BradleyTerry().fit(games(*results))
    assert model.prior_ == LOCAL
    assert np.isfinite(model.log_skill_).all()
    assert (model.standard_error_ > 0.5).all()
    assert model.leaderboard().notes[: len(model.notes_)] == model.notes_
    with pytest.raises(ValueError, match="use prior='auto' or a number above 0"):
        BradleyTerry(prior=0).fit(games(*results))


def test_a_tie_is_an_edge_both_ways_unless_it_is_ignored() -> None:
    results = (*ROUND, "d>a", "d=b")
    assert BradleyTerry().fit(games(*results)).prior_ == 0
    assert BradleyTerry(ties="half").fit(games(*results)).prior_ == 0
    with pytest.warns(ExistenceWarning, match="'d'"):
        assert BradleyTerry(ties="ignore").fit(games(*results)).prior_ == LOCAL


def test_a_win_and_a_tie_leave_the_tie_parameter_open() -> None:
    """P(a wins) = P(tie) = 1/2 holds only in the limit, so one tie is not enough for Davidson's model."""
    with pytest.warns(ExistenceWarning, match="together with the tie parameter"):
        model = BradleyTerry().fit(games("a>b", "a=b"))
    assert model.prior_ == LOCAL
    assert BradleyTerry(ties="half").fit(games("a>b", "a=b")).prior_ == 0


def test_groups_that_never_met_are_ranked_apart() -> None:
    c = games(*ROUND, "x>y", "y>x", "x>y")
    with pytest.warns(ExistenceWarning, match="2 groups that were never compared"):
        model = BradleyTerry().fit(c)
    assert model.components_.tolist() == [0, 0, 0, 1, 1]
    assert model.prior_ == 0
    assert model.log_skill_[3:].tolist() == pytest.approx([np.log(2) / 2, -np.log(2) / 2])
    across = Comparisons.from_arrays(["a", "x"], ["x", "y"])
    with pytest.warns(ExistenceWarning, match="1 of 2 comparisons"):
        assert np.isnan(model.decision_function(across)).tolist() == [True, False]
    with pytest.warns(ExistenceWarning):
        assert model.predict(across).tolist() == [0, -1]
    assert np.isnan(model.win_matrix()[0, 3])
    board = model.leaderboard()
    assert board.component.tolist() == [0, 0, 0, 1, 1]
    assert board.rank.tolist() == [1, 1, 1, 1, 2]
    assert board.rank_low.tolist() == [1, 1, 1, 1, 1]
    assert board.rank_high.tolist() == [3, 3, 3, 2, 2]
    with pytest.raises(ValueError, match="never compared"):
        model.compare("a", "x")
    assert model.covariance_[0, 3] == 0


def test_an_explicit_prior_joins_all() -> None:
    model = BradleyTerry(prior=1.0).fit(games(*ROUND, "x>y"))
    assert model.components_.tolist() == [0] * 5
    assert np.isfinite(model.decision_function(Comparisons.from_arrays(["a"], ["x"]))).all()


def test_only_ties_make_all_equal() -> None:
    for ties in ("davidson", "rao-kupper"):
        with pytest.warns(ExistenceWarning, match="only ties"):
            model = BradleyTerry(ties=ties, order_effect=True).fit(games("a=b", "b=c"))
        assert model.tie_ == np.inf
        assert model.log_skill_.tolist() == [0, 0, 0]
        assert model.predict_proba(games("a=b")).tolist() == [[0, 1, 0]]
        assert np.isinf(model.standard_error_).all()
        assert model.leaderboard().rank.tolist() == [1, 1, 1]
        assert model.compare("a", "b").probability == 0.5
        assert model.top_probability(random_state=0) == pytest.approx(1 / 3, abs=0.03)
    assert BradleyTerry(ties="half").fit(games("a=b", "b=c")).log_skill_.tolist() == pytest.approx([0, 0, 0])
    with pytest.raises(ValueError, match="only ties, so ties='ignore'"):
        BradleyTerry(ties="ignore").fit(games("a=b"))


def test_without_ties_there_is_no_tie_parameter() -> None:
    assert BradleyTerry().fit(games(*ROUND)).tie_ == 0
    assert BradleyTerry(ties="rao-kupper").fit(games(*ROUND)).tie_ == 1
    assert np.isnan(BradleyTerry(ties="half").fit(games(*ROUND)).tie_)


def test_an_order_effect_needs_wins_on_both_sides() -> None:
    with pytest.raises(ValueError, match="the right side never won"):
        BradleyTerry(order_effect=True, prior=0).fit(games(*ROUND))
    with pytest.warns(ExistenceWarning, match="the right side never won, so the order effect .* finite"):
        model = BradleyTerry(order_effect=True).fit(games(*ROUND))
    assert model.prior_ == LOCAL
    np.testing.assert_allclose(model.log_skill_, 0, atol=1e-9)
    h = model.order_effect_  # where 3 wins of 3 and the normal prior balance
    assert 3 / (1 + np.exp(h)) == pytest.approx(0.1 * h)
    with pytest.warns(ExistenceWarning, match="together with the order effect"):
        BradleyTerry(order_effect=True).fit(games("a>b", "a<b"))  # a is always on the left
    assert BradleyTerry(order_effect=True).fit(games("a>b", "a<b", "b>a", "b<a")).prior_ == 0


def test_stopping_early_warns() -> None:
    c = games(*ROUND, "a>b", "a>b")
    with pytest.warns(UserWarning, match="stopped after 1 iterations"):
        BradleyTerry(max_iter=1, solver="mm").fit(c)


# ------------------------------------------------------------------------------------ a linear program


def has_estimate(c: Comparisons, ties: str, order_effect: bool) -> bool:
    """The definition: in every nontrivial direction, some row becomes less likely."""
    assert c.outcome is not None
    k = c.n_items
    modelled = ties == "davidson" and bool((c.outcome == 0).any())
    rows = []
    for left, right, outcome in zip(c.left, c.right, c.outcome, strict=True):
        s = np.zeros(k + 2)
        s[left], s[right], s[k + 1] = 1, -1, 1
        t = np.zeros(k + 2)
        t[k] = 1
        if outcome == 0 and not modelled:
            rows += [s, -s] if ties == "half" else []
        elif outcome == 0:
            rows += [t - s, t + s]
        else:
            rows.append(-outcome * s - t)
    bounds: list[Any] = [(-1, 1)] * (k + 2)
    bounds[0] = (0, 0)
    bounds[k] = (-1, 1) if modelled else (0, 0)
    bounds[k + 1] = (-1, 1) if order_effect else (0, 0)
    for column in range(k + 2):
        for sign in (-1.0, 1.0):
            cost = np.zeros(k + 2)
            cost[column] = sign
            found = linprog(cost, A_ub=-np.array(rows), b_ub=np.zeros(len(rows)), bounds=bounds)
            if found.fun < -1e-7:
                return False
    return True


@given(comparisons(min_size=1, teams=False))
def test_existence_is_what_a_linear_program_finds(c: Comparisons) -> None:
    assert c.outcome is not None
    c = Comparisons.from_arrays(c.items[c.left], c.items[c.right], c.outcome)  # only items that appear
    for ties in ("davidson", "half"):
        for order_effect in (False, True):
            counts = paired_input(c, order_effect).counts
            free_tie = ties == "davidson" and bool(counts.ties.any())
            strong = connections(counts)[1]
            found = len(set(strong.tolist())) == 1 and rest_is_finite(
                counts, free_tie=free_tie, free_order=order_effect
            )
            assert found == has_estimate(c, ties, order_effect)


@given(comparisons(min_size=1))
def test_groups_are_those_of_the_comparisons(c: Comparisons) -> None:
    data = paired_input(c, False)
    found = connections(data.counts, data.teams)[0]
    np.testing.assert_array_equal(np.bincount(found), np.bincount(c.components[c.appears]))
    pairs = {(a, b) for a, b in zip(found.tolist(), c.components[c.appears].tolist(), strict=True)}
    assert len(pairs) == len(set(found.tolist()))


def test_every_fit_is_finite_whatever_the_comparisons() -> None:
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExistenceWarning)
        for _ in range(40):
            n = int(rng.integers(1, 15))
            left = rng.integers(0, 5, n)
            c = Comparisons.from_arrays(left, (left + rng.integers(1, 5, n)) % 5, rng.integers(-1, 2, n))
            for ties in ("davidson", "rao-kupper", "half"):
                model = BradleyTerry(ties=ties).fit(c)
                assert np.isfinite(model.log_skill_).all()
                assert model.result_.converged


# ------------------------------------------------------------------------------------ teams without a prior


def test_teams_without_an_estimate_are_named() -> None:
    """Nobody beats a, and c beats nobody. A team's win counts as a win of each member over each opponent."""
    c = Comparisons.from_arrays([("a",), ("b",)], [("b", "c"), ("c",)], [-1, -1])
    with pytest.raises(
        ValueError, match=r"^the skills of 'a', 'b' and 'c' have no finite.* use prior='auto'"
    ):
        BradleyTerry(prior=0).fit(c)
    undefeated = Comparisons.from_arrays(
        [("a", "x"), ("a", "b"), ("b", "c"), ("c",)],
        [("b", "c"), ("c",), ("a",), ("a", "b")],
        [-1, -1, -1, -1],
    )
    with pytest.raises(ValueError, match="the skills of 'x' have no finite"):
        BradleyTerry(prior=0).fit(undefeated)


def test_teams_that_run_away_are_named() -> None:
    """Everyone lost to everyone, but a and b together are no stronger than the better of them."""
    left = [("c",), ("a", "b"), ("a", "b"), ("b", "a"), ("b",), ("c", "b")]
    right = [("a", "b"), ("c",), ("c",), ("c",), ("a", "c"), ("a",)]
    c = Comparisons.from_arrays(left, right, [-1, -1, -1, 1, -1, -1])
    with pytest.raises(ValueError, match=r"the skills of 'a' have no finite .* move away from the rest"):
        BradleyTerry(prior=0).fit(c)
    assert np.isfinite(BradleyTerry().fit(c).log_skill_).all()


def test_a_fit_of_teams_without_a_prior_is_an_optimum() -> None:
    """If a random data set is fitted without an error, no distant point is better."""
    fitted = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        sides = [np.split(rng.permutation(4)[: 2 + k], [1 + k // 2]) for k in rng.integers(0, 3, 14)]
        left, right = ([tuple("abcd"[i] for i in side[end]) for side in sides] for end in (0, 1))
        c = Comparisons.from_arrays(left, right, rng.choice([-1, 1], 14))
        if c.teams is None:
            continue
        try:
            model = BradleyTerry(prior=0).fit(c)
        except ValueError:
            continue
        fitted += 1
        problem, x = model.fit_.problem, model.result_.solution
        for k in range(1, 2**4 - 1):
            u = np.array([(k >> i) & 1 for i in range(problem.n_items)], dtype=float)
            assert problem.objective(x + 30 * u) > problem.objective(x)
    assert fitted > 10
