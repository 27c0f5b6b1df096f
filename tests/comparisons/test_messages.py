"""Errors carry rows and arguments as data; Python and the command line spell them in their own way."""

import copy
import pickle
import warnings
from typing import Any

import pandas as pd
import pytest

import podium
from podium.cli.output.errors import in_options
from podium.comparisons.messages import InputError, InputWarning, Sentence, extended


def test_python_spells_arguments_and_rows() -> None:
    error = InputError("nothing at {@row}; choose with {@outcome}, or {@dates}'dmy'", row=1_233)
    assert str(error) == "nothing at row 1,234 (counting from 1); choose with outcome=, or dates='dmy'"
    assert error.row == 1_233


@pytest.mark.parametrize(
    ("text", "python", "options"),
    [
        ("choose with {@outcome_format}.", "choose with outcome_format=.", "choose with --outcome-format."),
        ("say {@dates}'dmy'", "say dates='dmy'", "say --dates 'dmy'"),
        ("{@ties}, {@ranks}", "ties=, ranks=", "--ties-column, --rank-column"),
        ("{@bad_rows='skip'} drops it", "bad_rows='skip' drops it", "--skip-invalid drops it"),
        ("{@use order_effect=False}", "use order_effect=False", "leave out --order-effect"),
        ("the column 'time=' is empty", "the column 'time=' is empty", "the column 'time=' is empty"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", [InputError, InputWarning])
def test_both_spellings(kind: type[Sentence], text: str, python: str, options: str) -> None:
    assert str(kind(text)) == python
    assert in_options(kind(text)) == options


def test_facts_may_be_said_in_other_words() -> None:
    error = InputError(
        "give {@pair_given}", pair_given="{'bold': (left column, right column)}", covariate="bold"
    )
    assert str(error) == "give {'bold': (left column, right column)}"
    assert in_options(error) == "give --control bold=LEFT:RIGHT"


def test_an_error_is_a_value_error_and_a_warning_a_user_warning() -> None:
    assert issubclass(podium.InputError, ValueError)
    assert issubclass(InputWarning, UserWarning)
    with pytest.warns(InputWarning, match="^check left=$"):
        warnings.warn(InputWarning("check {@left}"), stacklevel=1)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))]
)
@pytest.mark.parametrize("kind", [InputError, InputWarning])
def test_copies_carry_the_same(kind: type[Sentence], copied: Any) -> None:
    error = kind("'{{' at {@row}; see {@time}", row=6, column="y", cell="{@left}")
    again = copied(error)
    assert type(again) is kind
    assert (str(again), again.text, again.facts) == (str(error), error.text, error.facts)
    assert in_options(again) == "'{{' at row 7 (counting from 1); see --time"


def test_advice_goes_after_the_sentence_and_keeps_its_data() -> None:
    error = extended(InputError("nothing at {@row}", row=2), "see {@where}")
    assert (str(error), error.row) == ("nothing at row 3 (counting from 1); see where=", 2)
    assert str(extended(ValueError("nothing"), "see {@where}")) == "nothing; see where="


def test_the_row_of_a_chunk_is_that_of_the_source() -> None:
    games = pd.DataFrame({"left": ["a"] * 5, "right": ["b"] * 5, "time": range(5, 0, -1), "outcome": "left"})
    games.loc[3, "outcome"] = "perhaps"
    with pytest.raises(podium.InputError, match=r"at row 4 \(counting from 1\)") as caught:
        list(podium.read_chunks(games, rows=1))
    assert caught.value.facts["row"] == 3
    assert caught.value.facts["column"] == "outcome"
