"""Tables keep every name readable, whatever characters it has."""

import pytest

from podium.writing.tables import latex_table, latex_text, markdown_table, text_lines

CELLS = {"name": ["a", "長い"], "z": ["1.5", "-0.25"]}


def test_text_is_aligned() -> None:
    assert text_lines(CELLS, ["name"]) == ["name      z", "a       1.5", "長い  -0.25"]


def test_markdown() -> None:
    lines = markdown_table({"name": ["a|b"], "z": ["1"]}, ["name"]).splitlines()
    assert lines == ["| name | z |", "| :--- | ---: |", r"| a\|b | 1 |"]


def test_latex_has_the_rules_of_booktabs() -> None:
    lines = latex_table(CELLS, ["name"], [1]).splitlines()
    assert lines == [
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"name & z \\",
        r"\midrule",
        r"a & 1.5 \\",
        r"\midrule",
        r"長い & $-$0.25 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("a_b^c ~ 100%", r"a\_b\textasciicircum{}c \textasciitilde{} 100\%"),
        ("gpt-4 and -4", "gpt-4 and $-$4"),
        ("[a]", "{[a]}"),
        ("two\nlines", "two lines"),
        ("\x1b[1m", r"\textbackslash{}x1b[1m"),
    ],
)
def test_latex_shows_text_unchanged(text: str, expected: str) -> None:
    assert latex_text(text) == expected
