"""The likelihood ratio is that of scipy and of R; models that are not nested are refused."""

from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2, kstest
from sklearn.exceptions import NotFittedError

from podium import BradleyTerry, Comparisons, Elo, likelihood_ratio, load, save
from podium.datasets import load_chess_club, make_games
from tests.bradley_terry.plain_likelihood import negative_log_likelihood, plain_fit


def pair(c: Comparisons, **options: Any) -> tuple[BradleyTerry, BradleyTerry]:
    """Without and with an order effect."""
    return BradleyTerry(**options).fit(c), BradleyTerry(order_effect=True, **options).fit(c)


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "ignore"])
def test_the_statistic_is_that_of_scipy(ties: Any) -> None:
    c, _ = make_games(5, 400, order_effect=0.3, random_state=1)
    values = []
    for order_effect in (False, True):
        theta, tie, order = plain_fit(c, ties, 0.0, order_effect)
        values.append(-negative_log_likelihood(c, theta, ties, tie - (ties == "rao-kupper"), order, 0.0))
    found = likelihood_ratio(*pair(c, ties=ties))
    assert found.statistic == pytest.approx(2 * (values[1] - values[0]), abs=1e-6)
    assert found.df == 1
    assert found.p_value == pytest.approx(chi2.sf(found.statistic, 1))
    assert found.notes == ()


def test_the_statistic_is_that_of_r() -> None:
    """R 4.2: anova(fit, update(fit, ~ . + 1), test = "LRT"), with the fit of test_quasi_variances.py.

    Also its logLik, AIC and BIC.
    """
    plain, home = pair(load_chess_club(), ties="ignore", tol=1e-12)
    found = likelihood_ratio(plain, home)
    assert found.statistic == pytest.approx(11.88398231, rel=1e-9)
    assert found.p_value == pytest.approx(0.00056619, rel=1e-5)
    assert plain.log_likelihood_ == pytest.approx(-357.231362779, rel=1e-11)
    assert plain.aic_ == pytest.approx(740.4627, rel=1e-7)
    assert plain.bic_ == pytest.approx(799.1732, rel=1e-7)


def test_p_values_are_uniform_without_an_effect() -> None:
    """200 data sets without an advantage of the left side."""
    p = [likelihood_ratio(*pair(make_games(6, 300, random_state=seed)[0])).p_value for seed in range(200)]
    assert kstest(p, "uniform").pvalue > 0.01


def test_it_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        likelihood_ratio(*pair(load_chess_club())).df = 3  # type: ignore[misc]


def test_without_ties_all_models_of_ties_are_the_same() -> None:
    c = load_chess_club()
    c = c[c.outcome != 0]
    larger = BradleyTerry("rao-kupper", order_effect=True).fit(c)
    found = likelihood_ratio(BradleyTerry("half").fit(c), larger)
    assert found.statistic == pytest.approx(likelihood_ratio(*pair(c)).statistic, abs=1e-6)


# ------------------------------------------------------------------------------------ refused


def test_models_that_are_not_nested_are_refused() -> None:
    c = load_chess_club()
    plain, home = pair(c)
    with pytest.raises(ValueError, match=r"lacks 'order effect' of the smaller one, .* not nested"):
        likelihood_ratio(home, plain)
    with pytest.raises(ValueError, match="both models have the same parameters"):
        likelihood_ratio(plain, plain)
    for ties in ("rao-kupper", "ignore"):
        with pytest.raises(ValueError, match=f"ties='davidson' and ties='{ties}' are not special cases"):
            likelihood_ratio(plain, BradleyTerry(ties, order_effect=True).fit(c))
    for models in (pair(c, ties="half"), (plain, BradleyTerry("half").fit(c))):
        with pytest.raises(ValueError, match="ties='half' is not a model of ties, so there is no likelihood"):
            likelihood_ratio(*models)


def test_other_comparisons_are_refused() -> None:
    c = load_chess_club()
    plain, home = pair(c)
    with pytest.raises(ValueError, match="the models have different items"):
        likelihood_ratio(plain, BradleyTerry(order_effect=True).fit(c[(c.left != 0) & (c.right != 0)]))
    swapped = c[np.r_[1, 0, 2 : len(c)]]
    for other in (swapped, c[:-1], replace(c, weight=np.full(len(c), 2.0))):
        with pytest.raises(ValueError, match="were fitted to different comparisons"):
            likelihood_ratio(plain, BradleyTerry(order_effect=True).fit(other))
    same = Comparisons.from_arrays(c.items[c.left], c.items[c.right], c.outcome)
    assert likelihood_ratio(BradleyTerry().fit(same), home) == likelihood_ratio(plain, home)


def test_other_priors_are_refused_and_equal_ones_noted() -> None:
    c = load_chess_club()
    with pytest.raises(ValueError, match="the smaller model has a prior of 0 and the larger one of 2"):
        likelihood_ratio(BradleyTerry().fit(c), BradleyTerry(order_effect=True, prior=2.0).fit(c))
    (note,) = likelihood_ratio(*pair(c, prior=2.0)).notes
    assert "prior of 2" in note


def test_weights_are_noted() -> None:
    c = load_chess_club()
    whole, parts = replace(c, weight=np.full(len(c), 2.0)), replace(c, weight=np.full(len(c), 0.5))
    assert likelihood_ratio(*pair(whole)).notes == ()
    (note,) = likelihood_ratio(*pair(parts)).notes
    assert note.startswith("some weights are not whole numbers")
    assert likelihood_ratio(*pair(whole)).statistic == pytest.approx(
        4 * likelihood_ratio(*pair(parts)).statistic
    )


def test_saved_models_are_compared_by_their_records(tmp_path: Path) -> None:
    c = load_chess_club()
    plain, home = pair(c)
    save(home, tmp_path / "home.skops")
    loaded = load(tmp_path / "home.skops")
    found = likelihood_ratio(plain, loaded)
    assert found.statistic == pytest.approx(likelihood_ratio(plain, home).statistic)
    assert found.notes == ("a saved model has no rows, so only the record of every item was compared",)
    with pytest.raises(ValueError, match="other games, wins or ties"):
        likelihood_ratio(BradleyTerry().fit(c[:-1]), loaded)


def test_models_without_a_likelihood_are_refused() -> None:
    c = load_chess_club()
    with pytest.raises(ValueError, match="Elo has no likelihood; likelihood_ratio needs BradleyTerry"):
        likelihood_ratio(Elo().fit(c), BradleyTerry().fit(c))
    with pytest.raises(NotFittedError):
        likelihood_ratio(BradleyTerry(), BradleyTerry().fit(c))


def test_a_covariate_called_order_effect_is_none() -> None:
    c, _ = make_games(5, 400, random_state=1)
    columns = np.random.default_rng(0).normal(size=(400, 2))
    larger = BradleyTerry().fit(c.with_covariates({"order effect": columns[:, 0], "x": columns[:, 1]}))
    with pytest.raises(ValueError, match="the larger model lacks 'order effect'"):
        likelihood_ratio(BradleyTerry(order_effect=True).fit(c), larger)
