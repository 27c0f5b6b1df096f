"""`votes_needed` reaches the power that it promises, and its numbers follow from its definition.

``python -m tests.skill.campaign.test_needed 400`` simulates 400 campaigns for every model of ties.
"""

import sys
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from podium import BradleyTerry, Comparisons, DynamicBradleyTerry, PlackettLuce
from podium.datasets import load_chess_club, make_games
from podium.numerics.links import outcome_probabilities
from podium.skill.campaign.needed import information, needed_text

TRUTH = np.array([0.8, 0.4, 0.0, -0.4, -0.8])
PAIRS = np.triu_indices(len(TRUTH), 1)
PILOT = 30  # votes of each pair before the question is asked
MODELS = {"davidson": 0.8, "rao-kupper": 1.6, "half": 0.8, "ignore": 0.8}  # the tie parameter of the truth


def chances(ties: str) -> Any:
    """The probabilities of the three outcomes of each pair."""
    model = "rao-kupper" if ties == "rao-kupper" else "davidson"
    return outcome_probabilities(TRUTH[PAIRS[1]] - TRUTH[PAIRS[0]], model, MODELS[ties])


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


if __name__ == "__main__":
    for ties in MODELS:
        for wanted in (0.8, 0.9):
            for again in (True, False):
                needed, share = power(int(sys.argv[1]), ties, wanted, again)
                print(f"{ties}, power {wanted}, all votes drawn: {again}: {needed:g} votes, found {share:.3f}")
