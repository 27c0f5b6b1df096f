"""``prior="normal"`` against the dense Laplace marginal, lme4 and BradleyTerry2."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from podium import BradleyTerry, Comparisons
from podium.bradley_terry.errors.covariance import exact_covariance
from tests.oracles.laplace import Marginal, NormalFit, fit_normal
from tests.oracles.paired_rows import Array, Rows, fit_rows
from tests.oracles.simulated import random_rows

TIES = ["davidson", "rao-kupper", "half", "ignore"]
FACTS_FILE = Path(__file__).parents[1] / "oracles" / "other_software.json"
FACTS = json.loads(FACTS_FILE.read_text(encoding="utf-8"))


def fitted(rows: Rows, ties: Any = "davidson", **parameters: Any) -> BradleyTerry:
    return BradleyTerry(ties, prior="normal", tol=1e-12, **parameters).fit(rows.comparisons())


def phi_of(model: BradleyTerry, marginal: Marginal) -> Array:
    """podium's answer as the parameters (s, b, g, h, t) of the oracle."""
    rows, has_tie = marginal.rows, marginal.objective.has_tie
    parts: list[Any] = [[model.prior_scale_]]
    parts += [model.feature_effect_] * (rows.features is not None)
    parts += [model.covariate_effect_] * (rows.covariates is not None)
    parts += [[model.order_effect_]] * marginal.order_effect
    if has_tie:
        parts += [[np.log(model.tie_ - (marginal.ties == "rao-kupper"))]]
    return np.concatenate(parts)


def check(model: BradleyTerry, said: NormalFit) -> None:
    """The estimates, and L at podium's estimates."""
    close: Any = {"rtol": 1e-4, "atol": 1e-4}
    np.testing.assert_allclose(model.prior_scale_, said.scale, **close)
    np.testing.assert_allclose(model.log_skill_, said.skill, **close)
    np.testing.assert_allclose(phi_of(model, said.marginal), said.phi, **close)
    assert said.marginal.value(phi_of(model, said.marginal)) == pytest.approx(said.value, abs=1e-6)
    assert model.log_skill_.sum() == pytest.approx(0, abs=1e-6)


def errors_given_the_scale(model: BradleyTerry) -> Array:
    """The errors of all parameters in the units of the user, as if the estimated s were the true one."""
    fit = model.fit_
    errors = np.sqrt(np.diag(exact_covariance(fit.problem, fit.solution)))
    return np.asarray(errors * np.append(np.ones(len(fit.items)), fit.extra_units))


@pytest.mark.parametrize(("ties", "features"), [("davidson", 0), *((ties, 2) for ties in TIES)])
def test_all_parameters_maximise_the_marginal_likelihood(ties: Any, features: int) -> None:
    rows = random_rows(
        31 + features, n_items=8, ties=ties, features=features, neutral=True, weighted=True, counted=True
    )
    said = fit_normal(rows, ties, order_effect=True)
    assert said.scale > 0.1
    check(fitted(rows, ties, order_effect=True), said)


@pytest.mark.parametrize(("ties", "features"), [("davidson", 1), *((ties, 0) for ties in TIES)])
def test_few_games(ties: Any, features: int) -> None:
    """Some items have one or two games, and nothing else is estimated."""
    rows = random_rows(41, n_items=16, n=40, ties=ties, features=features, effects=(), order=0.0)
    check(fitted(rows, ties), fit_normal(rows, ties))


def test_skills_of_wide_spread() -> None:
    rows = random_rows(43, n_items=10, n=400, effects=(), features=0)
    r = np.linspace(-6, 6, 10)
    rng = np.random.default_rng(0)
    outcome = np.where(rng.random(400) < 1 / (1 + np.exp(r[rows.left] - r[rows.right])), 1, -1)
    rows = Rows(rows.left, rows.right, outcome, 10)
    said = fit_normal(rows, "davidson")
    assert said.scale > 2
    check(fitted(rows), said)


@pytest.mark.parametrize("features", [0, 2])
def test_errors_given_the_scale(features: int) -> None:
    """The inverse of the joint information about skills and effects; log-skills have mean 0.

    The errors of a model also have the error of s, and are those of a larger s.
    """
    rows = random_rows(51, n_items=8, features=features)
    said, model = fit_normal(rows, "davidson", order_effect=True), fitted(rows, order_effect=True)
    k, problem = 8, model.fit_.problem
    assert problem.normal is not None
    assert 0.1 < problem.normal.scale_error < 1
    centre = np.eye(k) - 1 / k
    skills = centre @ said.covariance_given_scale[:k, :k] @ centre
    given, error = errors_given_the_scale(model), np.sqrt(np.diag(said.covariance_given_scale))
    np.testing.assert_allclose(given[:k] ** 2, np.diag(skills), rtol=1e-4)
    tie, b, rest = given[k], given[k + 1 : k + 1 + features], given[k + 1 + features :]
    np.testing.assert_allclose([*rest, tie, *b], error[k:], rtol=1e-4)
    assert (model.standard_error_ > given[:k]).all()
    assert (model.covariate_error_ > rest[:2]).all()
    assert (model.feature_error_ > b).all()


