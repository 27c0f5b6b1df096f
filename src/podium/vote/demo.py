"""A vote to try out: ten posters drawn in code, and simulated votes on them."""

from itertools import combinations
from math import sin
from time import time
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection, func, select

from podium.vote.database.ballots import store_vote
from podium.vote.database.store import insert_new
from podium.vote.database.tables import items, judges, prompts, votes
from podium.vote.nouns import Answer, Matchup, Shown
from podium.vote.tokens import Ballot

DEMO_QUESTION = "Which poster would you hang on your wall?"

# From the best to the worst in the eyes of the simulated judges: the sky, the sun, and three hills.
POSTERS = {
    "Harbour at dusk": ("#2b3a67", "#ffb997", "#f67e7d", "#843b62", "#0b032d"),
    "First light": ("#ffe8d6", "#ff9f1c", "#cb997e", "#a5a58d", "#6b705c"),
    "Northern night": ("#0d1b2a", "#e0e1dd", "#1b4965", "#2a9d8f", "#06141f"),
    "Desert noon": ("#8ecae6", "#ffd166", "#e9c46a", "#f4a261", "#bc6c25"),
    "Lavender evening": ("#cdb4db", "#fff1e6", "#a28dc2", "#7b6ba8", "#463f6b"),
    "Meadow": ("#d9f0ff", "#fff3b0", "#a7c957", "#6a994e", "#386641"),
    "Red planet": ("#f2cc8f", "#fffcf2", "#e07a5f", "#a44a3f", "#3d1f1f"),
    "Winter coast": ("#e8f1f2", "#fefae0", "#b3cdd1", "#7a9e9f", "#4f6367"),
    "Old photograph": ("#e6dcc6", "#faf3dd", "#b8a88a", "#8a7a5c", "#574c3a"),
    "Neon city": ("#10002b", "#39ff14", "#ff00a0", "#7b2cbf", "#00f0ff"),
}


class SimulatedVote(NamedTuple):
    """A vote of a simulated judge, who is numbered from 1."""

    judge: int
    left: str
    right: str
    answer: Answer


def demo_items() -> list[Shown]:
    """Ten posters of hills under a sun, as SVG images."""
    about = "Poster of three hills under a sun, in the colours of “{}”"
    return [
        Shown(name, "image", about.format(name), data=_poster(*colours, k))
        for k, (name, colours) in enumerate(POSTERS.items())
    ]


def demo_votes(n_judges: int = 12, votes_each: int = 25, seed: int = 0) -> list[SimulatedVote]:
    """Simulated votes on the posters, in the order in which they are cast.

    The judges prefer posters in the order of `POSTERS`, with some noise, and see no pair twice. A tie becomes
    likely if they like two posters about equally.

    >>> len(demo_votes())
    300
    """
    rng = np.random.default_rng(seed)
    names = list(POSTERS)
    pairs = np.array(list(combinations(range(len(names)), 2)))
    votes = []
    for judge in range(1, n_judges + 1):
        for pair in rng.permutation(pairs)[:votes_each]:
            left, right = map(int, rng.permutation(pair))
            lead = (right - left) / 3 + rng.logistic()  # how much better the judge finds the left poster
            answer: Answer = "tie" if abs(lead) < 0.3 else "left" if lead > 0 else "right"
            votes.append(SimulatedVote(judge, names[left], names[right], answer))
    return [votes[k] for k in rng.permutation(len(votes))]


def store_demo_votes(connection: Connection) -> None:
    """Store the simulated votes, spread over the last hour, unless there are votes already."""
    if connection.scalar(select(func.count()).select_from(votes)):
        return
    ids = {row.name: row.id for row in connection.execute(select(items.c.id, items.c.name))}
    prompt = connection.execute(select(prompts.c.id)).scalar_one()
    simulated = demo_votes()
    start, step = time() - 3600, 3600 / len(simulated)
    for judge in sorted({vote.judge for vote in simulated}):
        row = {"id": f"simulated-{judge}", "name": f"Simulated judge {judge}", "joined": start}
        insert_new(connection, judges, row)
    for k, vote in enumerate(simulated):
        when = start + k * step
        matchup = Matchup(prompt, ids[vote.left], ids[vote.right], 2 / (len(ids) * (len(ids) - 1)))
        ballot = Ballot(f"simulated-{k}", f"simulated-{vote.judge}", matchup, when)
        store_vote(connection, ballot, vote.answer, when)


def _poster(sky: str, sun: str, far: str, middle: str, near: str, number: int) -> bytes:
    """A poster, 300 by 400. Its number moves the sun and the hills."""
    x, y, radius = 70 + 53 * number % 160, 90 + 29 * number % 60, 34 + 7 * number % 20
    hills = "".join(
        f'<path fill="{colour}" d="{_hill(180 + 70 * depth, 26 - 4 * depth, number + 2.1 * depth)}"/>'
        for depth, colour in enumerate((far, middle, near))
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 400" width="300" height="400">'
        f'<rect width="300" height="400" fill="{sky}"/>'
        f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{sun}"/>'
        f"{hills}</svg>"
    ).encode()


def _hill(top: float, height: float, phase: float) -> str:
    """The outline of a wavy hill, from its ridge down to the lower edge."""
    ridge = (
        f"{x} {top + height * (sin(x / 55 + phase) + 0.5 * sin(x / 23 + 2 * phase)):.1f}"
        for x in range(0, 301, 10)
    )
    return f"M0 400 L{' L'.join(ridge)} L300 400 Z"
