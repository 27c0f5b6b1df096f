"""README is true: its paths and links exist. So is the table that says where the papers are."""

import re
from pathlib import Path

import pytest

import podium as pod

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


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#]+)", README))))
def test_every_link_of_readme_leads_to_a_file(link: str) -> None:
    assert (ROOT / link).is_file()


def test_the_session_is_the_one_that_the_documentation_runs() -> None:
    session = README.split("```\n$ podium fit")[1].split("```")[0]
    assert session in (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8")
