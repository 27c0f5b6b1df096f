"""Whom `judges()` flags: rarely an honest judge, even if other judges do not read, and mostly those."""

import re
from typing import NamedTuple

import numpy as np
import pytest
from sqlalchemy import create_engine

from podium import BradleyTerry, Comparisons
from podium.vote.database import tables
from podium.vote.pages.owner import judges_table
from tests.vote.databases import add_items, add_votes

N_ITEMS, TIE = 8, 0.6
Votes = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # left, right, outcome, judge


def votes_of(rng: np.random.Generator, n_judges: int, n_votes: int, order: float = 0.0) -> Votes:
    """Votes of judges who all follow Davidson's model."""
    n, skill = n_judges * n_votes, rng.normal(size=N_ITEMS)
    left = rng.integers(0, N_ITEMS, n)
    right = (left + rng.integers(1, N_ITEMS, n)) % N_ITEMS
    d = skill[right] - skill[left] - order
    p = np.column_stack([np.exp(-d / 2), np.full(n, TIE), np.exp(d / 2)])
    p /= p.sum(axis=1, keepdims=True)
    outcome = (rng.random(n)[:, None] > p.cumsum(axis=1)[:, :2]).sum(axis=1) - 1
    return left, right, outcome, np.repeat(np.arange(n_judges), n_votes)


class Flagged(NamedTuple):
    """The share of data sets with a flag on an honest judge, and the share of bad judges with a flag."""

    honest: float
    bad: float


def simulated(runs: int, n_votes: int, n_bad: int, behaviour: str) -> Flagged:
    """Ten judges, some of whom always vote for the left side or for the side that an honest judge rejects."""
    honest, bad = [], []
    for seed in range(runs):
        left, right, outcome, judge = votes_of(np.random.default_rng(seed), 10, n_votes)
        wrong = -1 if behaviour == "left" else -outcome
        c = Comparisons.from_arrays(left, right, np.where(judge < n_bad, wrong, outcome), group=judge)
        flagged = BradleyTerry(order_effect=True).fit(c).judges()["flagged"].to_numpy()
        honest.append(flagged[n_bad:].any())
        bad.append(flagged[:n_bad].mean() if n_bad else 0.0)
    return Flagged(float(np.mean(honest)), float(np.mean(bad)))


def test_few_honest_judges_are_flagged_beside_three_who_click_left() -> None:
    found = simulated(20, 50, 3, "left")
    assert found.honest <= 0.2
    assert found.bad == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_votes", "n_bad", "behaviour", "least"),
    [
        (20, 0, "left", 0), (200, 0, "left", 0), (20, 1, "left", 0.99), (200, 1, "left", 1),
        (50, 3, "left", 0.99), (200, 3, "left", 1), (20, 1, "contrary", 0.6), (50, 3, "contrary", 0.75),
        (200, 3, "contrary", 0.95),
    ],
)  # fmt: skip
def test_honest_judges_are_rarely_flagged(n_votes: int, n_bad: int, behaviour: str, least: float) -> None:
    found = simulated(400, n_votes, n_bad, behaviour)
    print(n_votes, n_bad, behaviour, found)
    assert found.honest <= 0.08  # of 400 data sets, more have a probability of 0.5 % if it is 5 %
    assert found.bad >= least


# -------------------------------------------------------------------------------- the vote page's table


def flags_on_the_page(runs: int, order: float) -> float:
    """The share of data sets in which the page flags one of ten judges who all prefer the left side."""
    found = []
    for seed in range(runs):
        left, right, outcome, _ = votes_of(np.random.default_rng(seed), 10, 100, order)
        answers = np.array(["left", "tie", "right"])[outcome + 1]
        cast = zip((left + 1).tolist(), (right + 1).tolist(), answers.tolist(), strict=True)
        engine = create_engine("sqlite://")
        with engine.begin() as connection:
            tables.metadata.create_all(connection)
            tables.create_view(connection)
            add_items(connection, "abcdefgh", prompts=100)
            add_votes(connection, cast, per_judge=100)
            page = judges_table(connection)
        engine.dispose()
        [said] = re.findall(r"10 judges, (\d+) flagged", page)
        found.append(int(said) > 0)
    return float(np.mean(found))


def test_a_preference_that_all_judges_share_is_not_held_against_them() -> None:
    assert flags_on_the_page(10, 0.5) <= 0.2


@pytest.mark.slow
@pytest.mark.parametrize("order", [0.3, 0.5])
def test_a_preference_that_all_judges_share_is_rarely_held_against_one(order: float) -> None:
    found = flags_on_the_page(200, order)
    print(order, found)
    assert found <= 0.09
