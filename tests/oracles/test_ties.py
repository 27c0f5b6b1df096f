"""Ties with a parameter of their own: gnm, BradleyTerry2, prefmod, PlackettLuce; ordinal for Rao–Kupper.

Davidson's ν and the scale of skills in each convention: gnm and BradleyTerry2's first form have log ν, its
GenDavidson log(ν / 2), prefmod log ν with half log-skills, PlackettLuce log δ₂ = log ν. clm's thresholds are
-log κ - h and log κ - h for the home side h. gnm stops a little before its optimum: its abilities are up to
8e-8 from it, where podium's gradient is below 1e-12.
"""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from podium import BradleyTerry
from tests.oracles.paired import Rows, deviance, extra_errors, fit, log_likelihood, relative

Oracle = Callable[[str], Any]
SEASONS = ["2008-9", "2009-10", "2010-11", "2011-12", "2012-13"]


def data_of(oracle: Oracle, which: str) -> Any:
    data = oracle("bt")
    return data["football"][which] if which in SEASONS else data[which]


@pytest.mark.parametrize("order", [False, True])
@pytest.mark.parametrize("which", ["springall", "CEMS", "sound.fields", *SEASONS])
def test_davidson(oracle: Oracle, which: str, order: bool) -> None:
    data = data_of(oracle, which)
    said, model = data["davidson_order" if order else "davidson"], fit(data["rows"], order_effect=order)
    ability, error = relative(model, said["names"])
    np.testing.assert_allclose(ability, said["ability"], atol=1e-7)
    np.testing.assert_allclose(error, said["se"], atol=1e-8)
    assert deviance(model, data["rows"]) == pytest.approx(said["deviance"], rel=1e-12)
    found = [np.log(model.tie_), model.order_effect_][: 1 + order]
    np.testing.assert_allclose(found, [said["logtie"], said["order"]][: 1 + order], atol=1e-8)
    errors = np.sqrt(np.diag(extra_errors(model)))
    np.testing.assert_allclose(errors, [said["se_logtie"], said["se_order"]][: 1 + order], atol=1e-9)


def test_generalised_davidson(oracle: Oracle) -> None:
    """tie.max is the logit of the chance of a tie between equals, ν / (2 + ν): log(ν / 2)."""
    said = oracle("bt")["football_gendavidson"]
    coef = dict(zip(said["names"], said["coef"], strict=True))
    model = fit(data_of(oracle, "2008-9")["rows"], order_effect=True)
    assert model.order_effect_ == pytest.approx(coef.pop("home.adv"), abs=1e-10)
    assert np.log(model.tie_ / 2) == pytest.approx(coef.pop("tie.max"), abs=1e-10)
    ability = np.array([*coef.values()])
    np.testing.assert_allclose(relative(model, [*coef])[0], ability - ability[0], atol=1e-10)


def test_plackett_luce_of_two(oracle: Oracle) -> None:
    """Of two items, the model of Davidson and Luce is Davidson's, with δ₂ = ν."""
    data = oracle("bt")["pudding"]
    said, model = data["pl"], fit(data["rows"])
    ability, error = relative(model, said["names"][:-1])
    np.testing.assert_allclose([*ability, np.log(model.tie_)], said["coef"], atol=1e-10)
    np.testing.assert_allclose([*error, np.sqrt(extra_errors(model)[0, 0])], said["se"], atol=1e-10)
    assert log_likelihood(model, data["rows"]) == pytest.approx(said["loglik"], rel=1e-12)


def test_loglinear_bradley_terry(oracle: Oracle) -> None:
    """prefmod: an answer is 0 (first), 1 (neither), 2 (second); o is half a log-skill, U is log ν."""
    said = oracle("bt")["cemspc"]
    rows = answers(said["cemspc"], said["names"][:-1])
    model = fit(rows)
    np.testing.assert_allclose(model.skill_, said["worth"], atol=1e-9)
    *half_skill, undecided = said["coef"]
    ability = 2 * np.array([value or 0.0 for value in half_skill])  # the last is the reference
    np.testing.assert_allclose(model.log_skill_ - model.log_skill_[-1], ability, atol=1e-9)
    assert np.log(model.tie_) == pytest.approx(undecided, abs=1e-9)
    assert deviance(model, rows) == pytest.approx(said["deviance"], rel=1e-10)
    assert model.goodness_of_fit().degrees_of_freedom == said["df"]


def answers(people: list[dict[str, Any]], items: list[str]) -> Rows:
    """One row per pair; the pairs are (1, 2), (1, 3), (2, 3), (1, 4), ... and some answers are missing."""
    pairs = sorted(combinations(items, 2), key=lambda pair: pair[::-1])
    given = [[person[f"V{k + 1}"] for person in people] for k in range(len(pairs))]
    return [
        {"left": a, "right": b, "w1": said.count(0), "ties": said.count(1), "w2": said.count(2)}
        for (a, b), said in zip(pairs, given, strict=True)
    ]


@pytest.mark.parametrize("order", [False, True])
@pytest.mark.parametrize("which", ["springall", "CEMS", "football"])
def test_rao_kupper(oracle: Oracle, which: str, order: bool) -> None:
    said = oracle("rk")[which]["order" if order else "plain"]
    rows = data_of(oracle, SEASONS[0] if which == "football" else which)["rows"]
    model = fit(rows, ties="rao-kupper", order_effect=order)
    ability, error = relative(model, said["names"])
    np.testing.assert_allclose(ability, said["ability"], atol=1e-10)
    np.testing.assert_allclose(error, said["se"], atol=1e-10)
    assert log_likelihood(model, rows) == pytest.approx(said["logLik"], rel=1e-12)
    thresholds, errors = thresholds_of(model)
    np.testing.assert_allclose(thresholds, [*said["thresholds"].values()], atol=1e-10)
    np.testing.assert_allclose(errors, [*said["se_thr"].values()], atol=1e-10)


def thresholds_of(model: BradleyTerry) -> tuple[Any, Any]:
    """Those of clm, with errors: log κ alone, or -log κ - h and log κ - h."""
    sums = np.array([[-1.0, -1.0], [1.0, -1.0]]) if model.order_effect else np.ones((1, 1))
    extra = np.array([np.log(model.tie_), model.order_effect_])[: sums.shape[1]]
    return sums @ extra, np.sqrt(np.diag(sums @ extra_errors(model) @ sums.T))
