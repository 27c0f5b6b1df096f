"""Which rankings have a finite estimate, and what is said if they have none."""

from typing import Any

import numpy as np
import pytest

from podium import PlackettLuce, Rankings
from podium.rankings.existence import endless_sizes, ties_are_bounded
from podium.skill.fit import ExistenceWarning
from podium.skill.plan import LOCAL
from tests.rankings.test_likelihood import problem_of

TIE_CASES: list[tuple[list[Any], bool]] = [
    ([["a", "b"], [("a", "b")]], False),
    ([["a", "b"], ["b", "a"], [("b", "c")]], True),
    ([["a", "b"], ["b", "a"], [("a", "b")]], True),
    ([["a", "b"], [("b", "c")], [("a", "c")]], False),
    ([["a", "b"], ["b", "c"], ["c", "a"], [("a", "b")]], True),
    ([["a", "b", "c"], [("a", "b", "c")], ["c", "a", "b"], ["b", "c", "a"]], True),
    ([["a", "b", "c", "d"], ["b", "a"], [("a", "b", "c")], [("c", "d")]], False),
]


@pytest.mark.parametrize(("lists", "exists"), TIE_CASES)
def test_ties_and_existence(lists: list[Any], exists: bool) -> None:
    """Without an estimate, the likelihood rises on and on: the solver ends far away or does not end."""
    r = Rankings.from_lists(lists)
    if exists:
        model = PlackettLuce(prior=0).fit(r)
    else:
        with pytest.raises(ValueError, match=r"no .*finite maximum-likelihood"):
            PlackettLuce(prior=0).fit(r)
        with pytest.warns(ExistenceWarning, match="pseudo-games per item, only between items that met, keep"):
            model = PlackettLuce().fit(r)
        assert model.prior_ == LOCAL
    assert model.result_.converged
    assert np.abs(model.log_skill_).max() < 20


@pytest.mark.parametrize("seed", range(30))
def test_the_linear_program_agrees_with_the_solver(seed: int) -> None:
    """On small random rankings a direction without end shows in the solver: the ridge then decides δ."""
    from podium.rankings.existence import connections
    from podium.rankings.fit import fit_rankings

    rng = np.random.default_rng(seed)
    lists: list[Any] = []
    for _ in range(5):
        a, b, c = rng.permutation(4)[:3].tolist()
        lists.append([[a, b], [(a, b)], [a, b, c], [(a, b), c], [a, (b, c)]][rng.integers(5)])
    problem = problem_of(Rankings.from_lists(lists))
    if not problem.n_ties or problem.ballots.n_items < 4 or connections(problem.ballots)[1].any():
        return
    bounded = ties_are_bounded(problem.ballots)
    result = fit_rankings(problem, 1e-10, 300)
    near = result.converged and np.abs(result.solution).max() < 12
    assert near == bounded


def test_items_that_only_won_are_named() -> None:
    r = Rankings.from_lists([["ann", "bob", "cat"], ["ann", "cat", "bob"]])
    with pytest.raises(ValueError, match="the skills of 'ann' have no finite maximum-likelihood estimate"):
        PlackettLuce(prior=0).fit(r)
    with pytest.warns(ExistenceWarning, match="because they only won or only lost against the rest; about"):
        model = PlackettLuce().fit(r)
    assert model.prior_ == LOCAL
    assert model.items_[model.log_skill_.argmax()] == "ann"


def test_winners_lead_to_all_that_remain() -> None:
    """c beats nobody in the chain a > b > c except through the second ranking."""
    assert PlackettLuce(prior=0).fit(Rankings.from_lists([["a", "b", "c"], ["c", "a"]])).prior_ == 0
    with pytest.raises(ValueError, match="no finite"):
        PlackettLuce(prior=0).fit(Rankings.from_lists([["a", "b", "c"], ["c", "b"]]))


def test_a_rest_says_nothing_about_itself() -> None:
    r = Rankings.from_lists([["a", ("b", "c")], ["b", "a"]], rest=[True, False])
    with pytest.warns(ExistenceWarning, match="the skills of 'c'"):
        PlackettLuce().fit(r)


def test_groups_that_never_met_are_ranked_apart() -> None:
    r = Rankings.from_lists([["a", "b", "c"], ["c", "b", "a"], ["x", "y"], ["y", "x"]])
    with pytest.warns(ExistenceWarning, match="the items form 2 groups"):
        model = PlackettLuce().fit(r)
    np.testing.assert_array_equal(model.components_, [0, 0, 0, 1, 1])
    np.testing.assert_allclose([model.log_skill_[:3].sum(), model.log_skill_[3:].sum()], 0, atol=1e-12)
    with pytest.warns(ExistenceWarning, match="1 of 2 sets have items of groups that were never compared"):
        first, second = model.predict_proba([["a", "b"], ["a", "x"]])
    assert np.isfinite(first).all()
    assert np.isnan(second).all()
    assert (PlackettLuce(prior=0.5).fit(r).components_ == 0).all()


def test_ties_that_always_occur() -> None:
    r = Rankings.from_lists([[("a", "b")], [("b", "c")], [("a", "c")]])
    with pytest.warns(ExistenceWarning, match="ties of 2 occur whenever enough items remain"):
        model = PlackettLuce().fit(r)
    assert model.tie_[2] > 10
    np.testing.assert_allclose(model.log_skill_, 0, atol=1e-9)
    with pytest.raises(ValueError, match="ties of 2 occur whenever enough items remain"):
        PlackettLuce(prior=0).fit(r)
    larger = [["a", "b"], ["b", "a"], [("a", "b", "c")], ["c", "a"], ["a", "c"], [("a", "b")]]
    np.testing.assert_array_equal(endless_sizes(problem_of(Rankings.from_lists(larger)).ballots), [0, 1])
    with pytest.raises(ValueError, match="every choice ended in a tie, so ties='ignore' leaves nothing"):
        PlackettLuce("ignore").fit(r)


def test_rankings_that_say_nothing() -> None:
    with pytest.raises(ValueError, match="no ranking says that one item is better than another"):
        PlackettLuce().fit(Rankings.from_lists([["a"], ["b"]]))
