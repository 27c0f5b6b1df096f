"""The estimator agrees with independent oracles and has its invariants."""

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split

from podium import Comparisons
from podium.bradley_terry.model import BradleyTerry
from podium.datasets import make_games
from tests.bradley_terry.plain_likelihood import plain_fit
from tests.comparisons.strategies import comparisons

TIES = ["davidson", "rao-kupper", "half", "ignore"]


def quiet_fit(model: BradleyTerry, c: Comparisons, **rest: Any) -> BradleyTerry:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(c, **rest)


# ------------------------------------------------------------------------------------ oracles


@pytest.mark.parametrize("order_effect", [False, True])
@pytest.mark.parametrize("prior", [0, 0.7])
@pytest.mark.parametrize("ties", TIES)
def test_scipy_finds_the_same_skills(ties: Any, prior: float, order_effect: bool) -> None:
    c, _ = make_games(6, 150, order_effect=0.4, random_state=1)
    theta, tie, order = plain_fit(c, ties, prior, order_effect)
    model = BradleyTerry(ties=ties, prior=prior, order_effect=order_effect).fit(c)
    np.testing.assert_allclose(model.log_skill_, theta, atol=1e-6)
    np.testing.assert_allclose(model.tie_, tie, atol=1e-6)
    assert model.order_effect_ == pytest.approx(order, abs=1e-6)
    assert model.result_.gradient_norm is not None
    assert model.result_.gradient_norm <= 1e-9


@pytest.mark.parametrize("ties", TIES)
def test_scipy_finds_the_same_skills_of_teams(ties: Any) -> None:
    c, _ = make_games(7, 120, team_size=2, random_state=1)
    theta, tie, order = plain_fit(c, ties, 0.1, True)
    model = BradleyTerry(ties=ties, order_effect=True).fit(c)
    np.testing.assert_allclose(model.log_skill_, theta, atol=1e-6)
    np.testing.assert_allclose([model.tie_, model.order_effect_], [tie, order], atol=1e-6)


@pytest.mark.parametrize("team_size", [1, 2])
@pytest.mark.parametrize("ties", TIES)
def test_all_solvers_reach_the_same_optimum(ties: Any, team_size: int) -> None:
    c, _ = make_games(12, 800, team_size=team_size, order_effect=-0.3, random_state=2)
    fits = [
        BradleyTerry(ties=ties, order_effect=True, solver=solver, max_iter=20_000).fit(c)
        for solver in ("auto", "lbfgs", "newton", "mm")
    ]
    for fit in fits:
        assert fit.result_.converged
        assert fit.result_.gradient_norm is not None
        assert fit.result_.gradient_norm <= 1e-9
        np.testing.assert_allclose(fit.log_skill_, fits[0].log_skill_, atol=1e-6)
        np.testing.assert_allclose(fit.tie_, fits[0].tie_, atol=1e-6)
        assert fit.order_effect_ == pytest.approx(fits[0].order_effect_, abs=1e-6)
        assert fit.result_.objective == pytest.approx(fits[0].result_.objective, abs=1e-8)


def test_choix_finds_the_same_skills() -> None:
    choix = pytest.importorskip("choix")
    c, _ = make_games(30, 2000, tie_rate=0, random_state=3)
    assert c.outcome is not None
    winners, losers = np.where(c.outcome == -1, (c.left, c.right), (c.right, c.left))
    expected = choix.opt_pairwise(
        30, list(zip(winners, losers, strict=True)), alpha=0, tol=1e-12, method="Newton-CG"
    )
    np.testing.assert_allclose(BradleyTerry().fit(c).log_skill_, expected - expected.mean(), atol=1e-6)


def test_evalica_finds_the_same_skills() -> None:
    evalica = pytest.importorskip("evalica")
    c, _ = make_games(20, 2000, tie_rate=0.5, random_state=4)
    assert c.outcome is not None
    names = np.array([f"item {i:02}" for i in c.items])
    winners = [{-1: evalica.Winner.X, 0: evalica.Winner.Draw, 1: evalica.Winner.Y}[int(o)] for o in c.outcome]
    found = evalica.bradley_terry(names[c.left], names[c.right], winners, tolerance=1e-12, limit=10_000)
    expected = np.log(found.scores.loc[names].to_numpy())
    model = BradleyTerry(ties="half").fit(c)
    np.testing.assert_allclose(model.log_skill_, expected - expected.mean(), atol=1e-6)


