"""Files of all kinds: line ends, damaged archives, links and pipes, and very many columns."""

import gzip
import itertools
import os
from pathlib import Path

import pytest

from podium.reading.files import open_table
from podium.reading.sources.connection import duckdb_on

LINES = ["a,b", *(f"x{i},y{i}" for i in range(6))]
ENDS = {
    "\\n": ["\n"],
    "\\r\\n": ["\r\n"],
    "\\r": ["\r"],
    "by turns": ["\n", "\r\n", "\r"],
    "header \\r\\n": ["\r\n", *["\n"] * 6],
    "header \\n": ["\n", *["\r\n"] * 6],
    "last \\r": [*["\n"] * 6, "\r"],
}


def loaded(path: Path, encoding: str = "utf-8") -> dict[str, list[str]]:
    table = open_table(path, encoding)
    cells: dict[str, list[str]] = table.load(table.header).to_pydict()
    return cells


@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("ends", ENDS)
def test_line_ends_of_all_kinds(ends: str, encoding: str, ending: str, tmp_path: Path) -> None:
    text = "".join(line + end for line, end in zip(LINES, itertools.cycle(ENDS[ends]), strict=False))
    file = tmp_path / f"file.{ending}"
    content = text.encode(encoding)
    file.write_bytes(gzip.compress(content) if ending.endswith("gz") else content)
    assert loaded(file, encoding) == {"a": [f"x{i}" for i in range(6)], "b": [f"y{i}" for i in range(6)]}


def test_mixed_ends_leave_quoted_cells_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file.csv"
    file.write_bytes(b'a,b\r\n"one\r\ntwo","say ""hi""\r"\n3,4\r5,6\r\n')
    for block in (1 << 20, 7, 3, 1):  # a block may end within a line end
        monkeypatch.setattr("podium.reading.sources.encodings.BLOCK", block)
        expected = {"a": ["one\r\ntwo", "3", "5"], "b": ['say "hi"\r', "4", "6"]}
        assert (loaded(file) if block > 7 else _even(file)) == expected


def _even(file: Path) -> dict[str, list[str]]:
    """The header needs a whole block, so small blocks are only used for the copy."""
    import csv
    import io

    from podium.reading.sources.encodings import _even_text
    from podium.reading.sources.paths import _file

    text = "".join(_even_text(_file(file, file.name)))
    assert text == 'a,b\n"one\r\ntwo","say ""hi""\r"\n3,4\n5,6\n'
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    return {name: [row[k] for row in rows] for k, name in enumerate(header)}


def test_errors_in_a_copy_name_the_file_and_its_line(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_bytes(b"a,b\n1,2\r\n")
    bad.write_bytes(b"a,b\r\n1,2\n1,2,3\r")
    with pytest.raises(ValueError, match=r"line 3 of '.*bad\.csv' .* has 3 cells"):
        open_table([good, bad], "utf-8").load(["a"])


# ------------------------------------------------------------------------------------ archives

ROWS = 200_000  # makes the file longer than the block that the header is read from


def _flipped(content: bytes, position: int) -> bytes:
    return content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :]


@pytest.fixture(scope="module")
def packed() -> bytes:
    return gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (i, i % 7) for i in range(ROWS)))


def test_a_damaged_archive_is_refused(packed: bytes, tmp_path: Path) -> None:
    file = tmp_path / "file.csv.gz"
    file.write_bytes(packed)
    assert len(loaded(file)["a"]) == ROWS
    n = len(packed)
    damaged = [packed[: n // 2], packed[:-1], packed[:-8], packed + b"more"]
    damaged += [_flipped(packed, position) for position in (n // 2, 3 * n // 4, n - 8, n - 1)]
    for content in damaged:
        file.write_bytes(content)
        with pytest.raises(ValueError, match="is not a whole compressed file"):
            loaded(file)


# ------------------------------------------------------------------------------------ paths


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_links_pipes_and_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("loop.csv").symlink_to("loop.csv")
    Path("dangling.csv").symlink_to("gone.csv")
    Path("folder/games.csv").mkdir(parents=True)
    os.mkfifo("pipe.csv")
    for name in ("loop.csv", "dangling.csv"):
        with pytest.raises(FileNotFoundError, match=f"'{name}' is a link that leads to no file"):
            open_table(name, "utf-8")
    for pattern in ("fold*", "*/games.csv", "*ng.csv"):
        with pytest.raises(FileNotFoundError, match="there is no file among what"):
            open_table(pattern, "utf-8")
    with pytest.raises(ValueError, match=r"'pipe\.csv' is a pipe or a device"):
        open_table("pipe.csv", "utf-8")
    Path("games.csv").write_text("a\n1\n")
    assert open_table("*.csv", "utf-8").header == ["a"]  # the rows of the only file among them


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(*_: object, **__: object) -> None:
        raise PermissionError(13, "Failed to open local file 'x'. Detail: [errno 13] Permission denied")

    file = tmp_path / "file.csv"
    file.write_text("a\n1\n")
    monkeypatch.setattr("pyarrow.input_stream", locked)
    with pytest.raises(PermissionError, match=r"Permission denied: '.*file\.csv'"):
        open_table(file, "utf-8")


# ------------------------------------------------------------------------------------ DuckDB


def test_ctrl_c_in_a_query_is_ctrl_c(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), duckdb_on([]):
        raise RuntimeError("Query interrupted")


def test_names_that_mean_something_in_sql(tmp_path: Path) -> None:
    file = tmp_path / "file.csv"
    file.write_text('"say ""hi""",select,"a, b",*\n1,2,3,4\n')
    assert loaded(file) == {'say "hi"': ["1"], "select": ["2"], "a, b": ["3"], "*": ["4"]}


def test_very_many_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One expression per column would take time quadratic in their number."""
    import duckdb

    monkeypatch.setattr(duckdb, "ColumnExpression", None)
    names = [f"c{i}" for i in range(2_000)]
    (tmp_path / "file.csv").write_text(f"{','.join(names)}\n{','.join(names)}\n")
    assert loaded(tmp_path / "file.csv") == {name: [name] for name in names}


def test_an_apostrophe_before_a_formula_is_dropped(tmp_path: Path) -> None:
    file = tmp_path / "file.csv"
    cells = ["'=x", "''-x", "'x", "'", "+x", "", "x'=y"]
    file.write_text("a,b\n" + "".join(f"{cell},1\n" for cell in cells))
    assert [cell or "" for cell in loaded(file)["a"]] == ["=x", "'-x", "'x", "'", "+x", "", "x'=y"]


def test_a_header_longer_than_a_block(tmp_path: Path) -> None:
    names = [f"column {k} {'x' * 10_000}" for k in range(150)]
    (tmp_path / "file.csv").write_text(f"{','.join(names)}\n{','.join(names)}\n")
    assert loaded(tmp_path / "file.csv") == {name: [name] for name in names}
    assert (tmp_path / "file.csv").stat().st_size > 2 * 2**20


def test_a_header_longer_than_duckdb_reads(tmp_path: Path) -> None:
    (tmp_path / "file.csv").write_text(f"{','.join(str(k) * 10_000 for k in range(400))}\n1\n")
    with pytest.raises(ValueError, match=r"the header of '.*' is longer than two million characters"):
        loaded(tmp_path / "file.csv")


def test_no_projection_if_all_columns_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB takes time quadratic in their number to bind it."""
    monkeypatch.setattr("podium.reading.sources.text_files.select", None)
    (tmp_path / "file.csv").write_text("b,a\n1,2\n")
    assert open_table(tmp_path / "file.csv").load(["a", "b"]).to_pydict() == {"a": ["2"], "b": ["1"]}