@pytest.mark.parametrize("ties", TIES)
def test_all_items_are_equal(ties: Any) -> None:
    """Every pair meets twice, with both outcomes, and ties once: s = 0 is the maximum."""
    left, right = np.triu_indices(5, 1)
    rows = Rows(np.tile(left, 3), np.tile(right, 3), np.repeat([-1, 0, 1], len(left)), 5)
    assert fit_normal(rows, ties).scale == 0
    model, tie = fitted(rows, ties), fit_rows(rows, ties).tie
    assert model.prior_scale_ < 1e-3
    np.testing.assert_allclose(model.log_skill_, 0, atol=1e-5)
    np.testing.assert_allclose(model.tie_, tie, atol=1e-5)
    chance = model.predict_proba(Comparisons.from_arrays([0], [1]))[0]
    assert chance[0] == pytest.approx(chance[2], abs=1e-6)


def test_features_explain_everything() -> None:
    """Games between groups of equal items: s = 0, and the effects are those of a regression on features."""
    left, right = np.triu_indices(8, 1)
    X = np.repeat([0.0, 1.0], 4)[:, None]
    n = len(left)
    rows = Rows(np.tile(left, 5), np.tile(right, 5), np.repeat([-1, -1, 1, 1, 1], n), 8, features=X)
    same = X[rows.left, 0] == X[rows.right, 0]
    keep = ~same | (np.arange(5 * n) < n) | (np.arange(5 * n) >= 4 * n)
    rows = rows.part(keep)  # equal items are even, the others 3 to 2
    said = fit_normal(rows, "davidson")
    assert said.scale == 0
    model = fitted(rows)
    assert model.prior_scale_ < 1e-3
    assert said.feature_effects[0] == pytest.approx(np.log(1.5), abs=1e-8)
    np.testing.assert_allclose(model.feature_effect_, said.feature_effects, atol=1e-5)
    games = 16 * 5
    np.testing.assert_allclose(model.feature_error_, [(games * 0.24) ** -0.5], rtol=1e-4)


@pytest.mark.parametrize("ties", TIES)
def test_items_never_seen(ties: Any) -> None:
    """The skill of a new item is N(x·b, s²), and predictions integrate over it."""
    rows = random_rows(61, n_items=8, ties=ties, features=2, effects=(), order=0.4)
    model = fitted(rows, ties, order_effect=True)
    assert rows.features is not None
    new = np.array([[3.5, 2.0], [1.0, 4.0]])
    features = np.vstack([rows.features, new])
    c = Comparisons.from_arrays([8, 0, 8, *range(7)], [0, 8, 9, *range(1, 8)])
    found = model.predict_proba(c.with_features(features))
    s2, b, at = model.prior_scale_**2, model.feature_effect_, new - rows.features.mean(axis=0)
    said = NormalFit(marginal := Marginal(rows, ties, True), phi_of(model, marginal), 0.0)
    r, h = model.log_skill_, model.order_effect_
    differences = [r[0] - at[0] @ b, at[0] @ b - r[0], (at[1] - at[0]) @ b, *(r[1:] - r[:-1])]
    variances = [s2, s2, 2 * s2, *[0.0] * 7]
    expected = [said.probabilities(d - h, v) for d, v in zip(differences, variances, strict=True)]
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_an_item_never_seen_without_features() -> None:
    """Its mean is 0, the mean of all items."""
    rows = random_rows(62, n_items=8, effects=(), order=0.0)
    model = fitted(rows)
    found = model.predict_proba(Comparisons.from_arrays([9, 9], [0, 8]))
    said = NormalFit(marginal := Marginal(rows, "davidson", False), phi_of(model, marginal), 0.0)
    s2 = model.prior_scale_**2
    expected = [said.probabilities(model.log_skill_[0], s2), said.probabilities(0.0, 2 * s2)]
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_one_lost_game_is_not_a_rank() -> None:
    """An item that lost its only game is near the mean of the others, with about the error of the prior."""
    rows = random_rows(63, n_items=10, n=600, effects=(), order=0.0)
    left, right, outcome = np.append(rows.left, 10), np.append(rows.right, 0), np.append(rows.outcome, 1)
    model = fitted(Rows(left, right, outcome, n_items=11))
    assert abs(model.log_skill_[10]) < model.prior_scale_
    assert 0.7 < model.standard_error_[10] / model.prior_scale_ < 1.1


