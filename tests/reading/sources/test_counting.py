"""DuckDB counts equal rows by the hashes of their texts, or by the texts if two have the same hash."""

from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import podium
from podium.reading.sources import counting
from podium.reading.sources.counting import ROWS, Counting, count_rows

TEXTS = ["", " ", "a", "A", "é", "e\u0301", "日本", "🏆", "x" * 200, "null", "0", None]


def counts(table: pa.Table) -> Counter[tuple[Any, ...]]:
    """How often each row of the table occurs, according to DuckDB."""
    with duckdb.connect() as connection:
        found = count_rows(connection, connection.from_arrow(table), Counting())
    *keys, n = (found[name].to_pylist() for name in found.column_names)
    assert found.column_names[-1] == ROWS
    return Counter(dict(zip(zip(*keys, strict=True), n, strict=True)))


@pytest.fixture(params=[True, False], ids=["by hashes", "by text"])
def told_apart(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    if not request.param:
        monkeypatch.setattr(counting, "HASH", "length")
    return bool(request.param)


def test_nulls_blanks_and_unicode_are_told_apart(told_apart: bool) -> None:
    rng = np.random.default_rng(0)
    one, other = ([TEXTS[k] for k in rng.integers(0, len(TEXTS), 2000)] for _ in range(2))
    number = rng.integers(0, 3, 2000).tolist()
    table = pa.table({"one": one, 'the "other"': other, "number": number})
    assert counts(table) == Counter(zip(one, other, number, strict=True))
    with duckdb.connect() as connection:
        found = count_rows(connection, connection.from_arrow(table), Counting())
    assert pa.types.is_dictionary(found["one"].type) == told_apart


def test_a_column_with_only_nulls_and_a_table_without_rows() -> None:
    nothing = pa.array([None] * 3, pa.string())
    assert counts(pa.table({"text": nothing})) == {(None,): 3}
    assert not counts(pa.table({"text": nothing[:0]}))


def test_many_texts() -> None:
    texts = [f"name {k}" for k in range(210_000)]
    table = pa.table({"text": [*texts, *texts[:1000]]})
    found = counts(table)
    assert len(found) == len(texts)
    assert found.total() == table.num_rows
    assert found["name 999",] == 2


def test_a_collision_leaves_comparisons_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    names = np.array(["Zoë", "zoë", "日本", "🏆", "Zoe\u0308"])
    left = rng.integers(0, 5, 400)
    sides = {"left": names[left], "right": names[(left + rng.integers(1, 5, 400)) % 5]}
    votes = {"outcome": rng.choice(["left", "right", "tie"], 400), "judge": TEXTS[2:6] * 100}
    table = pa.table(sides | votes)
    pq.write_table(table, tmp_path / "votes.parquet")
    by_hashes = podium.read_comparisons(tmp_path / "votes.parquet", group="judge", counted=True)
    monkeypatch.setattr(counting, "HASH", "length")
    by_text = podium.read_comparisons(tmp_path / "votes.parquet", group="judge", counted=True)
    assert by_text == by_hashes
    assert by_text.count.sum() == 400
