"""Items that a fit has not seen: an error that names them, or an average item."""

import numpy as np
import pytest
from sklearn.model_selection import KFold, TimeSeriesSplit, cross_val_score

from podium import BradleyTerry, Comparisons, Elo, datasets
from podium.skill.fit import ExistenceWarning

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


@pytest.mark.parametrize("model", [BradleyTerry(), BradleyTerry(ties="half"), Elo()])
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