# ------------------------------------------------------------------------------------ invariants


def same(a: BradleyTerry, b: BradleyTerry, tol: float = 1e-6) -> None:
    np.testing.assert_allclose(a.log_skill_, b.log_skill_, atol=tol)
    np.testing.assert_allclose(a.tie_, b.tie_, rtol=tol)


models = st.builds(
    BradleyTerry,
    ties=st.sampled_from(TIES),
    prior=st.sampled_from(["auto", 0.5]),
    order_effect=st.just(False),
    tol=st.just(1e-10),
)


def fit_or_none(model: BradleyTerry, c: Comparisons, **rest: Any) -> BradleyTerry | None:
    """The fitted model, or None if the comparisons cannot be fitted and an error says so."""
    try:
        return quiet_fit(clone(model), c, **rest)
    except ValueError as error:
        if "only ties" not in str(error) and "never won" not in str(error):
            raise
        return None


@given(comparisons(min_size=1, teams=False), models)
def test_a_row_twice_is_a_row_with_weight_two(c: Comparisons, model: BradleyTerry) -> None:
    twice, heavy = (
        fit_or_none(model, c[np.tile(np.arange(len(c)), 2)]),
        fit_or_none(model, c, sample_weight=np.full(len(c), 2.0)),
    )
    if twice is not None and heavy is not None:
        same(twice, heavy)
    assert (twice is None) == (heavy is None)


@given(comparisons(min_size=1), models, st.randoms())
def test_order_of_rows_and_numbering_of_items_change_nothing(
    c: Comparisons, model: BradleyTerry, random: Any
) -> None:
    plain = fit_or_none(model, c)
    rows = list(range(len(c)))
    random.shuffle(rows)
    shuffled = fit_or_none(model, c[rows])
    frame = c.to_frame()
    renamed = Comparisons.from_arrays(
        frame["left"].map(_rename).tolist()[::-1],
        frame["right"].map(_rename).tolist()[::-1],
        frame["outcome"].to_numpy()[::-1],
        frame["weight"].to_numpy()[::-1],
    )
    other = fit_or_none(model, renamed)
    if plain is None or shuffled is None or other is None:
        assert plain is shuffled is other is None
        return
    same(plain, shuffled, 1e-5)
    order = [other.items_.tolist().index(_rename(label)) for label in plain.items_.tolist()]
    np.testing.assert_allclose(plain.log_skill_, other.log_skill_[order], atol=1e-5)


def _rename(label: Any) -> Any:
    if isinstance(label, tuple):
        return tuple(_rename(member) for member in label)
    return f"{9 - int(label.split()[1])} renamed"


