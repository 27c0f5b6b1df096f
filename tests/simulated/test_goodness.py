"""How often `goodness_of_fit` rejects a model that holds, and one that does not."""

import numpy as np
import pytest

from podium import BradleyTerry, Comparisons


def p_values(
    runs: int, n_items: int, per_pair: int, effect: float = 0.0, tie: float = 0.0, spread: float = 1.0
) -> np.ndarray:
    """P-values of games that follow the model, of a covariate too if it has an effect."""
    found = []
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        skill = spread * rng.normal(size=n_items)
        pairs = np.repeat(np.column_stack(np.triu_indices(n_items, 1)), per_pair, axis=0)
        left, right = rng.permuted(pairs, axis=1).T
        length = rng.normal(size=len(pairs))
        d = skill[right] - skill[left] + effect * length
        p = np.column_stack([np.exp(-d / 2), np.full(len(d), tie), np.exp(d / 2)])
        p /= p.sum(axis=1, keepdims=True)
        outcome = (rng.random(len(d))[:, None] > p.cumsum(axis=1)[:, :2]).sum(axis=1) - 1
        covariates = {"length": length} if effect else None
        c = Comparisons.from_arrays(left, right, outcome, covariates=covariates)
        found.append(BradleyTerry().fit(c).goodness_of_fit().p_value)
    return np.array(found)


def test_a_model_with_a_strong_covariate_is_not_always_praised() -> None:
    p = p_values(8, 6, 20, effect=1.5)
    assert 0.2 < p.mean() < 0.75


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::podium.skill.fit.ExistenceWarning")  # some items only won
@pytest.mark.parametrize(
    ("n_items", "per_pair", "effect", "tie", "spread"),
    [
        (8, 20, 1.5, 0, 1),
        (8, 5, 1.5, 0, 1),
        (8, 5, 1.0, 0.6, 1),
        (8, 20, 0, 0, 1),
        (20, 2, 0, 0, 2),
        (8, 3, 0, 0, 1),
    ],
)
def test_a_model_that_holds_is_rejected_in_5_percent(
    n_items: int, per_pair: int, effect: float, tie: float, spread: float
) -> None:
    p = p_values(300, n_items, per_pair, effect, tie, spread)
    p = p[~np.isnan(p)]
    print(n_items, per_pair, effect, tie, spread, len(p), p.mean().round(3), np.mean(p <= 0.05).round(3))
    assert len(p) > 200
    assert 0.4 < p.mean() < 0.6
    assert 0.01 <= np.mean(p <= 0.05) <= 0.09
