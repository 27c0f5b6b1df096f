import warnings
from typing import Any, Self

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GroupKFold, KFold

from podium import Comparisons, datasets
from podium.bradley_terry.model import BradleyTerry
from podium.comparers.calibrated import CalibratedComparer
from podium.comparers.linear_compare import LinearCompare
from podium.comparers.svm_compare_lp import SVMCompareLP


def squares(n: int = 300, **options: Any) -> Comparisons:
    c = datasets.make_norm_comparisons(n, **{"random_state": 0, "noise": 1.0, **options})
    return c.with_features(c.features**2)


# ------------------------------------------------------------------------------------ the comparer


@pytest.mark.parametrize("estimator", [LinearCompare(), LinearCompare("logistic"), SVMCompareLP(C=0.05)])
def test_probabilities_are_antisymmetric_and_calibrated(estimator: Any) -> None:
    model = CalibratedComparer(estimator).fit(squares(400))
    test = squares(3_000, random_state=1)
    table = model.predict_proba(test)
    np.testing.assert_allclose(table.sum(axis=1), 1)
    np.testing.assert_array_equal(table, model.predict_proba(test.swap())[:, ::-1])
    np.testing.assert_array_equal(model.predict(test), -model.predict(test.swap()))
    np.testing.assert_array_equal(model.classes_, [-1, 0, 1])
    assert test.outcome is not None
    for sign in (-1, 0, 1):
        assert table[:, sign + 1].mean() == pytest.approx(np.mean(test.outcome == sign), abs=0.04)
    share = [np.mean(test.outcome == sign) for sign in (-1, 0, 1)]
    chosen = table[np.arange(len(test)), test.outcome + 1]
    assert -np.log(chosen).mean() < -sum(p * np.log(p) for p in share)
    assert model.score(test) > 0.75
    assert model.n_held_out_ == 400


def test_the_array_interface_is_the_same() -> None:
    c = squares(100)
    pairs = np.stack([c.features[c.left], c.features[c.right]], axis=1)
    a = CalibratedComparer(LinearCompare("logistic")).fit(c)
    b = CalibratedComparer(LinearCompare("logistic")).fit(pairs, c.outcome)
    np.testing.assert_allclose(a.predict_proba(c), b.predict_proba(pairs), rtol=1e-6)


def test_items_that_a_fold_has_not_seen_are_left_out() -> None:
    games, _ = datasets.make_games(60, 150, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = CalibratedComparer(BradleyTerry(prior=0.1)).fit(games)
    assert 0 < model.n_held_out_ < 150
    np.testing.assert_allclose(model.predict_proba(games).sum(axis=1), 1)


@pytest.mark.parametrize("share", [0.0, 0.02, 1.0])
def test_folds_without_ties_or_with_nothing_else(share: float) -> None:
    c = squares(60, tie_share=share)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*fitted again with β = 0", UserWarning)
        model = CalibratedComparer(LinearCompare()).fit(c)
    table = model.predict_proba(c)
    assert ((table > 0) | (table < 1e-300)).all()
    np.testing.assert_array_equal(table, model.predict_proba(c.swap())[:, ::-1])
    if share == 1.0:
        assert not model.predict(c).any()


def test_folds_of_another_scale_are_left_out() -> None:
    """A fold of no ties has no margin, and its decisions are not those of the model with one."""
    c = squares(60, tie_share=0.5)
    assert c.outcome is not None
    c = c[np.argsort(np.abs(c.outcome), kind="stable")]  # ties first: half of the folds train on few
    split = [(np.arange(30, 60), np.arange(30)), (np.arange(0, 60, 2), np.arange(1, 60, 2))]
    model = CalibratedComparer(LinearCompare(), cv=split).fit(c)
    assert model.n_held_out_ == 30


def test_splitters_groups_and_frozen_comparers() -> None:
    c = squares(80)
    CalibratedComparer(LinearCompare(), cv=KFold(4)).fit(c)
    grouped = Comparisons.from_features(
        c.features[c.left], c.features[c.right], c.outcome, group=np.arange(80) // 8
    )
    CalibratedComparer(LinearCompare(), cv=GroupKFold(5)).fit(grouped)
    fitted = LinearCompare().fit(c)
    frozen = CalibratedComparer(FrozenEstimator(fitted)).fit(c)
    np.testing.assert_array_equal(frozen.decision_function(c), fitted.decision_function(c))
    assert clone(frozen).cv == 5


class Refuses(BaseEstimator):  # type: ignore[misc]
    """Fits only to all 20 rows."""

    def fit(self, c: Comparisons, y: Any = None) -> Self:
        if len(c) < 20:
            raise ValueError("too few rows for me")
        return self

    def decision_function(self, c: Comparisons) -> Any:
        return np.zeros(len(c))


def test_no_fold_at_all_is_one_sentence() -> None:
    with pytest.raises(ValueError, match=r"no fold left a held-out decision.*too few rows for me"):
        CalibratedComparer(Refuses()).fit(squares(20))
    with pytest.raises(ValueError, match="at least two folds"):
        CalibratedComparer(LinearCompare(), cv=1).fit(squares(20))
