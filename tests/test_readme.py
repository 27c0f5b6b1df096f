"""README is true: its paths and links exist. So is the table that says where the papers are."""

import doctest
import re
import shlex
import tomllib
from pathlib import Path

import pytest

import podium as pod
from tests.cli.runs import podium

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PAPERS = [
    line.split("|")[2:5]
    for line in ARCHITECTURE.split("## Where the papers are")[1].split("##")[0].splitlines()
    if "`src/" in line
]


@pytest.mark.parametrize(("classes", "file", "solvers"), PAPERS)
def test_the_table_of_papers_names_real_classes_and_files(classes: str, file: str, solvers: str) -> None:
    for name in re.findall(r"`(\w+)`", classes):
        assert name in pod.__all__
    (model,) = re.findall(r"`(.+?)`", file)
    first = re.findall(r"`(\w+)`", classes)[0]
    assert re.search(rf"^(class|def) {first}\b", (ROOT / model).read_text(encoding="utf-8"), re.MULTILINE)
    for solver in re.findall(r"`(.+?)`", solvers):
        assert (ROOT / solver).is_file()


def test_the_table_has_every_paper() -> None:
    assert len(PAPERS) == 12


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(r"`((?:src|docs|experiments|benchmarks|tests|examples)/[\w./]*)`", README)))
)
def test_every_path_in_readme_exists(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\((?!https:)([^)#]+)", README))))
def test_every_link_of_readme_leads_to_a_file(link: str) -> None:
    assert (ROOT / link).is_file()


def test_the_board_of_real_votes_is_what_podium_prints(
    real_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command, _, shown = README.split("```console\n$ podium ")[1].split("```")[0].partition("\n")
    monkeypatch.chdir(real_data / "llm_votes")
    monkeypatch.setenv("COLUMNS", "100")
    result = podium(*shlex.split(command))
    assert result.exit_code == 0, result.output
    same = doctest.OutputChecker().check_output(shown, result.output, doctest.NORMALIZE_WHITESPACE)
    assert same, result.output


def test_the_citation_is_of_this_version() -> None:
    yaml = pytest.importorskip("yaml")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == pod.__version__
    for key in ("authors", "license", "keywords"):
        assert citation[key] == project[key]
    assert {"message", "title", "abstract"} <= set(citation)
    assert f"podium_learn-{pod.__version__}-*.whl" in README


def test_the_session_is_the_one_that_the_documentation_runs() -> None:
    session = README.split("```\n$ podium fit")[1].split("```")[0]
    assert session in (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8")
