"""Today's answers to some three hundred questions, which no rewriting of the inside may change.

`cases.py` declares the cases and `answers.py` how near an answer has to be. If an answer changed on purpose,
``python -m tests.frozen.record NAME`` records it again.
"""

import json

import numpy as np
import pytest

from tests.frozen.answers import TOLERANCE, Answer, differences, stored
from tests.frozen.cases import CASES, answers_of
from tests.frozen.record import main
from tests.frozen.store import FILE, read

RECORDED = read()


@pytest.mark.parametrize("name", CASES)
def test_the_answer_is_the_recorded_one(name: str) -> None:
    answers, recorded = answers_of(name), RECORDED[name]
    assert sorted(answers) == sorted(recorded)
    wrong = [line for part in recorded for line in differences(part, answers[part], recorded[part])]
    assert not wrong, "\n".join([name, *wrong[:20]])


def test_every_recorded_case_is_still_computed() -> None:
    assert list(RECORDED) == list(CASES)


def test_the_file_stays_small() -> None:
    assert FILE.stat().st_size < 400_000
    json.loads(FILE.read_text(encoding="utf-8"), parse_constant=pytest.fail)  # no NaN, no Infinity


@pytest.mark.parametrize("kind", TOLERANCE)
def test_an_answer_too_far_away_is_noticed(kind: str) -> None:
    old = stored(Answer(kind, [1.0, np.nan, -2.0]))
    share, least = TOLERANCE[kind]
    allowed = share * max(least, 2.0)
    if kind != "exact":
        assert not list(differences("x", Answer(kind, [1.0 + 0.9 * allowed, np.nan, -2.0]), old))
        assert list(differences("x", Answer(kind, [1.0, 0.0, -2.0]), old))
    assert list(differences("x", Answer(kind, [1.0, np.nan, -2.0 - 1.1 * allowed - 1e-10]), old))
    assert list(differences("x", Answer(kind, [1.0, np.nan]), old))


def test_a_change_of_one_number_of_many_is_noticed() -> None:
    x = np.linspace(-1.0, 1.0, 5000)
    old = stored(Answer("estimate", x))
    x[1234] += 0.01
    assert list(differences("x", Answer("estimate", x), old))


def test_nothing_records_all_cases(capsys: pytest.CaptureFixture[str]) -> None:
    before = FILE.read_bytes()
    for arguments in ([], ["no such case"]):
        with pytest.raises(SystemExit):
            main(arguments)
    assert FILE.read_bytes() == before
    assert "there is no way to record all" in capsys.readouterr().err