@given(comparisons(min_size=1), models, st.booleans())
def test_swapping_sides_negates(c: Comparisons, model: BradleyTerry, order_effect: bool) -> None:
    model = clone(model).set_params(order_effect=order_effect)
    plain, swapped = fit_or_none(model, c), fit_or_none(model, c.swap())
    assert (plain is None) == (swapped is None)
    if plain is None or swapped is None:
        return
    same(plain, swapped, 1e-5)
    assert plain.order_effect_ == pytest.approx(-swapped.order_effect_, abs=1e-5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_allclose(
            plain.decision_function(c), -swapped.decision_function(c.swap()), atol=1e-4, equal_nan=True
        )
        table = plain.predict_proba(c)
        np.testing.assert_allclose(table, swapped.predict_proba(c.swap())[:, ::-1], atol=1e-4)
    known = ~np.isnan(table[:, 0])
    np.testing.assert_allclose(table[known].sum(axis=1), 1.0)


# ------------------------------------------------------------------------------------ predictions


def test_skill_sums_to_one_and_log_skill_to_zero() -> None:
    c, truth = make_games(30, 20_000, random_state=0)
    model = BradleyTerry().fit(c)
    assert model.skill_.sum() == pytest.approx(1)
    assert model.log_skill_.mean() == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(model.log_skill_, truth, atol=0.3)
    assert model.tie_ == pytest.approx(0.5, abs=0.05)
    assert model.classes_.tolist() == [-1, 0, 1]


@pytest.mark.parametrize("ties", TIES)
def test_probabilities_follow_the_model(ties: Any) -> None:
    c, _ = make_games(5, 500, random_state=0)
    model = BradleyTerry(ties=ties, order_effect=True).fit(c)
    p = model.skill_
    left, right = p[c.left] * np.exp(model.order_effect_), p[c.right]
    table = model.predict_proba(c)
    if ties == "davidson":
        middle = model.tie_ * np.sqrt(left * right)
        expected = np.column_stack([left, middle, right]) / (left + middle + right)[:, None]
    elif ties == "rao-kupper":
        win, loss = left / (left + model.tie_ * right), right / (right + model.tie_ * left)
        expected = np.column_stack([win, 1 - win - loss, loss])
    else:
        expected = np.column_stack([left, 0 * left, right]) / (left + right)[:, None]
    np.testing.assert_allclose(table, expected, atol=1e-12)
    np.testing.assert_allclose(model.decision_function(c), np.log(right / left), atol=1e-12)
    decided = expected.argmax(axis=1) - 1
    np.testing.assert_array_equal(model.predict(c), decided)
    # Davidson's maximum-likelihood equations: ties and wins occur as often as expected
    if ties in ("davidson", "half"):
        assert c.outcome is not None
        scored = np.where(c.outcome == -1, 1.0, np.where(c.outcome == 0, 0.5, 0.0))
        assert (table[:, 0] + table[:, 1] / 2).sum() == pytest.approx(scored.sum(), abs=1e-5)


def test_a_team_is_as_strong_as_the_sum_of_its_members() -> None:
    c, truth = make_games(40, 20_000, team_size=2, random_state=0)
    model = BradleyTerry().fit(c)
    assert model.prior_ == 0.1
    assert np.corrcoef(model.log_skill_, truth)[0, 1] > 0.97
    duel = Comparisons.from_arrays([(0, 1)], [2])
    p = dict(zip(model.items_.tolist(), model.skill_, strict=True))
    assert model.decision_function(duel)[0] == pytest.approx(np.log(p[2] / (p[0] + p[1])))


def test_teams_of_one_are_items() -> None:
    single = Comparisons.from_arrays(["a", "b", "a"], ["b", "a", "b"], [-1, -1, 0])
    teams = Comparisons.from_arrays([("a",), ("b",), ("a",)], [("b",), ("a",), ("b",)], [-1, -1, 0])
    same(BradleyTerry().fit(single), BradleyTerry().fit(teams))
    assert BradleyTerry().fit(teams).prior_ == 0


def test_score_gives_ties_half_credit_only_without_a_model_of_them() -> None:
    c = Comparisons.from_arrays(list("aaab"), list("bbba"), [-1, -1, 0, -1])
    assert quiet_fit(BradleyTerry(ties="half"), c).score(c) == pytest.approx((2 + 0.5 + 0) / 4)
    assert quiet_fit(BradleyTerry(ties="davidson"), c).score(c) == pytest.approx(2 / 4)
    model = quiet_fit(BradleyTerry(ties="half"), c)
    assert model.score(c, sample_weight=[1, 1, 0, 0]) == 1.0
    assert model.score(c, y=[1, 1, 1, -1]) == 0.0


def test_win_matrix_adds_up_to_one() -> None:
    c, _ = make_games(6, 600, order_effect=0.5, random_state=0)
    model = BradleyTerry(order_effect=True).fit(c)
    table = model.win_matrix()
    assert np.isnan(np.diag(table)).all()
    off = ~np.eye(6, dtype=bool)
    np.testing.assert_allclose((table + table.T)[off], 1.0)
    best, worst = model.log_skill_.argmax(), model.log_skill_.argmin()
    assert table[best, worst] == np.nanmax(table)


def test_items_that_do_not_appear_have_no_skill() -> None:
    c, _ = make_games(10, 500, random_state=0)
    part = c[(c.left < 6) & (c.right < 6)]
    model = BradleyTerry().fit(part)
    assert model.items_.tolist() == part.items[:6].tolist()
    whole = BradleyTerry().fit(Comparisons.from_arrays(part.left, part.right, part.outcome))
    np.testing.assert_allclose(model.log_skill_, whole.log_skill_, atol=1e-9)
    assert np.isfinite(model.decision_function(part)).all()


# ------------------------------------------------------------------------------------ scikit-learn


def test_it_works_with_scikit_learns_tools() -> None:
    c, _ = make_games(8, 1000, tie_rate=0, random_state=0)
    train, test = train_test_split(c, random_state=0)
    assert BradleyTerry().fit(train).score(test) > 0.6
    assert cross_val_score(BradleyTerry(), c, cv=3).mean() > 0.6
    search = GridSearchCV(BradleyTerry(), {"prior": [0.1, 10.0]}, cv=3).fit(c, c.outcome)
    assert search.best_params_["prior"] in (0.1, 10.0)
    assert "BradleyTerry" in BradleyTerry()._repr_html_()


def test_fit_again_forgets_the_last_fit() -> None:
    first, _ = make_games(5, 300, random_state=0)
    second, _ = make_games(7, 300, random_state=1)
    model = BradleyTerry().fit(first)
    assert model.covariance_.shape == (5, 5)
    assert model.fit(second).covariance_.shape == (7, 7)


def test_y_overrides_the_outcomes() -> None:
    c, _ = make_games(5, 300, random_state=0)
    assert c.outcome is not None
    other = BradleyTerry().fit(c, y=-c.outcome)
    np.testing.assert_allclose(other.log_skill_, -BradleyTerry().fit(c).log_skill_, atol=1e-8)


# ------------------------------------------------------------------------------------ refusals

Model: Any = BradleyTerry  # to be called with arguments that its types forbid
GOOD = Comparisons.from_arrays(["a", "b", "a"], ["b", "a", "b"], [-1, -1, 0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Model().fit([["a", "b"]]), "comparisons are expected, not list"),
        (lambda: Model().fit(Comparisons.from_arrays(["a"], ["b"])), "no outcome to learn from"),
        (lambda: Model().fit(GOOD[:0]), "no comparisons to learn from"),
        (lambda: Model().fit(GOOD, y=[1]), "y has 1 outcomes for 3 comparisons"),
        (lambda: Model().fit(GOOD, sample_weight=[1, 2]), "sample_weight has 2 rows"),
        (lambda: Model().fit(GOOD, sample_weight=[1, -1, 1]), "negative, infinite or missing"),
        (lambda: Model(ties="win").fit(GOOD), "ties must be one of"),
        (lambda: Model(solver="magic").fit(GOOD), "solver must be one of"),
        (lambda: Model(prior=-1).fit(GOOD), "prior must be 'auto', 'normal' or a finite number"),
        (lambda: Model(tol=0).fit(GOOD), "tol is a number above 0, not 0"),
        (lambda: Model(tol="x").fit(GOOD), "tol is a number above 0, not 'x'"),
        (lambda: Model(max_iter=1.5).fit(GOOD), "max_iter is a whole number of at least 1, not 1.5"),
        (lambda: Model().fit(GOOD).bootstrap("x"), "at least 2 replicates, not 'x'"),
        (lambda: Model().fit(GOOD).bootstrap(2.5), "at least 2 replicates, not 2.5"),
        (lambda: Model().fit(GOOD).predict("ab"), "comparisons are expected, not str"),
        (
            lambda: Model().fit(GOOD).predict(Comparisons.from_arrays(["a", "x"], ["z", "y"])),
            "the items 'x', 'y' and 'z' were not seen in fit",
        ),
        (lambda: Model().fit(GOOD).compare("a", "zoe"), "the item 'zoe' was not seen in fit"),
    ],
)
def test_bad_input_gets_one_sentence(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_an_item_that_only_tied_where_ties_are_ignored() -> None:
    """It has no games and no prior, and must not prevent the others from converging."""
    c = Comparisons.from_arrays(list("ababda"), list("babaad"), [-1, -1, 1, 1, 0, 0])
    model = quiet_fit(BradleyTerry(ties="ignore", order_effect=True), c)
    assert model.result_.converged
    assert model.result_.iterations < 20
    np.testing.assert_allclose(model.log_skill_, 0, atol=1e-9)
