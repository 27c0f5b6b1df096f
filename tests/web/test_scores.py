import numpy as np
import pytest

from podium.evaluation.intervals import Score, Standing
from podium.web.scores import behind_table, number, scores_table, standings_table
from tests.web.parsed import Parsed

GOOD = Score("error", 0.1, 0.05, 0.2, "exact binomial")
ENDLESS = Score("log loss", np.inf)
STANDINGS = {
    "<b>elo</b>": Standing(
        {"error": GOOD, "log loss": ENDLESS}, {"error": Score("error", 0.0), "log loss": ENDLESS}
    ),
    "glicko": Standing({"error": GOOD}, {"error": Score("error", 0.02, -0.01, 0.05)}),
}


@pytest.mark.parametrize(
    ("value", "text"), [(0.12345, "0.1235"), (-1e-9, "0.0000"), (np.inf, "∞"), (np.nan, "–")]
)
def test_numbers(value: float, text: str) -> None:
    assert number(value) == text


def test_scores_have_their_intervals_and_where_they_are_from() -> None:
    text = scores_table([GOOD, ENDLESS])
    assert "0.0500 to 0.2000" in text
    assert "exact binomial" in text
    assert Parsed(text).tags["tr"] == 3
    assert 'data-value=""' in text  # for an infinite value, which sorts last


def test_models_side_by_side() -> None:
    names = ["error", "log loss"]
    table = standings_table(STANDINGS, names, dict.fromkeys(STANDINGS, 0.5))
    parsed = Parsed(table)
    assert "<b>elo</b>" in parsed.texts
    assert parsed.tags["td"] == 2 * 3
    assert "–" in parsed.texts  # glicko has no log loss
    assert "-0.0100 to 0.0500" in behind_table(STANDINGS, names)
