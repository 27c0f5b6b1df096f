"""Agreement with published numbers, to all printed digits. Needs the data of `fetch_classic`."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from podium import read_comparisons
from podium.bradley_terry.model import BradleyTerry
from podium.datasets import fetch_classic
from tests.bradley_terry.plain_likelihood import plain_fit


def relative_to(model: BradleyTerry, reference: str) -> tuple[dict[str, float], dict[str, float]]:
    """The log-skill minus that of the reference item, and its standard error, as R prints them."""
    rows = [model.compare(item, reference) for item in model.items_ if item != reference]
    return {r.a: r.difference for r in rows}, {r.a: r.standard_error for r in rows}


def test_baseball_of_agresti(real_data: Path) -> None:
    """Agresti (2002), §10.6; the output of summary(baseballModel1) in the R package BradleyTerry2."""
    model = BradleyTerry().fit(fetch_classic("baseball", data_home=real_data))
    found, error = relative_to(model, "Baltimore")
    printed = {
        "Boston": (1.1077, 0.3339),
        "Cleveland": (0.6839, 0.3319),
        "Detroit": (1.4364, 0.3396),
        "Milwaukee": (1.5814, 0.3433),
        "New York": (1.2476, 0.3359),
        "Toronto": (1.2945, 0.3367),
    }
    assert {team: (round(found[team], 4), round(error[team], 4)) for team in found} == printed


def test_baseball_of_agresti_with_home_advantage(real_data: Path) -> None:
    """Table 10.11, column 5, of Agresti (2002), and summary(baseballModel2)."""
    model = BradleyTerry(order_effect=True).fit(fetch_classic("baseball", data_home=real_data))
    assert np.sort(model.skill_).round(3).tolist() == [0.044, 0.088, 0.137, 0.157, 0.164, 0.190, 0.220]
    assert round(model.order_effect_, 4) == 0.3023
    assert round(float(np.sqrt(model.fit_.joint_covariance[-1, -1])), 4) == 0.1309
    found, error = relative_to(model, "Baltimore")
    assert round(found["Milwaukee"], 4) == 1.6196
    assert round(error["Milwaukee"], 4) == 0.3474
    fit = model.goodness_of_fit()
    assert (round(fit.deviance, 3), fit.degrees_of_freedom) == (38.643, 35)


def test_pudding_of_davidson(real_data: Path) -> None:
    """Davidson (1970), who stopped before the last digits settled; PlackettLuce prints his numbers."""
    model = BradleyTerry().fit(fetch_classic("pudding", data_home=real_data))
    printed = [0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855]
    np.testing.assert_allclose(model.skill_, printed, atol=5e-5)
    assert model.tie_ == pytest.approx(0.7468147, abs=5e-5)
    assert model.goodness_of_fit().p_value > 0.5


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "half"])
@pytest.mark.parametrize("which", ["springall", "cems"])
def test_other_textbook_examples_against_scipy(real_data: Path, which: Any, ties: Any) -> None:
    c = fetch_classic(which, data_home=real_data).aggregate()
    theta, tie, order = plain_fit(c, ties, 0.0, True)
    model = BradleyTerry(ties=ties, order_effect=True).fit(c)
    np.testing.assert_allclose(model.log_skill_, theta, atol=1e-6)
    np.testing.assert_allclose([model.tie_, model.order_effect_], [tie, order], atol=1e-6)


@pytest.mark.parametrize(("ties", "home"), [("davidson", (0.445, 0.470)), ("half", (0.382, 0.403))])
def test_neutral_ice_hides_the_home_advantage(real_data: Path, ties: Any, home: tuple[float, float]) -> None:
    """69 of the 1,083 games were on neutral ice. The visitor is on the left."""
    path = real_data / "bt_classic" / "icehockey.csv.gz"
    games = pd.read_csv(path).assign(neutral=lambda table: table["home_ice"] == 0)
    sides: dict[str, Any] = {"left": "visitor", "right": "opponent", "outcome": ("v_goals", "o_goals")}
    for neutral, expected in zip((None, "neutral"), home, strict=True):
        c = read_comparisons(games, **sides, neutral=neutral)
        assert round(-BradleyTerry(ties=ties, order_effect=True).fit(c).order_effect_, 3) == expected


def test_ice_hockey_and_football_have_a_home_advantage(real_data: Path) -> None:
    """The visitor is on the left in the ice hockey data, the home team in the football data."""
    hockey = BradleyTerry(order_effect=True).fit(fetch_classic("icehockey", data_home=real_data))
    football = BradleyTerry(order_effect=True).fit(fetch_classic("epl", data_home=real_data))
    for model, sign in ((hockey, -1), (football, 1)):
        error = np.sqrt(model.fit_.joint_covariance[-1, -1])
        assert sign * model.order_effect_ / error > 4
        assert model.result_.gradient_norm is not None
        assert model.result_.gradient_norm < 1e-9
