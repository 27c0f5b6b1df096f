"""The page of the papers agrees with the stored numbers, and a run writes it completely or not at all."""

import re
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pandas as pd
import pytest

from experiments.experiment import Experiment, Report
from experiments.page import Result, part_of, png, write_page
from experiments.papers import PAPERS
from experiments.run import Place, all_experiments, run
from tests.experiments.squares import square, squares
from tests.pictures import difference

HERE = Place.of(quick=False)
SHOWN = [each for each in all_experiments() if (HERE.results / f"{each.name}.csv").exists()]


# ------------------------------------------------------------------------------------ the page as it is


@pytest.mark.filterwarnings("ignore")  # some reports fit models for their pictures, and these fits warn
@pytest.mark.parametrize("experiment", SHOWN, ids=lambda experiment: experiment.name)
def test_each_section_follows_from_the_stored_numbers(experiment: Experiment) -> None:
    """If this fails after a complete run, ``python -m experiments.<name>`` writes the section again."""
    result = Result.of(experiment, HERE.results / f"{experiment.name}.csv", quick=False)
    part = part_of(result)
    assert part == (HERE.results / f"{experiment.name}.md").read_text(encoding="utf-8")
    assert part in (HERE.docs / "papers.md").read_text(encoding="utf-8")
    if result.report.figure is not None:
        shown = HERE.docs / "papers" / f"{experiment.name}.png"
        assert difference(BytesIO(png(result.report.figure)), shown) < 1e-3


@pytest.mark.parametrize("experiment", SHOWN, ids=lambda experiment: experiment.name)
def test_every_cell_names_a_version_and_a_commit(experiment: Experiment) -> None:
    for state in set(pd.read_csv(HERE.results / f"{experiment.name}.csv")["state"]):
        assert re.fullmatch(r"podium \d+\.\d+\.\d+( at|, committed with) [0-9a-f]{7}", state)


@pytest.mark.parametrize("experiment", SHOWN, ids=lambda experiment: experiment.name)
def test_every_spread_is_defined(experiment: Experiment) -> None:
    part = (HERE.results / f"{experiment.name}.md").read_text(encoding="utf-8")
    if "±" in part:
        assert re.search(r"± (in the table )?is the standard deviation over the \w+", part)
    if "s.e." in part:
        assert "s.e. is the standard error" in part


@pytest.mark.parametrize(
    ("name", "counted"),
    [
        ("preference_game_table2", "The paper has 18 accuracies"),  # without those of LMPG searched
        ("generalized_bt_table1", " of 56 cells are within"),
        ("svmcompare_figure4", " of 20 settings, from n = 50 on"),
        (
            "swapped_pairs_table1",
            "By two standard errors of the difference between the two means it agrees on",
        ),
    ],
)
def test_the_sentence_counts_all_results(name: str, counted: str) -> None:
    assert counted in (HERE.results / f"{name}.md").read_text(encoding="utf-8")


def test_the_page_is_exactly_its_sections(tmp_path: Path) -> None:
    place = Place.of(False, tmp_path)
    place.results.mkdir(parents=True)
    for part in HERE.results.glob("*.md"):
        (place.results / part.name).write_bytes(part.read_bytes())
    page = write_page(all_experiments(), place.docs).read_text(encoding="utf-8")
    assert page == (HERE.docs / "papers.md").read_text(encoding="utf-8")


def test_every_paper_is_introduced_where_its_results_are() -> None:
    page = (HERE.docs / "papers.md").read_text(encoding="utf-8")
    for paper in PAPERS:
        assert f"\n## {paper.heading}\n\n{paper.citation}\n\n**Why our numbers differ.** " in page


def test_there_are_no_files_of_deleted_experiments() -> None:
    assert len(SHOWN) > 10
    names = {experiment.name for experiment in SHOWN}
    assert {path.stem for path in HERE.results.iterdir()} == names
    assert {path.stem for path in (HERE.docs / "papers").iterdir()} <= names


# ------------------------------------------------------------------------------------ a run that writes it


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A folder to write to, with a known state of the code and squares as the only experiment."""
    monkeypatch.setattr("experiments.run.state_of", lambda name: "now")
    monkeypatch.setattr("experiments.run.all_experiments", lambda: [squares(square)])
    monkeypatch.delenv("PODIUM_DATA", raising=False)
    return Place.of(False, tmp_path)


def written(place: Place) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in place.docs.parent.rglob("*") if path.is_file()}


def test_a_run_writes_its_section_and_its_numbers(place: Place) -> None:
    assert run(squares(square), False, place, 1)
    page = (place.docs / "papers.md").read_text(encoding="utf-8")
    assert "## A paper\n" in page
    assert "The largest is 9." in page
    assert "| 3 | 9.0 |" in page
    assert "`python -m experiments.squares`: 4 cells, 0 s of one core; by now.*" in page
    assert pd.read_csv(place.results / "squares.csv")["square"].tolist() == [0, 1, 4, 9]


def test_the_section_says_which_states_of_the_code_computed_it(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place.cache.mkdir(parents=True)
    old = '{"state": "then", "cell": {"x": 0}, "result": {"square": 0, "seconds": 0, "warnings": 0}}\n'
    (place.cache / "squares.jsonl").write_text(old)
    run(squares(square), False, place, 1)
    states = "3 by now; 1 by then"
    assert states in (place.results / "squares.md").read_text(encoding="utf-8")
    assert "1 of these cells were not computed by the present code" in capsys.readouterr().out
    monkeypatch.setattr("experiments.run.state_of", lambda name: "later")
    run(squares(square), False, place, 1)
    assert states in (place.results / "squares.md").read_text(encoding="utf-8")
    assert "4 of these cells were not computed by the present code" in capsys.readouterr().out
    run(squares(square), False, place, 1, fresh=True)
    assert "; by later.*" in (place.results / "squares.md").read_text(encoding="utf-8")
    assert "present code" not in capsys.readouterr().out


def test_a_run_without_all_its_data_leaves_a_complete_result_alone(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    run(squares(square), False, place, 1)
    before = written(place)
    capsys.readouterr()
    partial = replace(squares(square), needs=lambda cell: "odd" if cell["x"] % 2 else None)
    assert not run(partial, False, place, 1)
    said = capsys.readouterr().out
    assert said == "squares: skipped, nothing written: the folder PODIUM_DATA lacks odd\n"
    assert written(place) == before


def test_a_quick_run_says_what_it_leaves_out(place: Place) -> None:
    partial = replace(squares(square), needs=lambda cell: "odd" if cell["x"] % 2 else None)
    assert run(partial, True, place, 1)
    part = (place.results / "squares.md").read_text(encoding="utf-8")
    assert "quick run, 1 cells" in part
    assert "; 1 more were left out because their data were missing.*" in part


def test_a_report_that_fails_changes_nothing(place: Place) -> None:
    def fails(frame: pd.DataFrame) -> Report:
        raise KeyError("a missing column")

    run(squares(square), False, place, 1)
    before = {path: text for path, text in written(place).items() if place.cache not in path.parents}
    with pytest.raises(KeyError):
        run(replace(squares(square), report=fails), False, place, 1, fresh=True)
    assert before.items() <= written(place).items()
