"""Skills without a model of ties: BradleyTerry2, psychotools and BradleyTerryScalable.

Not compared, because podium does not have them: bias-reduced fits (BradleyTerry2), and rankings of more than
two items (PlackettLuce's NASCAR). The ice hockey data have 69 neutral games; with them
(``fit2``) podium would need a column that marks them, so we compare the fit without them (``fit3``).
BradleyTerry2's standard errors are those of the last but one step of glm, and so up to 1.1e-5 off; podium's
are exact up to rounding.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from podium import BradleyTerry, Comparisons
from tests.oracles.paired import Rows, deviance, fit, games, half_wins, log_likelihood, relative

Oracle = Callable[[str], Any]


def check(model: BradleyTerry, rows: Rows, said: Any) -> None:
    """Abilities, their errors and the deviance of BradleyTerry2."""
    ability, error = relative(model, said["names"])
    np.testing.assert_allclose(ability, said["ability"], atol=1e-8)
    np.testing.assert_allclose(error, said["se"], atol=2e-5)
    assert deviance(model, rows) == pytest.approx(said["deviance"], rel=1e-10)


@pytest.mark.parametrize("which", ["citations", "baseball", "nested"])
def test_skills_errors_and_deviance_are_those_of_r(oracle: Oracle, which: str) -> None:
    said = oracle("bt")[which]
    check(fit(said["rows"]), said["rows"], said["fit"])


def test_baseball_at_home(oracle: Oracle) -> None:
    """The home team is on the left: at.home is the order effect."""
    said = oracle("bt")["baseball"]
    model = fit(said["rows"], order_effect=True)
    check(model, said["rows"], said["fit2"])
    assert model.order_effect_ == pytest.approx(said["fit2"]["coef"][-1], abs=1e-8)
    error = np.sqrt(model.fit_.joint_covariance[-1, -1])
    assert error == pytest.approx(said["fit2"]["secoef"][-1], abs=1e-6)
    assert model.goodness_of_fit().degrees_of_freedom == said["fit2"]["df"]
    left, right = ([row[side] for row in said["rows"]] for side in ("left", "right"))
    chance = model.predict_proba(Comparisons.from_arrays(left, right))[:, 0]
    np.testing.assert_allclose(chance, said["pred"], atol=1e-9)


@pytest.mark.parametrize("which", ["springall", "CEMS", "sound.fields"])
def test_ties_as_half_wins(oracle: Oracle, which: str) -> None:
    """R treats half wins as counts, also in its errors; ``ties="half"`` has the smaller sandwich."""
    said = oracle("bt")[which]
    rows = half_wins(said["rows"])
    check(fit(rows), rows, said["half"])
    ability, error = relative(fit(said["rows"], ties="half"), said["half"]["names"])
    np.testing.assert_allclose(ability, said["half"]["ability"], atol=1e-8)
    assert (error[1:] < said["half"]["se"][1:]).all()


def test_ice_hockey(oracle: Oracle) -> None:
    """The visitor is on the left, ``result`` is its score: home.ice favours the right side."""
    said = oracle("bt")["icehockey"]
    rows = [row | {"w1": row["result"], "w2": 1 - row["result"], "ties": 0} for row in said["rows"]]
    check(fit(rows), rows, said["fit"])
    not_neutral = [row for row in rows if row["home"]]
    model = fit(not_neutral, order_effect=True)
    check(model, not_neutral, said["fit3"])
    assert -model.order_effect_ == pytest.approx(said["fit3"]["coef"][-1], abs=1e-8)


@pytest.mark.parametrize("which", ["GermanParties", "SoundQuality"])
def test_psychotools(oracle: Oracle, which: str) -> None:
    said = oracle("bt")[which]
    rows = [
        {"left": left, "right": right, "w1": won, "w2": lost, "ties": 0}
        for left, right, (won, lost) in zip(said["left"], said["right"], said["tab"], strict=True)
    ]
    model = fit(rows)
    ability, error = relative(model, [said["ref"], *said["coefnames"]])
    np.testing.assert_allclose(ability[1:], said["coef"], atol=1e-10)
    np.testing.assert_allclose(error[1:], said["se"], atol=1e-8)
    assert log_likelihood(model, rows) == pytest.approx(said["loglik"], rel=1e-12)
    worth = [said["worth"][name] for name in model.items_]
    np.testing.assert_allclose(model.skill_, worth, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "shape", "wins"),
    [
        ("map1.1", 1.1, "W"),
        ("map1.5", 1.5, "W"),
        ("map2", 2.0, "W"),
        ("mle", 1.0, "Wc"),
        ("map1.1c", 1.1, "Wc"),
    ],
)
def test_gamma_priors(oracle: Oracle, name: str, shape: float, wins: str) -> None:
    """A gamma prior of this shape on every skill is μ = shape - 1 of eq. (7); R's skills have mean 1."""
    said = oracle("bts")
    winner, loser = np.nonzero(table := np.array(said[wins]))
    letter = np.array(list("abcdefgh"))
    rows = [
        {"left": letter[i], "right": letter[j], "w1": table[i, j], "w2": 0, "ties": 0}
        for i, j in zip(winner, loser, strict=True)
    ]
    model = BradleyTerry(prior=shape - 1, tol=1e-12).fit(games(rows))
    found = dict(zip(model.items_, model.skill_ * len(letter), strict=True))
    np.testing.assert_allclose([found[item] for item in said[name]["names"]], said[name]["pi"], atol=1e-9)
