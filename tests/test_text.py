"""The style of answers, compared with a second implementation that counts line by line."""

import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import podium as pod
from podium.text import style

COLUMNS = ["length", "headers", "lists", "bold", "code"]
PIECES = [
    *("# ", "## ", "####### ", " # ", "#", "- ", "* ", "+ ", "  - ", "\t* ", "1. ", "12.", "3) ", "-\n"),
    *("**", "__", "*", "_", "word", " ", "\n", "\r\n", "\u00a0", "**bold**", "__init__", "`x`", "\u4f60"),
]
PROSE = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
FENCE = st.sampled_from(["```", "````"])
CODE = st.tuples(FENCE, st.sampled_from(["", "python"]), PROSE).map(
    lambda code: "{0}{1}\n{2}\n{0}".format(*code)
)


def bold_spans(line: str, mark: str) -> int:
    count = start = 0
    while (start := line.find(mark * 2, start)) >= 0:
        end = line.find(mark, start + 2)
        is_span = end > start + 2 and line.startswith(mark * 2, end)
        count, start = (count + 1, end + 2) if is_span else (count, start + 1)
    return count


def counts_by_line(prose: str) -> list[int]:
    """Headers, list items and bold spans of a text without code."""
    headers = lists = bold = 0
    for line in re.findall(r".*\n|.+$", prose):
        depth = len(line) - len(line.lstrip("#"))
        headers += 1 <= depth <= 6 and line[depth : depth + 1].isspace()
        item = line.lstrip()
        number, _, rest = item.partition(".")
        lists += item[:1] in {"-", "*", "+"} and item[1:2].isspace()
        lists += number.isdecimal() and rest[:1].isspace()
        bold += bold_spans(line, "*") + bold_spans(line, "_")
    return [headers, lists, bold]


@given(st.lists(st.tuples(PROSE, st.booleans() | CODE), max_size=4))
def test_marks_outside_code_count_and_marks_inside_do_not(parts: list[tuple[str, str | bool]]) -> None:
    blocks = [code for _, code in parts if isinstance(code, str)]
    text = "\n".join(f"{prose}\n{code}" if isinstance(code, str) else prose for prose, code in parts)
    bare = "\n".join(f"{prose}\n" if isinstance(code, str) else prose for prose, code in parts)
    assert style([text]).to_numpy().tolist() == [[len(text), *counts_by_line(bare), len(blocks)]]


@given(st.lists(PROSE, max_size=5), st.lists(PROSE, max_size=5))
@example(["#"], ["- "])
def test_a_row_depends_on_its_text_alone(first: list[str], second: list[str]) -> None:
    apart = pd.concat([style(first), style(second)], ignore_index=True)
    pd.testing.assert_frame_equal(style(first + second), apart)
    assert list(apart.columns) == COLUMNS
    assert (apart.dtypes == np.int64).all()


@given(PROSE, PROSE)
def test_counts_of_two_paragraphs_add_up(first: str, second: str) -> None:
    together = style([f"{first}\n\n{second}"]).iloc[0]
    apart = style([f"{first}\n", f"\n{second}"]).sum()
    assert together.tolist() == apart.tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [0, 0, 0, 0]),
        ("#hash", [0, 0, 0, 0]),
        ("####### seven", [0, 0, 0, 0]),
        ("1. one\n   - two\n3) three", [0, 2, 0, 0]),
        ("**a** b **c**\n**open\nend**", [0, 0, 2, 0]),
        ("```\n# cut **off**", [0, 0, 0, 1]),
        ("```sh\necho `date` **x**\n```\n- item", [0, 1, 0, 1]),
        ("````md\n```\n# inside\n```\n````\n# outside", [1, 0, 0, 1]),
        ("Say: ```x``` - no item", [0, 0, 0, 1]),
    ],
)
def test_known_texts(text: str, expected: list[int]) -> None:
    assert style([text]).iloc[0].tolist() == [len(text), *expected]


@pytest.mark.parametrize(
    "make",
    [tuple, np.array, lambda texts: np.array(texts, dtype=object), pd.Series, pd.Index, pl.Series, pa.array],
    ids=["tuple", "array", "objects", "pandas", "index", "polars", "arrow"],
)
def test_any_column_of_strings_will_do(make: Any) -> None:
    texts = ["# One\n- two", "**three**", ""]
    pd.testing.assert_frame_equal(style(make(texts)), style(texts))


def test_a_series_keeps_its_index() -> None:
    votes = pd.DataFrame({"a": ["one", "# two"], "b": ["- three", "four"]}, index=[7, 3])
    difference = style(votes["b"]) - style(votes["a"])
    assert difference.index.tolist() == [7, 3]
    assert difference["lists"].tolist() == [1, 0]
    assert difference["headers"].tolist() == [0, -1]


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
@pytest.mark.parametrize("make", [list, pd.Series, lambda texts: np.array(texts, dtype=object)])
def test_a_missing_text_is_refused_by_row(missing: Any, make: Any) -> None:
    with pytest.raises(ValueError, match=r"missing .* at row 2 \(counting from 1\)"):
        style(make(["one", missing, "two"]))


def test_what_is_not_text_is_refused() -> None:
    with pytest.raises(ValueError, match=r"not a string \(7\) at row 2 \(counting from 1\)"):
        style(["one", 7])
    with pytest.raises(ValueError, match=r"not a string \(b'one'\) at row 1"):
        style([b"one"])
    for texts in ("one answer", None, [["one"], ["two"]], pd.DataFrame({"a": ["one"]})):
        with pytest.raises(ValueError, match="one per answer"):
            style(texts)


def test_it_is_reached_without_an_import() -> None:
    assert pod.text.style is style
    assert "text" in dir(pod)
