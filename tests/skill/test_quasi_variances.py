"""Quasi-variances are those of R's qvcalc and of scipy, and are exact where they can be."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from podium import BradleyTerry, Comparisons
from podium.datasets import load_chess_club, make_games
from podium.skill.quasi_variances import quasi_variances

# qvcalc 1.0.2 of R 4.2, on the games of the shipped chess club that were no ties:
#     items <- sort(unique(c(d$white, d$black)))
#     X <- outer(d$white, items, "==") - outer(d$black, items, "==")
#     fit <- glm(d$result == "1-0" ~ 0 + X[, -1], family = binomial, epsilon = 1e-14)
#     V <- matrix(0, 14, 14); V[-1, -1] <- vcov(fit)
#     q <- qvcalc(V); q$qvframe$quasiVar; max(abs(q$relerrs))
OF_R = [
    *(0.06549868310, 0.07057228130, 0.05982244387, 0.05024088612, 0.05027666398, 0.05283311674),
    *(0.04880518086, 0.05004591498, 0.05170107424, 0.04862473050, 0.05359594683, 0.05445485205),
    *(0.05854910400, 0.06720922224),
]
WORST_OF_R = 0.03754719


def differences(model: BradleyTerry) -> Any:
    """The variances of all differences, from the covariance."""
    v = model.covariance_
    return np.diag(v)[:, None] + np.diag(v) - 2 * v


def test_they_are_those_of_r() -> None:
    found = BradleyTerry("ignore", tol=1e-12).fit(load_chess_club()).quasi_variances()
    assert list(found) == ["item", "estimate", "error", "quasi_error", "worst_error"]
    np.testing.assert_allclose(found["quasi_error"] ** 2, OF_R, rtol=2e-7)
    assert found["worst_error"].max() == pytest.approx(WORST_OF_R, rel=1e-5)


@pytest.mark.parametrize("options", [{}, {"ties": "half"}, {"order_effect": True, "prior": 1.0}], ids=str)
def test_they_minimise_the_error_of_the_logarithms(options: Any) -> None:
    """By Nelder and Mead in log q, which knows no derivative."""
    model = BradleyTerry(**options).fit(make_games(5, 60, random_state=3)[0])
    v, pairs = differences(model), np.triu_indices(5, 1)

    def loss(log_q: Any) -> float:
        q = np.exp(log_q)
        return float((np.log((q[:, None] + q)[pairs] / v[pairs]) ** 2).sum())

    tight = {"xatol": 1e-9, "fatol": 1e-16, "maxiter": 20_000, "maxfev": 20_000}
    best = minimize(loss, np.log(np.diag(model.covariance_)), method="Nelder-Mead", options=tight)
    found = model.quasi_variances()
    np.testing.assert_allclose(found["quasi_error"] ** 2, np.exp(best.x), rtol=1e-5)
    q = found["quasi_error"].to_numpy() ** 2
    error = np.abs(np.sqrt((q[:, None] + q) / (v + np.diag(2 * q))) - 1)
    np.testing.assert_allclose(found["worst_error"], error.max(axis=1), rtol=1e-6)


def test_three_items_are_exact() -> None:
    """Three pairs have three differences: q_a = (v_ab + v_ac - v_bc) / 2."""
    model = BradleyTerry().fit(make_games(3, 90, random_state=0)[0])
    v, q = differences(model), model.quasi_variances()["quasi_error"].to_numpy() ** 2
    assert q[0] == pytest.approx((v[0, 1] + v[0, 2] - v[1, 2]) / 2, rel=1e-8)
    assert model.quasi_variances()["worst_error"].max() < 1e-8


def test_groups_have_their_own() -> None:
    first, second = (make_games(4, 200, random_state=seed)[0] for seed in (0, 1))
    both = Comparisons.from_arrays(
        [*first.left, *(second.left + 10), 20, 20],
        [*first.right, *(second.right + 10), 21, 21],
        [*np.asarray(first.outcome), *np.asarray(second.outcome), -1, 1],
    )
    with pytest.warns(match="3 groups"):
        found = BradleyTerry("ignore", tol=1e-12).fit(both).quasi_variances()
    alone = BradleyTerry("ignore", tol=1e-12).fit(first).quasi_variances()
    np.testing.assert_allclose(found["quasi_error"][:4], alone["quasi_error"], rtol=1e-6)
    # Two games of two items: the variance of their difference is 2, and each gets half of it.
    np.testing.assert_allclose(found["quasi_error"][8:], [1.0, 1.0], rtol=1e-6)


def test_too_many_items_are_refused() -> None:
    with pytest.raises(ValueError, match="errors of all pairs, so a group may have at most 10 items, not 14"):
        quasi_variances(BradleyTerry().fit(load_chess_club()).fit_, most=10)
