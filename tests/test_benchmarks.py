"""The table of the benchmarks: its file, its comparison, and the pages that are filled from it."""

import importlib
import math
from dataclasses import replace
from pathlib import Path

import pytest

from measuring.alone import measured_alone
from measuring.cases import Case, Clocked, Contestant
from measuring.comparison import compare
from measuring.table import TABLE, Results, Row, digits, ratio_text, seconds_text
from measuring.turns import measured

TABLES = importlib.import_module("benchmark_tables")
PODIUM = Row("fits.py", "small", "podium", "peer", seconds=0.02, gap=1e-3, memory=12.0)
PEER = Row("fits.py", "small", "peer", seconds=0.4)
STOPPED = Row("fits.py", "small", "slow, old", limit=10.0)
ALONE = Row("start.py", "help", "podium", seconds=0.2)
RESULTS = Results([PODIUM, PEER, STOPPED, ALONE])


def changed(*rows: Row) -> Results:
    """The table with these rows instead of those with the same names."""
    return Results([*RESULTS.rows.values(), *rows])


def test_the_file_keeps_every_row(tmp_path: Path) -> None:
    RESULTS.write(tmp_path / "table.csv")
    again = Results.read(tmp_path / "table.csv")
    assert again.to_text() == RESULTS.to_text()
    assert again.rows[PODIUM.key].gap == 1e-3
    assert not again.rows[STOPPED.key].ended


def test_scripts_that_ran_replace_their_rows() -> None:
    new = RESULTS.with_scripts_of(Results([Row("fits.py", "other", "podium", seconds=1.0)]))
    assert [row.case for row in new.rows.values()] == ["other", "help"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0012345, "1.2 ms"), (0.0567, "0.057 s"), (0.995, "0.99 s"), (12.34, "12 s"), (123.4, "120 s")],
)
def test_seconds_have_two_digits(value: float, text: str) -> None:
    assert seconds_text(value) == text


def test_large_numbers_have_commas() -> None:
    assert digits(1842.0) == "1,800"
    assert digits(0.0) == "0"


def test_a_ratio_is_computed_and_bounded_if_the_run_was_stopped() -> None:
    assert ratio_text(PEER, PODIUM) == "20×"
    assert ratio_text(STOPPED, PODIUM) == "> 500×"
    assert ratio_text(replace(PEER, seconds=math.nan, note="not installed: peer"), PODIUM) == "–"


def test_a_slower_machine_changes_nothing() -> None:
    busy = changed(replace(PODIUM, seconds=0.04), replace(PEER, seconds=0.8))
    found = compare(RESULTS, busy)
    assert not found.slower
    assert str(found) == "Nothing became slower or faster by more than 10 %."


def test_slower_lines_are_named_worst_first() -> None:
    new = changed(replace(PODIUM, seconds=0.03), replace(ALONE, seconds=0.4))
    assert [change.sentence for change in compare(RESULTS, new).slower] == [
        "start, help, podium: took 0.20 s, now 0.40 s, 100 % more.",
        "fits, small, podium: took 0.050 times as long as peer, now 0.075 times, 50 % more.",
    ]


def test_faster_lines_are_named() -> None:
    found = compare(RESULTS, changed(replace(ALONE, seconds=0.1)))
    assert str(found) == "Faster: start, help, podium: took 0.20 s, now 0.10 s, 50 % less."


def test_without_its_reference_a_line_is_compared_by_seconds() -> None:
    new = changed(replace(PODIUM, seconds=0.03), replace(PEER, seconds=math.nan, limit=1.0))
    assert (
        compare(RESULTS, new).slower[0].sentence.startswith("fits, small, podium: took 0.020 s, now 0.030 s")
    )


@pytest.mark.parametrize(
    ("limit", "note", "says"), [(10.0, "", "> 10 s"), (math.nan, "failed: x", "failed: x")]
)
def test_a_line_that_no_longer_ends_is_slower(limit: float, note: str, says: str) -> None:
    new = changed(replace(ALONE, seconds=math.nan, limit=limit, note=note))
    assert compare(RESULTS, new).slower[0].sentence == f"start, help, podium: took 0.20 s, now {says}."


