"""What only a PostgreSQL server can show; see `make test-engines`."""

from pathlib import Path

import pytest
from sqlalchemy import text

import podium as pod
from podium.vote.pages.owner import votes_file
from tests.cli.runs import done, sentence
from tests.vote.databases import add_odd_votes, engine_of

pytestmark = pytest.mark.engines


def test_both_engines_give_the_same_comparisons(empty_database: str, votes_db: Path) -> None:
    add_odd_votes(empty_database)
    there, here = pod.read_comparisons(empty_database), pod.read_comparisons(votes_db)
    assert there.to_frame().equals(here.to_frame())
    assert str(there.columns) == str(here.columns)
    boards = [done("rank", source, "--prior", "normal") for source in (empty_database, votes_db)]
    assert boards[0] == boards[1]


def test_both_engines_give_the_same_download(empty_database: str, votes_db: Path) -> None:
    add_odd_votes(empty_database)
    files = []
    for source in (empty_database, votes_db):
        engine = engine_of(source)
        with engine.connect() as connection:
            files.append(votes_file(connection, "csv"))
        engine.dispose()
    assert files[0] == files[1]


def test_types_that_only_a_server_has(empty_database: str) -> None:
    engine = engine_of(empty_database)
    with engine.begin() as connection:
        connection.execute(
            text(
                'CREATE TABLE "Odd %s" AS SELECT \'a\' AS "left", \'b\' AS "Right", 1.50::numeric AS weight, '
                "'a' AS winner, '2024-01-01 10:00+02'::timestamptz AS time, gen_random_uuid() AS \"group\" "
                "FROM generate_series(1, 3)"
            )
        )
    engine.dispose()
    c = pod.read_comparisons(empty_database, left="left", right="Right")
    assert c.weight.tolist() == [1.5] * 3
    assert c.time is not None
    assert str(c.time[0]).startswith("2024-01-01T08:00:00")
    assert c.groups is not None
    assert len(c.groups) == 3


def test_a_refused_password_is_one_sentence_without_it(postgres: str) -> None:
    wrong = postgres.replace("s3cret", "wr0ng%40")
    shown = sentence("rank", wrong)
    assert "does not admit this user with this password" in shown
    assert "wr0ng" not in shown
    with pytest.raises(ValueError, match="is not on that server; check the name"):
        pod.read_comparisons(postgres.replace("/postgres", "/nowhere"))


def test_a_database_of_something_else_is_named_without_the_password(empty_database: str) -> None:
    engine = engine_of(empty_database)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE pets (name text)"))
    engine.dispose()
    shown = sentence("vote", "--db", empty_database, "--port", 0)
    assert "is a database of something else: it has a table 'pets'" in shown
    assert "s3cret" not in shown


def test_a_report_does_not_tell_the_password(
    empty_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_odd_votes(empty_database)
    page = tmp_path / "page.html"
    monkeypatch.setattr("sys.argv", ["podium", "rank", empty_database, f"--report={page}"])
    shown = done("rank", empty_database, "--report", page, "--prior", "normal")
    assert "podium_" in page.read_text()
    assert "s3cret" not in page.read_text() + shown
