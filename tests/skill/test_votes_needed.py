"""`votes_needed` reaches the power that it promises, and its numbers follow from its definition.

``python -m tests.skill.test_needed 400`` simulates 400 campaigns for every model of ties.
"""

import sys
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from podium import BradleyTerry, Comparisons, DynamicBradleyTerry, PlackettLuce, Rankings
from podium.core.links import Link, outcome_probabilities
from podium.datasets import load_chess_club, make_games

TRUTH = np.array([0.8, 0.4, 0.0, -0.4, -0.8])
PAIRS = np.triu_indices(len(TRUTH), 1)
PILOT = 30  # votes of each pair before the question is asked
MODELS = {"davidson": 0.8, "rao-kupper": 1.6, "half": 0.8, "ignore": 0.8}  # the tie parameter of the truth


def chances(ties: str) -> Any:
    """The probabilities of the three outcomes of each pair."""
    model = "rao-kupper" if ties == "rao-kupper" else "davidson"
    return outcome_probabilities(TRUTH[PAIRS[1]] - TRUTH[PAIRS[0]], Link.of(model, MODELS[ties]))


def fitted(votes: Any, ties: Any, weights: bool = False) -> BradleyTerry:
    """The model of a table of votes: a row for each pair, a column for each outcome."""
    pair, outcome = np.nonzero(votes)
    amount = {"weight": votes[pair, outcome]} if weights else {"count": votes[pair, outcome]}
    c = Comparisons.from_arrays(PAIRS[0][pair], PAIRS[1][pair], outcome - 1, **amount)
    return BradleyTerry(ties=ties).fit(c)


def power(n_runs: int, ties: str, wanted: float, again: bool, seed: int = 0) -> tuple[float, float]:
    """The votes needed between items 1 and 2, and the share of campaigns that find the difference with them.

    With ``again`` the model sees the expected votes, so its estimate is the truth (half wins apart), and the
    campaign is simulated from the start. Without it, the votes so far are given and only new ones are drawn.
    """
    rng, p = np.random.default_rng(seed), chances(ties)
    place = int(np.flatnonzero((PAIRS[0] == 1) & (PAIRS[1] == 2))[0])
    needed = fitted(PILOT * p, ties, weights=True).votes_needed(1, 2, wanted)
    found = 0
    for _ in range(n_runs):
        votes = rng.multinomial(PILOT, p) if again else PILOT * p
        votes[place] += rng.multinomial(int(needed), p[place])
        difference = fitted(votes, ties, weights=not again).compare(1, 2)
        found += difference.low > 0
    return needed, found / n_runs


def test_the_power_is_reached() -> None:
    """150 campaigns; the bounds are 5 points and two standard errors of the simulation."""
    needed, share = power(150, "davidson", 0.8, again=True)
    assert 150 < needed < 300
    assert share == pytest.approx(0.8, abs=0.05 + 2 * 0.033)


# ------------------------------------------------------------------------------------ two items


@pytest.mark.parametrize(
    ("ties", "order_effect"), [("davidson", False), ("rao-kupper", False), ("davidson", True)]
)
def test_information_is_the_expected_curvature(ties: Any, order_effect: bool) -> None:
    """The variance of the score of one vote, by numerical differentiation."""
    c, _ = make_games(5, 400, order_effect=0.5, random_state=0)
    fit = BradleyTerry(ties=ties, order_effect=order_effect).fit(c).fit_
    gap, step = np.array([0.3, 1.2]), 1e-5
    expected = []
    for h in {fit.order_effect, -fit.order_effect}:
        p = outcome_probabilities(gap + h, fit.link)
        up, down = (np.log(outcome_probabilities(gap + h + d, fit.link)) for d in (step, -step))
        expected.append((p * ((up - down) / (2 * step)) ** 2).sum(axis=1))
    np.testing.assert_allclose(fit.information(gap), np.mean(expected, axis=0), rtol=1e-6)


@pytest.mark.parametrize("ties", ["davidson", "half", "ignore"])
def test_more_votes_shrink_the_error_as_promised(ties: Any) -> None:
    """The error after that many votes, with outcomes as expected, is the one that the power needs."""
    p = chances(ties)
    needed = fitted(PILOT * p, ties, weights=True).votes_needed(0, 1, power=0.9, level=0.9)
    found = fitted((PILOT + needed * np.eye(len(p))[0])[:, None] * p, ties, weights=True).compare(0, 1)
    enough = (norm.ppf(0.95) + norm.ppf(0.9)) * found.standard_error
    assert needed > 50
    assert found.difference == pytest.approx(enough, rel=0.02)