# ------------------------------------------------------------------------------------ other software


def rows_of_facts(featured: bool) -> Rows:
    data = FACTS["rows"]
    arrays = {name: np.array(data[name]) for name in ("left", "right", "outcome")}
    neutral, Z = np.array(data["neutral"], dtype=bool), np.stack([data["z1"], data["z2"]], axis=1)
    features = np.array(data["features"]) if featured else None
    return Rows(**arrays, n_items=12, covariates=Z, neutral=neutral, features=features)


@pytest.mark.parametrize("which", ["plain", "featured"])
def test_the_oracle_agrees_with_lme4(which: str) -> None:
    facts = FACTS["lme4"][which]
    said = fit_normal(rows_of_facts(which == "featured"), "ignore", order_effect=True)
    assert said.scale == pytest.approx(facts["s"], rel=1e-5)
    np.testing.assert_allclose(said.phi[1:], facts["fixed"], atol=2e-6)
    assert said.value == pytest.approx(facts["log_likelihood"], rel=1e-9)
    explained = said.marginal.mean(said.phi)
    np.testing.assert_allclose(said.skill - explained, facts["skills"], atol=2e-6)


@pytest.mark.parametrize("which", ["plain", "featured"])
def test_lme4(which: str) -> None:
    facts, rows = FACTS["lme4"][which], rows_of_facts(which == "featured")
    model = fitted(rows, order_effect=True)
    assert model.prior_scale_ == pytest.approx(facts["s"], rel=1e-4)
    effects = [*model.covariate_effect_, model.order_effect_]
    if which == "featured":
        effects = [*model.feature_effect_, *effects]
    np.testing.assert_allclose(effects, facts["fixed"], rtol=1e-4, atol=1e-4)
    errors = errors_given_the_scale(model)[len(model.items_) :]
    np.testing.assert_allclose(errors, facts["error_given_s"], rtol=1e-4)
    assert model.fit_.marginal == pytest.approx(facts["log_likelihood"], abs=1e-6)


def classic(real_data: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(real_data / "bt_classic" / f"{name}.csv.gz")


def test_chameleons(real_data: Path) -> None:
    """BradleyTerry2's random effects vanish here, lme4's too: R's coefficients and errors are podium's."""
    fights, lizards = (
        classic(real_data, "chameleons"),
        classic(real_data, "chameleons_items").sort_values("ID"),
    )
    wins = (fights["winner_prev.wins.2"] - fights["loser_prev.wins.2"]).to_numpy(dtype=float)
    flip = np.where(np.arange(len(fights)) % 2 == 0, 1, -1)  # the winner is left in every second row
    left = np.where(flip > 0, fights["loser_ID"], fights["winner_ID"])
    right = np.where(flip > 0, fights["winner_ID"], fights["loser_ID"])
    c = Comparisons.from_arrays(left, right, flip, covariates=(flip * wins)[:, None])
    assert c.items.tolist() == lizards["ID"].tolist()
    c = c.with_features(lizards[["ch.res", "prop.main"]].to_numpy())
    model = BradleyTerry(prior="normal", tol=1e-12).fit(c)
    facts = FACTS["classic"]["chameleons"]
    assert model.prior_scale_ < 1e-3
    effects = [*model.feature_effect_, *model.covariate_effect_]
    np.testing.assert_allclose(effects, facts["bradley_terry_2"]["coef"], rtol=1e-4)
    errors = [*model.feature_error_, *model.covariate_error_]
    np.testing.assert_allclose(errors, facts["bradley_terry_2"]["error"], rtol=1e-4)


@pytest.mark.slow
def test_flat_lizards(real_data: Path) -> None:
    """75 lizards in 91 contests: the games almost never contradict each other, so that s is large."""
    contests = classic(real_data, "flatlizards_contests")
    names = ["throat.PC1", "throat.PC3", "head.length", "SVL"]
    lizards = classic(real_data, "flatlizards_items").set_index("lizard")[names].dropna()
    known = contests["winner"].isin(lizards.index) & contests["loser"].isin(lizards.index)
    c = Comparisons.from_arrays(
        contests["loser"][known], contests["winner"][known], np.ones(known.sum(), int)
    )
    c = c.with_features(lizards.loc[c.items].to_numpy())
    model = BradleyTerry(prior="normal", tol=1e-12).fit(c)
    facts = FACTS["classic"]["flatlizards"]["lme4"]
    assert model.fit_.marginal == pytest.approx(facts["log_likelihood"], abs=1e-5)
    assert model.prior_scale_ == pytest.approx(facts["s"], rel=2e-2)
    np.testing.assert_allclose(model.feature_effect_, facts["fixed"], rtol=2e-2)
