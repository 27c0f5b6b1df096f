"""How a run ends: with a sentence, whether or not there are data and packages."""

import tomllib
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import pytest

from experiments.experiment import Experiment
from experiments.run import ROOT, Place, all_experiments, run_all
from tests.experiments.squares import never, square, squares

QUICK = Namespace(quick=True, jobs=1, fresh=False)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A folder to write to; there are no data."""
    monkeypatch.delenv("PODIUM_DATA", raising=False)
    monkeypatch.setattr("experiments.run.state_of", lambda name: "now")
    monkeypatch.setattr("experiments.run.all_experiments", lambda: [squares(square)])
    place = Place.of(True, tmp_path)
    monkeypatch.setattr(Place, "of", lambda quick: place)
    return place


def test_the_extra_papers_installs_what_the_experiments_need() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert {name for each in all_experiments() for name in each.packages} == {
        requirement.split(">=")[0] for requirement in extras["papers"]
    }


def on_real_data() -> Experiment:
    return replace(squares(never), needs=lambda cell: "nba", packages=("no_such_package",))


def test_experiments_without_data_are_skipped_and_nothing_is_wrong(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    run_all([squares(square), on_real_data()], QUICK)
    said = capsys.readouterr().out.splitlines()
    assert said[-2:] == [
        f"wrote {place.docs / 'papers.md'}",
        "1 of 2 experiments were skipped, because their data are missing; "
        "set PODIUM_DATA to the folder with the data",
    ]


def test_a_run_with_all_its_data_ends_with_its_page(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    run_all([squares(square)], QUICK)
    assert capsys.readouterr().out.splitlines()[-1] == f"wrote {place.docs / 'papers.md'}"


def test_a_missing_package_is_named_before_anything_is_computed(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "nba").mkdir()
    monkeypatch.setenv("PODIUM_DATA", str(tmp_path))
    with pytest.raises(SystemExit) as end:
        run_all([on_real_data()], QUICK)
    assert end.value.code == (
        "squares needs no_such_package; install with: pip install --editable '.[papers]'"
    )
    assert not place.docs.exists()
