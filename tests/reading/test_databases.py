"""SQLite files and addresses: which table is read, what its cells become, and what can be wrong."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import pandas as pd
import pytest

import podium as pod
from podium.reading.files import open_table
from podium.reading.sources import databases
from tests.cli.runs import done, sentence

ANSWERS = ["a b left", "b c tie", "c a both bad", "c b right", "a b right"]
VOTES = [
    "create table votes (left text, right text, winner text, judge text, time real)",
    *(
        f"insert into votes values ('{left}', '{right}', '{winner}', 'eve', {1_700_000_000 + place}.5)"
        for place, (left, right, winner) in enumerate(answer.split(" ", 2) for answer in ANSWERS)
    ),
]
VIEW = "create view comparisons as select * from votes"
OTHER = "create table other (x int)"


def made(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    return path


# ------------------------------------------------------------------------------------ what is read


@pytest.mark.parametrize("ending", ["db", "sqlite", "sqlite3", "DB"])
@pytest.mark.parametrize("more", [[], [OTHER, VIEW]], ids=["only table", "view"])
def test_a_file_is_read_without_options(ending: str, more: list[str], tmp_path: Path) -> None:
    c = pod.read_comparisons(made(tmp_path / f"my votes #1?.{ending}", *VOTES, *more))
    assert str(c.columns) == (
        "left and right (sides), winner (outcome, 1 both bad count as ties), "
        "time (time, seconds since 1970); not used: judge"
    )
    assert c.outcome is not None
    assert c.outcome.tolist() == [-1, 0, 0, 1, 1]
    assert c.time is not None
    assert str(c.time[0]) == "2023-11-14T22:13:20.500000"


def test_sheet_names_a_table(tmp_path: Path) -> None:
    path = made(tmp_path / "votes.db", *VOTES, OTHER)
    assert len(pod.read_comparisons(path, sheet="votes")) == 5
    assert "to rank" not in done("rank", path, "--sheet", "votes", "--prior", "normal")
    assert "other', 'votes'; choose one with --sheet" in sentence("rank", path)
    assert "one table of a database" in sentence("rank", path, "--sheet", "votes", "--sheet", "other")
    assert "has no table 'vote'; its tables are 'other', 'votes'" in sentence("rank", path, "--sheet", "vote")


@pytest.mark.parametrize("address", ["sqlite:///{}", "sqlite+pysqlite:///{}", "sqlite:///{}?timeout=5"])
def test_an_address_of_a_file(address: str, tmp_path: Path) -> None:
    path = made(tmp_path / "without ending", *VOTES)
    assert len(pod.read_comparisons(address.format(path))) == 5
    out = tmp_path / "board.csv"
    done("rank", address.format(path), "--prior", "normal", "--out", out)
    assert "would be written over" in sentence("rank", address.format(out), "--out", out)


def test_every_command_reads_a_database(tmp_path: Path) -> None:
    path, model = made(tmp_path / "votes.db", *VOTES), tmp_path / "model.skops"
    done("fit", path, "--model", "bradley-terry", "--set", "prior=normal", "--save", model)
    said = done("evaluate", model, path)  # which may break the line within the path
    assert f"5rowsof{path}" in "".join(said.split())
    done("next", path, "--prior", "normal", "--candidates", f"sqlite:///{path}")


def test_rankings_are_read(tmp_path: Path) -> None:
    path = made(
        tmp_path / "races.db", "create table races (rank1, rank2)", "insert into races values ('a', 'b')"
    )
    assert len(pod.read_rankings(path)) == 1


def test_only_the_columns_asked_for_are_loaded(tmp_path: Path) -> None:
    overflow = "abs(-9223372036854775807 - 1)"
    broken = f"create view comparisons as select left, right, winner, {overflow} as cost from votes"
    with pytest.raises(sqlite3.OperationalError):
        made(tmp_path / "check.db", *VOTES, broken, "select cost from comparisons")
    assert len(pod.read_comparisons(made(tmp_path / "votes.db", *VOTES, broken))) == 5


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([1, None, 3], [1, None, 3]),
        ([1, 2.5, None], [1.0, 2.5, None]),
        ([None, None, 1.5], [None, None, 1.5]),
        ([1, "x", 2.5], ["1", "x", "2.5"]),
        (["x", None, "y"], ["x", None, "y"]),
        ([None, None, None], [None, None, None]),
        ([b"x", b"y", b"z"], [b"x", b"y", b"z"]),
        ([2**62, 2**62 + 1, 0], [2**62, 2**62 + 1, 0]),
    ],
)
@pytest.mark.parametrize("batch", [1, 2, 50])
def test_cells_keep_their_types(
    cells: list[Any], expected: list[Any], batch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "BATCH", batch)
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute('create table x ("select", "a ""%s"" b")')
        connection.executemany("insert into x values (?, 0)", [(cell,) for cell in cells])
    opened = open_table(path)
    assert opened.header == ["select", 'a "%s" b']
    assert opened.load(opened.header).to_pydict() == {"select": expected, 'a "%s" b': [0, 0, 0]}


def test_a_file_that_a_server_writes_to(tmp_path: Path) -> None:
    path = made(tmp_path / "votes.db", "pragma journal_mode = wal", *VOTES)
    with closing(sqlite3.connect(path, isolation_level=None)) as server:
        server.execute("begin immediate")
        server.execute("insert into votes values ('a', 'b', 'left', 'eve', 1700000009)")
        assert len(pod.read_comparisons(path)) == 5
        server.execute("commit")
        assert len(pod.read_comparisons(path)) == 6
    assert len(pod.read_comparisons(path)) == 6


def test_a_file_in_wal_mode_in_a_folder_that_is_not_writable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(tmp_path / "votes.db", "pragma journal_mode = wal", *VOTES)
    monkeypatch.setattr("os.access", lambda *_: False)  # root may write everywhere
    with patch("sqlite3.connect", wraps=sqlite3.connect) as connect:
        assert len(pod.read_comparisons(path)) == 5
    assert connect.call_args.args[0].endswith("?immutable=1")


def test_a_database_is_never_changed(tmp_path: Path) -> None:
    path = made(tmp_path / "votes.db", *VOTES)
    before = path.read_bytes()
    pod.read_comparisons(path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["votes.db"]


def test_databases_in_a_folder_are_left_alone(tmp_path: Path) -> None:
    made(tmp_path / "Thumbs.db", OTHER)
    frame = pd.DataFrame({"left": ["a"], "right": ["b"], "winner": ["left"]})
    frame.to_csv(tmp_path / "votes.csv", index=False)
    assert len(pod.read_comparisons(tmp_path)) == 1


# ------------------------------------------------------------------------------------ what is wrong


def content(data: bytes, name: str = "votes.db") -> Callable[[Path], Any]:
    def write(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(data)
        return path

    return write


def database(*statements: str) -> Callable[[Path], Any]:
    return lambda folder: made(folder / "votes.db", *statements)


def cut(folder: Path) -> Path:
    path = made(folder / "votes.db", *VOTES)
    path.write_bytes(path.read_bytes()[:4096])
    return path


def two(folder: Path) -> list[Path]:
    return [made(folder / name, *VOTES) for name in ("a.db", "b.db")]


class Wrong(NamedTuple):
    source: Callable[[Path], Any]
    message: str


SECRET = "postgresql://ann:s3cret@127.0.0.1:1/votes"
WRONG = {
    "empty": Wrong(content(b""), "votes.db' is empty; it has no tables"),
    "text": Wrong(content(b"left,right,winner\na,b,left\n"), "votes.db' is no SQLite database; if"),
    "no tables": Wrong(database("pragma user_version = 1"), "votes.db' has no tables"),
    "no rows": Wrong(database(VOTES[0]), "there are no rows to read: the table 'votes' is empty"),
    "damaged": Wrong(cut, "votes.db' is damaged or encrypted"),
    "not there": Wrong(lambda folder: folder / "votes.db", "there is no file '"),
    "compressed": Wrong(content(b"x", "votes.db.gz"), "is a compressed database; unpack it first"),
    "two": Wrong(two, "b.db' are databases; read one at a time"),
    "a view of nothing": Wrong(
        database(*VOTES, VIEW, "drop table votes"), "votes.db' cannot be read: no such table: main.votes"
    ),
    "address of no file": Wrong(lambda folder: f"sqlite:///{folder}/x.db", "x.db"),
    "address of memory": Wrong(lambda _: "sqlite://", "the database 'sqlite://' cannot be read"),
    "a web page": Wrong(lambda _: "https://x.org/votes.csv", "files that were downloaded"),
    "another database": Wrong(lambda _: "mysql://ann:s3cret@x/votes", r"'mysql://ann:\*\*\*@x/votes' cannot"),
    "nobody answers": Wrong(lambda _: SECRET, r"ann:\*\*\*@127.0.0.1:1/votes' cannot be reached"),
    "an odd port": Wrong(lambda _: SECRET.replace(":1/", ":x/"), "is no address; write postgresql://"),
    "an @ in the password": Wrong(lambda _: SECRET.replace("s3", "@s3"), "cannot be reached; check host"),
    "among others": Wrong(lambda _: ["a.csv", SECRET], "is a database, which is read on its own"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_one_sentence(name: str, tmp_path: Path) -> None:
    source = WRONG[name].source(tmp_path)
    with pytest.raises((ValueError, FileNotFoundError), match=WRONG[name].message) as caught:
        pod.read_comparisons(source)
    assert "s3cret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_command_line_does_not_mangle_an_address(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    fit = ["fit", "--model", "elo", "--save", tmp_path / "m.skops"]
    for command in (["rank"], fit, ["next"], ["compare", "--out", out]):
        shown = sentence(command[0], SECRET, *command[1:])
        assert "'postgresql://ann:***@127.0.0.1:1/votes' cannot be reached; check host and port" in shown
    votes = made(tmp_path / "votes.db", *VOTES)
    assert "***" in sentence("next", votes, "--prior", "normal", "--candidates", SECRET)


def test_a_locked_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "PATIENCE", 0.1)
    path = made(tmp_path / "votes.db", *VOTES)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("begin exclusive")
        with pytest.raises(ValueError, match=r"votes\.db' is locked by another program; try again"):
            pod.read_comparisons(path)


def test_a_file_that_vanishes(tmp_path: Path) -> None:
    path = made(tmp_path / "votes.db", *VOTES)
    opened = open_table(path)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        opened.load(["left"])


@pytest.mark.parametrize("missing", ["sqlalchemy", "psycopg"])
def test_without_the_extra(missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path / "votes.db", *VOTES)
    monkeypatch.setitem(__import__("sys").modules, missing, None)
    shown = sentence("rank", path if missing == "sqlalchemy" else SECRET)
    assert shown == "podium: databases need SQLAlchemy: pip install 'podium-learn[vote]'"
