"""Votes are added up as they were cast."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, create_engine, insert, update
from sqlalchemy.pool import StaticPool

from podium.vote.database import tables
from podium.vote.nouns import Answer
from podium.vote.tally import MOST_BARS, read_tally, stamp_of
from tests.vote.databases import NOON, add_items, add_votes, with_tables

DAY = 86_400.0


def tally_of(cast: list[tuple[int, int, str]]) -> Counter[tuple[int, int, int]]:
    """Count (pair, result), written down from the answers."""
    found: Counter[tuple[int, int, int]] = Counter()
    for left, right, answer in cast:
        result = {"left": -1, "right": 1}.get(answer.removeprefix("much "), 0)
        found[min(left, right), max(left, right), result if left < right else -result] += 1
    return found


@given(
    st.lists(
        st.tuples(st.permutations([1, 2, 3]), st.sampled_from(get_args(Answer))), min_size=1, max_size=12
    )
)
def test_the_database_counts_every_answer(drawn: list[tuple[list[int], str]]) -> None:
    cast = [(order[0], order[1], answer) for order, answer in drawn]
    engine = create_engine("sqlite://", poolclass=StaticPool)
    tables.metadata.create_all(engine)
    with engine.begin() as connection:
        add_items(connection, "abc")
        add_votes(connection, cast)
        tally = read_tally(connection)
    counted = {
        (low, high, result - 1): int(n)
        for (low, high), row in zip(tally.pairs.tolist(), tally.results, strict=True)
        for result, n in enumerate(row)
        if n
    }
    assert counted == tally_of(cast)
    assert tally.votes == tally.judges == len(cast)


@pytest.fixture
def connection(tmp_path: Path) -> Connection:
    connection = with_tables(tmp_path / "votes.db").connect()
    add_items(connection, "abc")
    return connection


def test_undone_votes_do_not_count(connection: Connection) -> None:
    add_votes(connection, [(1, 2, "left"), (2, 3, "tie")])
    connection.execute(update(tables.votes).where(tables.votes.c.left == 1).values(undone=NOON))
    tally = read_tally(connection)
    assert tally.pairs.tolist() == [[2, 3]]
    assert (tally.votes, tally.judges) == (1, 1)


def test_no_votes_are_an_empty_tally(connection: Connection) -> None:
    tally = read_tally(connection)
    assert (tally.votes, tally.judges, tally.over_time) == (0, 0, None)


def test_the_stamp_changes_with_whatever_the_board_shows(connection: Connection) -> None:
    items, votes = tables.items, tables.votes
    changes: list[Callable[[], object]] = [
        lambda: add_votes(connection, [(1, 2, "left")]),
        lambda: connection.execute(update(votes).values(undone=NOON)),
        lambda: connection.execute(insert(items).values(name="d", added=NOON)),
        lambda: connection.execute(
            insert(tables.contents).values(item=4, prompt=1, kind="text", text="", language="")
        ),
        lambda: connection.execute(update(items).where(items.c.id == 1).values(withdrawn=NOON)),
        lambda: (
            connection.execute(update(items).where(items.c.id == 1).values(withdrawn=None)),
            connection.execute(update(items).where(items.c.id == 2).values(withdrawn=NOON + 1)),
        ),
        lambda: connection.execute(update(items).values(withdrawn=None)),
    ]
    stamps = [stamp_of(connection)]
    assert stamp_of(connection) == stamps[0]
    for change in changes:
        change()
        stamps.append(stamp_of(connection))
        assert stamps[-1] != stamps[-2]


@pytest.mark.parametrize("span", [0.0, 59.0, 3600.0, DAY, 90 * DAY, 5000 * DAY, 60_000 * DAY])
def test_bars_are_few_and_hold_every_vote(connection: Connection, span: float) -> None:
    for share in (0.0, 0.1, 0.5, 0.50001, 1.0):
        add_votes(connection, [(1, 2, "left")], time=NOON + share * span)
    over_time = read_tally(connection).over_time
    assert over_time is not None
    assert over_time.counts.sum() == 5
    assert over_time.counts[0] > 0
    assert over_time.counts[-1] > 0
    assert len(over_time.counts) == len(over_time.times) <= MOST_BARS
    assert (np.diff(over_time.times) == np.timedelta64(over_time.step, "s")).all()
    if span <= 59:
        assert over_time.step == 60
