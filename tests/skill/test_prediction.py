"""Items that a fit has not seen: an error that names them, or an average item."""

import numpy as np
import pytest
from sklearn.model_selection import KFold, TimeSeriesSplit, cross_val_score

from podium import BradleyTerry, Comparisons, Elo, datasets
from podium.skill.fit import ExistenceWarning
from podium.skill.prediction import forecast

GAMES = datasets.load_chess_club()
MODEL = BradleyTerry(order_effect=True).fit(GAMES)
NEW = Comparisons.from_arrays(["Ada", "Zoe", "Zoe"], ["Zoe", "Nils", "Zed"], [-1, -1, 0])


@pytest.mark.parametrize("method", ["decision_function", "predict", "predict_proba"])
def test_strangers_are_named(method: str) -> None:
    with pytest.raises(ValueError, match="the items 'Zed' and 'Zoe' were not seen in fit"):
        getattr(MODEL, method)(NEW)
    with pytest.raises(ValueError, match="unseen must be 'error' or 'average', not 'skip'"):
        getattr(MODEL, method)(NEW, unseen="skip")


def test_an_average_item_has_log_skill_0() -> None:
    skill = dict(zip(MODEL.items_, MODEL.log_skill_, strict=True))
    with pytest.warns(ExistenceWarning, match="'Zed' and 'Zoe' were not seen in fit and counted as average"):
        d = MODEL.decision_function(NEW, unseen="average")
    np.testing.assert_allclose(d, np.array([-skill["Ada"], skill["Nils"], 0]) - MODEL.order_effect_)


def test_an_average_member_of_a_team() -> None:
    teams = datasets.load_doubles_league()
    model = BradleyTerry().fit(teams)
    known = tuple(model.items_[:3])
    with pytest.warns(ExistenceWarning):
        d = model.decision_function(
            Comparisons.from_arrays([(known[0], "stranger")], [known[1:]]), unseen="average"
        )
    q = np.exp(model.log_skill_[:3])
    np.testing.assert_allclose(d, np.log(q[1] + q[2]) - np.log(q[0] + 1))


def stream_with_newcomers() -> Comparisons:
    """Every block of ten games has two players that nobody has seen before."""
    rng = np.random.default_rng(0)
    left = [f"p{rng.integers(0, 2 + k // 10)}" for k in range(60)]
    right = [f"p{2 + k // 10}" if k % 3 == 0 else f"q{rng.integers(0, 1 + k // 10)}" for k in range(60)]
    return Comparisons.from_arrays(left, right, rng.choice([-1, 0, 1], 60))


@pytest.mark.parametrize(
    "model", [BradleyTerry(), BradleyTerry(ties="half"), BradleyTerry(prior="normal"), Elo()]
)
@pytest.mark.parametrize("cv", [TimeSeriesSplit(), KFold(5), KFold(5, shuffle=True, random_state=0)])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_cross_validation_has_numbers(model: BradleyTerry | Elo, cv: TimeSeriesSplit | KFold) -> None:
    c = stream_with_newcomers()
    scores = cross_val_score(model, c, cv=cv, error_score="raise")
    assert np.isfinite(scores).all()
    np.testing.assert_array_equal(cross_val_score(model, c, c.outcome, cv=cv), scores)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_score_counts_strangers_as_average() -> None:
    known = dict(zip(MODEL.items_, MODEL.log_skill_, strict=True))
    assert known["Ada"] > MODEL.order_effect_ > 0 > known["Nils"]
    assert MODEL.score(NEW[:2]) == 1.0
    with pytest.warns(ExistenceWarning, match="'Zed' and 'Zoe'"):
        MODEL.score(NEW)


# ------------------------------------------------------------------------------------ a normal prior


NORMAL = BradleyTerry(prior="normal").fit(GAMES)


def test_a_normal_prior_predicts_strangers() -> None:
    skill = dict(zip(NORMAL.items_, NORMAL.log_skill_, strict=True))
    np.testing.assert_allclose(NORMAL.decision_function(NEW), [-skill["Ada"], skill["Nils"], 0])
    chance = NORMAL.predict_proba(NEW)
    np.testing.assert_allclose(chance.sum(axis=1), 1)
    with pytest.warns(ExistenceWarning, match="counted as average"):
        certain = NORMAL.predict_proba(NEW, unseen="average")
    assert (chance.max(axis=1) < certain.max(axis=1))[:2].all()  # an unknown skill makes predictions cautious
    assert NORMAL.score(NEW) == np.mean(NORMAL.predict(NEW) == NEW.outcome)
    with pytest.raises(ValueError, match="the items 'Zed' and 'Zoe' were not seen in fit"):
        NORMAL.predict(NEW, unseen="error")


def test_strangers_without_the_features_of_the_model() -> None:
    model = BradleyTerry(prior="normal").fit(GAMES.with_features(np.arange(14.0)[:, None], ["age"]))
    with pytest.warns(ExistenceWarning, match="lack the features 'age', so new items count as average ones"):
        np.testing.assert_allclose(model.decision_function(NEW)[2], 0)
    described = NEW.with_features(np.array([[0.0], [13], [20], [30]]))  # Ada, Nils, Zed, Zoe
    assert model.decision_function(described)[2] == pytest.approx(-10 * model.feature_effect_[0])
    with pytest.raises(ValueError, match="the features are 'size', but the model was fitted with 'age'"):
        model.predict(NEW.with_features(np.zeros((4, 1)), ["size"]))
    with pytest.raises(ValueError, match="there are 2 features, but the model was fitted with 1"):
        model.predict(NEW.with_features(np.zeros((4, 2))))


def test_a_team_with_a_new_member() -> None:
    """The variance of its strength is that of a linear approximation."""
    model = BradleyTerry(prior="normal").fit(datasets.load_doubles_league())
    a, b, c = model.items_[:3]
    pair = Comparisons.from_arrays([(a, "new")], [(b, c)])
    d, variance = forecast(model.fit_, pair)
    q = np.exp(model.log_skill_[:3])
    np.testing.assert_allclose(d, np.log(q[1] + q[2]) - np.log(q[0] + 1))
    np.testing.assert_allclose(variance, (model.prior_scale_ / (1 + q[0])) ** 2)
