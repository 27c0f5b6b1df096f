"""Log-likelihoods, tests and quasi-variances of R: BradleyTerry2, gnm, psychotools, ordinal and qvcalc."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from podium import likelihood_ratio
from tests.oracles.paired import fit

Oracle = Callable[[str], Any]


def test_home_advantage_in_baseball(oracle: Oracle) -> None:
    """Both fits of R have one row per ordered pair, so their deviances differ by the statistic."""
    said = oracle("bt")["baseball"]
    found = likelihood_ratio(fit(said["rows"]), fit(said["rows"], order_effect=True))
    assert found.statistic == pytest.approx(said["fit"]["deviance"] - said["fit2"]["deviance"], rel=1e-9)
    assert found.df == said["fit"]["df"] - said["fit2"]["df"] == 1


def test_home_advantage_in_ice_hockey(oracle: Oracle) -> None:
    """Without the neutral games; a tie is half a win of each side, as R counts it."""
    said = oracle("bt")["icehockey"]
    rows = [
        row | {"w1": row["result"], "w2": 1 - row["result"], "ties": 0} for row in said["rows"] if row["home"]
    ]
    model = fit(rows, order_effect=True)
    found = model.summary()
    assert found.estimate[-1] == pytest.approx(-said["fit3"]["coef"][-1], abs=1e-8)
    assert found.error[-1] == pytest.approx(said["fit3"]["secoef"][-1], abs=2e-5)
    assert found.z[-1] == pytest.approx(-said["fit3"]["coef"][-1] / said["fit3"]["secoef"][-1], rel=1e-4)


@pytest.mark.parametrize("which", ["springall", "CEMS", "sound.fields"])
def test_order_with_davidsons_ties(oracle: Oracle, which: str) -> None:
    said = oracle("bt")[which]
    found = likelihood_ratio(fit(said["rows"]), fit(said["rows"], order_effect=True))
    expected = said["davidson"]["deviance"] - said["davidson_order"]["deviance"]
    assert found.statistic == pytest.approx(expected, abs=1e-6)
    terms = fit(said["rows"], order_effect=True).summary().to_frame().set_index("parameter")
    assert terms.loc["tie (log ν)", "error"] == pytest.approx(said["davidson_order"]["se_logtie"], abs=1e-6)


@pytest.mark.parametrize("which", ["springall", "CEMS"])
def test_order_with_rao_and_kuppers_ties(oracle: Oracle, which: str) -> None:
    rows, said = oracle("bt")[which]["rows"], oracle("rk")[which]
    models = [fit(rows, ties="rao-kupper", order_effect=order) for order in (False, True)]
    for model, name in zip(models, ("plain", "order"), strict=True):
        assert model.log_likelihood_ == pytest.approx(said[name]["logLik"], rel=1e-9)
    expected = 2 * (said["order"]["logLik"] - said["plain"]["logLik"])
    assert likelihood_ratio(*models).statistic == pytest.approx(expected, abs=1e-6)


def test_quasi_variances_of_citations(oracle: Oracle) -> None:
    said = oracle("bt")["citations"]
    found = fit(said["rows"]).quasi_variances().set_index("item")["quasi_error"]
    np.testing.assert_allclose(found[said["fit"]["names"]] ** 2, said["quasi"], rtol=1e-5)
