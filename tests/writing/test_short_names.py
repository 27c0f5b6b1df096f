"""Names that are cut still fit and can be told apart."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from podium.writing.label_text import short_names, whole_if_alike

ALPHABET = "ab-/. 3é模型🦙\u0301☎\ufe0f\u200d"
LLAMAS = [
    f"meta-llama/Llama-{version}-{size}{tuned}-{bits}"
    for version, size, tuned, bits in product(
        ("3.1", "3.3"), ("8B", "70B", "405B"), ("-Instruct", ""), ("AWQ-INT4", "GPTQ-INT4", "FP8")
    )
]


@given(st.lists(st.text(ALPHABET, max_size=40)), st.integers(1, 30))
def test_short_names_fit_and_names_that_fit_are_untouched(names: list[str], width: int) -> None:
    short = short_names(names, width)
    assert all(cell_len(text) <= width for text in short)
    assert all(text == name for name, text in zip(names, short, strict=True) if cell_len(name) <= width)


@given(
    st.text("abc-", max_size=40),
    st.sets(st.text("xyz7", min_size=1, max_size=5), min_size=2, max_size=9),
    st.text("abc-", max_size=40),
    st.sampled_from(("begin", "middle", "end")),
)
def test_names_that_differ_in_one_short_word_stay_apart(
    before: str, words: set[str], after: str, where: str
) -> None:
    start = "" if where == "begin" else f"{before}-"
    end = "" if where == "end" else f"-{after}"
    names = [f"{start}{word}{end}" for word in words]
    assert len(set(short_names(names, 16))) == len(words)


@pytest.mark.parametrize("width", [17, 20, 26, 33, 40])
def test_a_family_of_models_stays_apart(width: int) -> None:
    assert len(set(short_names(LLAMAS, width))) == len(LLAMAS)


def test_names_that_cannot_be_told_apart_are_given_whole() -> None:
    names = ["x" * 20 + letter + "x" * 20 for letter in "pq"] + ["short"]
    assert whole_if_alike(names, ["x…x", "x…x", "short"]) == names
    shown = whole_if_alike(LLAMAS, short_names(LLAMAS, 10))
    assert len(set(shown)) == len(LLAMAS)


def test_a_cut_name_does_not_pass_for_another_name() -> None:
    names = ["abcdefgh", "ab…gh"]
    assert whole_if_alike(names, short_names(names, 5)) == names


def test_an_accent_does_not_land_on_the_dots() -> None:
    assert short_names(["abcde\u0301f"], 3) == ["a…f"]