def test_lines_that_are_gone_are_named() -> None:
    found = compare(RESULTS, Results([PODIUM, PEER]))
    assert str(found) == "No longer measured: start, help, podium."


def test_places_are_filled_from_the_table() -> None:
    page = (
        "It takes <!-- ratio fits.py | small | peer -->1×<!-- end --> as long.\n\n<!-- times fits.py | s* -->"
    )
    page += "<!-- end -->\n"
    filled = TABLES.filled(page, RESULTS)
    assert "-->20×<!-- end --> as long" in filled
    assert (
        "| | podium | peer | slow, old |\n| --- | --- | --- | --- |\n| small | 0.020 s | 20× | > 500× |"
        in filled
    )
    assert TABLES.filled(filled, RESULTS) == filled


def test_lines_show_only_what_is_known() -> None:
    lines = TABLES.filled("<!-- lines fits.py | small --><!-- end -->", RESULTS).splitlines()
    assert lines[2] == "| | time | beside podium | gap | memory |"
    assert lines[4] == "| podium | 0.020 s | | 1e-03 | 12 MiB |"
    assert lines[6] == "| slow, old | > 10 s | > 500× | – | – |"


def test_a_place_without_rows_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"no case of fits\.py .* is called 'large'"):
        TABLES.filled("<!-- lines fits.py | large --><!-- end -->", RESULTS)


@pytest.mark.parametrize("page", TABLES.pages(), ids=lambda page: page.stem)
def test_pages_show_the_committed_table(page: Path) -> None:
    """If this fails, run ``make bench-docs``."""
    text = page.read_text(encoding="utf-8")
    assert TABLES.filled(text, Results.read(TABLE)) == text


# ------------------------------------------------------------------------------------ measuring


def root(number: float) -> float:
    return math.sqrt(number)


def newton(number: float, steps: int) -> float:
    x = number
    for _ in range(steps):
        x = (x + number / x) / 2
    return x


def forever(number: float) -> float:
    while True:
        number += 1


def missing(number: float) -> float:
    raise ModuleNotFoundError("No module named 'peer'", name="peer")


def broken(number: float) -> float:
    raise ValueError("no root")


def part(number: float) -> Clocked:
    return Clocked(7.0, root(number), "extrapolated")


def distance(number: float, found: float) -> dict[str, float]:
    return {"gap": abs(found - math.sqrt(number))}


CASE = Case(
    "square root",
    lambda: 2.0,
    {
        "podium": Contestant(root),
        "newton": Contestant(newton, efforts=(1, 2, 4, 8)),
        "coarse": Contestant(newton, efforts=(1,)),
        "part": Contestant(part),
        "forever": Contestant(forever, patience=0.2),
        "missing": Contestant(missing),
        "broken": Contestant(broken),
    },
    check=distance,
    reference="newton",
    goal=1e-6,
    repeat=2,
)


def test_the_first_effort_that_is_good_enough_counts() -> None:
    assert 1e-13 < measured_alone(CASE, "newton", 2.0)["gap"] <= 1e-6
    assert measured_alone(CASE, "coarse", 2.0)["note"].startswith("does not reach 1e-06 in ")


def test_a_case_survives_what_its_contestants_do(capsys: pytest.CaptureFixture[str]) -> None:
    rows = {row.who: row for row in measured("roots.py", CASE, math.inf)}
    assert rows["podium"].reference == "newton"
    assert rows["part"].seconds == 7.0
    assert rows["part"].note == "extrapolated"
    assert rows["forever"].outcome == "> 0.2 s"
    assert rows["missing"].outcome == "not installed: peer"
    assert rows["broken"].outcome == "failed: ValueError: no root"
    assert "square root" in capsys.readouterr().out


def test_a_case_without_its_data_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    def no_data() -> float:
        raise ValueError("PODIUM_DATA is not set")

    rows = list(measured("roots.py", replace(CASE, make=no_data), math.inf))
    assert {row.outcome for row in rows} == {"failed: ValueError: PODIUM_DATA is not set"}
