"""Quick refits: the gradient of the careful solver is small there, or they give up."""

from typing import Any

import numpy as np
import pytest

from podium.bradley_terry.bootstrap.refit import Refitter
from podium.bradley_terry.bootstrap.resample import Replicate
from podium.bradley_terry.errors.covariance import exact_covariance
from podium.bradley_terry.fit import fit_paired
from podium.bradley_terry.model import BradleyTerry
from podium.datasets import make_games


@pytest.mark.parametrize("order_effect", [False, True])
@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "half"])
@pytest.mark.parametrize("prior", [0.0, 0.5])
def test_the_refit_is_the_optimum(ties: Any, order_effect: bool, prior: float) -> None:
    from dataclasses import replace

    c, _ = make_games(8, 400, order_effect=0.3, random_state=0)
    model = BradleyTerry(ties=ties, order_effect=order_effect, prior=prior).fit(c)
    problem, x = model.fit_.problem, model.result_.solution
    refit = Refitter(problem, x, exact_covariance(problem, x), 1e-10)
    share = np.random.default_rng(0).uniform(0.5, 1.5, len(problem.counts.total))
    sums = (share * problem.counts.total, share * problem.counts.ties, share * problem.counts.margin)
    found = refit(Replicate(*sums))
    assert found is not None
    other = replace(problem, counts=problem.counts.with_sums(*sums))
    expected = fit_paired(other, "newton", 1e-11, 100).solution
    np.testing.assert_allclose(problem.centred(found), problem.centred(expected), atol=1e-7)
    np.testing.assert_array_equal(x, model.result_.solution)  # the start is not the place of the answer


def test_what_has_no_estimate_is_given_up() -> None:
    c, _ = make_games(4, 200, random_state=0)
    model = BradleyTerry(prior=0.0).fit(c)
    problem, x = model.fit_.problem, model.result_.solution
    refit = Refitter(problem, x, exact_covariance(problem, x), 1e-8)
    total, none = problem.counts.total, np.zeros(len(problem.counts.total))
    assert refit(Replicate(total, none, 0.1 * total)) is None  # no ties, which have a parameter
    assert refit(Replicate(total, total, none)) is None  # nothing else
    assert refit(Replicate(total, 0.1 * total, -0.9 * total)) is None  # somebody never won
    assert refit(Replicate(none, none, none)) is None
