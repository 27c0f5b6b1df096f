"""PlackettLuce against R's package of the same name."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from podium import PlackettLuce, Rankings
from tests.oracles.rankings import Array


def relative(model: PlackettLuce, names: list[Any]) -> tuple[Array, Array]:
    """Log-skill minus that of the first item, with its standard error."""
    others = [model.compare(name, names[0]) for name in names[1:]]
    return (
        np.array([0.0, *(each.difference for each in others)]),
        np.array([0.0, *(each.standard_error for each in others)]),
    )


def test_pudding_in_r(oracle: Callable[[str], Any]) -> None:
    """Pairs with ties; R stops at about 1e-6."""
    pudding = oracle("bt")["pudding"]
    rankings: list[list[Any]] = []
    count: list[float] = []
    for row in pudding["rows"]:
        left, right = row["left"], row["right"]
        rankings += [[left, right], [right, left], [(left, right)]]
        count += [row["w1"], row["w2"], row["ties"]]
    model = PlackettLuce(prior=0, tol=1e-12).fit(Rankings.from_lists(rankings, count=count))
    names, said = pudding["pl"]["names"], pudding["pl"]
    skill, error = relative(model, names[:-1])
    np.testing.assert_allclose(skill, said["coef"][:-1], atol=1e-6)
    np.testing.assert_allclose(error, said["se"][:-1], rtol=1e-6)
    assert np.log(model.tie_[2]) == pytest.approx(said["coef"][-1], abs=1e-6)
    assert model.log_likelihood_ == pytest.approx(said["loglik"], abs=1e-6)


def test_nascar_in_r(oracle: Callable[[str], Any]) -> None:
    """36 races. Like Hunter (2004), without the last four drivers, who never beat anybody."""
    nascar = oracle("bt")["nascar"]
    drivers, said = np.array(nascar["drivers"]), nascar["pl0"]
    races = [[str(drivers[i - 1]) for i in race if i <= 83] for race in nascar["orderings"]]
    model = PlackettLuce(prior=0, tol=1e-12).fit(Rankings.from_lists(races))
    skill, error = relative(model, said["names"])
    np.testing.assert_allclose(skill, said["coef"], atol=1e-6)
    np.testing.assert_allclose(error, said["se"], rtol=1e-6)
    assert model.log_likelihood_ == pytest.approx(said["loglik"], abs=1e-6)
