"""Features of items: which are left out, and which are refused."""

import re

import numpy as np
import pytest
from scipy.sparse import csr_array

from podium import BradleyTerry, Comparisons
from podium.skill.fit import ExistenceWarning
from tests.oracles.simulated import random_rows

ROWS = random_rows(2, n_items=9, features=2, n=120, effects=())
X = np.asarray(ROWS.features)


def fitted(features: object, names: list[str] | None = None) -> BradleyTerry:
    c = Comparisons.from_arrays(ROWS.left, ROWS.right, ROWS.outcome).with_features(features, names)
    return BradleyTerry(prior="normal").fit(c)


def test_constant_and_collinear_features_are_left_out() -> None:
    more = np.column_stack([np.full(9, 0.1), X, X @ [1.0, 2.0]])
    with pytest.warns(ExistenceWarning) as caught:
        model = fitted(more, ["one", "age", "height", "sum"])
    assert [str(each.message) for each in caught] == [
        "feature 'one' is constant; left out",
        "feature 'sum' is determined by the other features (collinear); left out",
    ]
    assert model.feature_names_ == ("one", "age", "height", "sum")
    assert np.isnan(model.feature_effect_).tolist() == [True, False, False, True]
    np.testing.assert_allclose(model.feature_effect_[1:3], fitted(X).feature_effect_, rtol=1e-6)
    np.testing.assert_allclose(model.feature_error_[1:3], fitted(X).feature_error_, rtol=1e-6)


def test_sparse_features() -> None:
    np.testing.assert_allclose(fitted(csr_array(X)).feature_effect_, fitted(X).feature_effect_)


def test_too_many_features() -> None:
    with pytest.raises(ValueError, match="9 features cannot be told apart by 9 items; use at most 8"):
        fitted(np.eye(9))


def test_too_large_features() -> None:
    with pytest.raises(ValueError, match=re.escape("the values of feature 'x2' are too large")):
        fitted(X * [1.0, 1e200])


def test_items_without_games_have_no_say() -> None:
    """The means of the features are those of the fitted items."""
    outcome = ROWS.outcome.astype(np.int8)
    c = Comparisons.from_codes(
        np.arange(12), ROWS.left.astype(np.int32), ROWS.right.astype(np.int32), outcome
    )
    model = BradleyTerry(prior="normal").fit(c.with_features(np.vstack([X, np.full((3, 2), 1e6)])))
    np.testing.assert_allclose(model.log_skill_, fitted(X).log_skill_, atol=1e-9)