def test_from_no_votes_to_infinitely_many() -> None:
    c, _ = make_games(log_skill=[2.0, 0.2, 0.0, -2.0], n_games=400, random_state=0)
    model = BradleyTerry().fit(c)
    assert model.votes_needed(0, 3) == 0
    by_power = [model.votes_needed(1, 2, power) for power in (0.5, 0.8, 0.95)]
    assert by_power == sorted(by_power)
    assert by_power[0] < by_power[-1]
    assert model.votes_needed(1, 2, level=0.99) > model.votes_needed(2, 1)
    even = BradleyTerry().fit(Comparisons.from_arrays(["a", "b"], ["b", "a"], [1, 1]))
    assert even.votes_needed("a", "b") == np.inf


def test_every_model_of_skill_answers() -> None:
    c, _ = make_games(5, 300, tie_rate=0, random_state=0)
    plain = BradleyTerry().fit(c)
    pairs = np.where(c.outcome < 0, (c.left, c.right), (c.right, c.left)).T  # type: ignore[operator]
    ranking = PlackettLuce().fit(Rankings.from_lists(pairs.tolist()))
    a, b = plain.votes_needed(top=1).loc[0, ["a", "b"]]
    assert ranking.votes_needed(a, b) == plain.votes_needed(a, b) > 0
    timed = Comparisons.from_arrays(c.left, c.right, c.outcome, time=np.arange(len(c)))
    assert DynamicBradleyTerry().fit(timed).votes_needed(top=1).attrs["total"] > 0


# ------------------------------------------------------------------------------------ boards


def test_a_board_is_separated_by_its_votes() -> None:
    """With the votes of the table, every pair has enough; each pair alone would ask for more in total."""
    p = chances("davidson")
    model = fitted(PILOT * p, "davidson", weights=True)
    table = model.votes_needed(top=3)
    assert table[["a", "b"]].to_numpy().tolist() == [[0, 1], [1, 2], [2, 3]]
    assert table.attrs["total"] == table["votes"].sum()
    alone = [model.votes_needed(a, b) for a, b in zip(table["a"], table["b"], strict=True)]
    assert table.attrs["total"] < sum(alone)
    votes = PILOT * p
    for a, b, more in table.itertuples(index=False):
        place = (PAIRS[0] == a) & (PAIRS[1] == b)
        votes[place] += more * p[place]
    after = fitted(votes, "davidson", weights=True).votes_needed(top=3)
    assert after.attrs["total"] <= 0.01 * table.attrs["total"]


def test_a_board_of_all_items_has_no_next_one() -> None:
    model = BradleyTerry().fit(load_chess_club())
    assert len(model.votes_needed(top=14)) == len(model.votes_needed(top=13)) == 13
    assert len(model.votes_needed(top=1)) == 1


def test_wrong_questions() -> None:
    model = BradleyTerry().fit(load_chess_club())
    for wrong in (
        {},
        {"a": "Ada"},
        {"b": "Ada"},
        {"a": "Ada", "b": "Boris", "top": 3},
        {"a": "Ada", "top": 3},
    ):
        with pytest.raises(ValueError, match="two items, or top="):
            model.votes_needed(**wrong)
    with pytest.raises(ValueError, match="power must be"):
        model.votes_needed("Ada", "Boris", power=80)
    with pytest.raises(ValueError, match="level must be"):
        model.votes_needed("Ada", "Boris", level=95)
    with pytest.raises(ValueError, match="top is a whole number"):
        model.votes_needed(top=0)
    with pytest.raises(ValueError, match="not seen"):
        model.votes_needed("Ada", "nobody")
    with pytest.warns(UserWarning, match="2 groups"):
        apart = BradleyTerry().fit(Comparisons.from_arrays(list("abcd"), list("badc"), [1, 1, 1, 1]))
    with pytest.raises(ValueError, match="never compared"):
        apart.votes_needed("a", "c")
    with pytest.raises(ValueError, match="no common order"):
        apart.votes_needed(top=1)


if __name__ == "__main__":
    for ties in MODELS:
        for wanted in (0.8, 0.9):
            for again in (True, False):
                needed, share = power(int(sys.argv[1]), ties, wanted, again)
                print(
                    f"{ties}, power {wanted}, all votes drawn: {again}: {needed:g} votes, found {share:.3f}"
                )
