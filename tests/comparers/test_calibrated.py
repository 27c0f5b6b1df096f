import warnings
from typing import Any, ClassVar, Self

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
from podium.ratings.elo import Elo
from podium.ratings.glicko import Glicko


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
        warnings.filterwarnings("ignore", ".*fitted with β = 0", UserWarning)
        model = CalibratedComparer(LinearCompare()).fit(c)
    table = model.predict_proba(c)
    assert ((table > 0) | (table < 1e-300)).all()
    np.testing.assert_array_equal(table, model.predict_proba(c.swap())[:, ::-1])
    if share == 1.0:
        assert not model.predict(c).any()


def test_folds_are_brought_to_the_scale_of_the_final_model() -> None:
    """With this share of ties the final machine has a tiny β < 0 and all folds fall back to β = 0."""
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(60, 3)) * 0.1, np.array([10.0, 5.0, 0.0])
    left = rng.integers(0, 60, 400)
    right = (left + rng.integers(1, 60, 400)) % 60
    d = (X[right] - X[left]) @ w + rng.normal(size=400)
    slopes, scales = [], []
    for share in (0.2, 0.224, 0.23, 0.25):
        outcome = np.where(np.abs(d) <= np.quantile(np.abs(d), share), 0, np.sign(d)).astype(np.int8)
        c = Comparisons.from_codes(np.arange(60), left, right, outcome).with_features(X)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*fitted with β = 0", UserWarning)
            model = CalibratedComparer(LinearCompare("logistic")).fit(c)
        assert model.n_held_out_ == 400
        scales.append(1.0 if np.isnan(model.estimator_.margin_) else model.estimator_.margin_)
        slopes.append(model.slope_ * scales[-1])
    assert scales[0] == 1
    assert scales[1] > 100
    np.testing.assert_allclose(slopes, 5.6, rtol=0.1)  # of u·(x' - x), which hardly depends on the ties


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
    with pytest.raises(ValueError, match=r"no fold has a held-out decision.*too few rows for me"):
        CalibratedComparer(Refuses()).fit(squares(20))
    with pytest.raises(ValueError, match="at least two folds"):
        CalibratedComparer(LinearCompare(), cv=1).fit(squares(20))


# ------------------------------------------------------------------------------------ models that follow time


class FollowsTime(BaseEstimator):  # type: ignore[misc]
    """Logs the rows that it learned from and the rows that it decided."""

    log: ClassVar[list[Comparisons]] = []

    def fit(self, c: Comparisons, y: Any = None) -> Self:
        self.log.append(c)
        return self

    def before(self, c: Comparisons) -> Any:
        raise NotImplementedError

    def decision_function(self, c: Comparisons) -> Any:
        self.log.append(c)
        return np.zeros(len(c))


@pytest.mark.parametrize("days", [7, 60, None])
def test_no_decision_of_a_model_that_follows_time_knows_a_later_game(days: int | None) -> None:
    """Rows in any order, many games on one day; without time the order of the rows."""
    rng = np.random.default_rng(0)
    time = None if days is None else np.datetime64("2020-01-01") + rng.integers(0, days, 60)
    place = np.arange(60.0)[:, None]
    c = Comparisons.from_features(place, place + 0.5, rng.integers(-1, 2, 60), time=time)
    FollowsTime.log.clear()
    model = CalibratedComparer(FollowsTime(), cv=4).fit(c)

    def moments(games: Comparisons) -> Any:
        return games.features[games.left, 0] if games.time is None else games.time

    final, *log = FollowsTime.log
    assert len(final) == 60
    assert len(log) == 8
    for learned, decided in zip(log[::2], log[1::2], strict=True):
        assert moments(learned).max() < moments(decided).min()
    assert len(log[-2]) + len(log[-1]) == 60
    assert model.n_held_out_ == 60 - len(log[0])


@pytest.mark.parametrize("system", [Elo(), Glicko()])
def test_rating_systems_are_calibrated_on_later_games(system: Any) -> None:
    """Skills change, so the last ratings fit old games badly; this must not spoil predictions of new ones."""
    rng = np.random.default_rng(0)
    time = np.arange(2400)
    skill = np.cumsum(rng.normal(scale=0.05, size=(2400, 20)), axis=0)
    left = rng.integers(0, 20, 2400)
    right = (left + rng.integers(1, 20, 2400)) % 20
    d = skill[time, right] - skill[time, left] + rng.logistic(size=2400)
    outcome = np.where(np.abs(d) < 0.3, 0, np.sign(d)).astype(np.int8)
    c = Comparisons.from_arrays(left, right, outcome, time=time)
    past, future = c[rng.permutation(2000)], c[2000:]

    def log_loss(cv: Any) -> float:
        table = CalibratedComparer(system, cv=cv).fit(past).predict_proba(future)
        return float(-np.log(table[np.arange(400), outcome[2000:] + 1]).mean())

    assert log_loss(5) < log_loss(KFold(5, shuffle=True, random_state=0)) - 0.005


def test_games_of_one_moment_cannot_be_calibrated() -> None:
    games, _ = datasets.make_games(5, 30, random_state=0)
    at_once = Comparisons.from_arrays(games.left, games.right, games.outcome, time=np.zeros(30))
    with pytest.raises(ValueError, match="no game is later than the first ones"):
        CalibratedComparer(Elo()).fit(at_once)


def test_single_items_have_the_utility_of_the_comparer() -> None:
    c = datasets.make_norm_comparisons(60, random_state=0)
    c = c.with_features(c.features**2)
    model = CalibratedComparer(LinearCompare(), cv=2).fit(c)
    utility = model.utility(c.features)
    np.testing.assert_allclose(utility[c.right] - utility[c.left], model.decision_function(c), atol=1e-12)
    elo = CalibratedComparer(Elo(), cv=2).fit(datasets.load_chess_club())
    with pytest.raises(ValueError, match="a Elo scores no items by features"):
        elo.utility(c.features)
