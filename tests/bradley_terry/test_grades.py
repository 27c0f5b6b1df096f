"""Grades: adjacent categories and cumulative odds, against independent fits and the models without grades."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog, minimize
from scipy.special import expit

from podium import BradleyTerry, Comparisons, concat, simulate
from podium.bradley_terry.counts.counting import paired_input
from podium.bradley_terry.existence import connections, rest_is_finite
from podium.bradley_terry.resample import replicate_of_groups
from podium.comparisons.inputs import with_outcomes
from podium.core.links import GradedLink
from podium.skill.fit import ExistenceWarning
from tests.bradley_terry.votes import make_votes

MODELS = ("davidson", "rao-kupper")
models = pytest.mark.parametrize("ties", MODELS)
Array = NDArray[Any]
EXACT: Any = {"tol": 1e-13, "order_effect": True}


def simulated(
    n: int = 600,
    parameters: tuple[float, ...] = (-0.3, 0.4),
    *,
    ties: str = "davidson",
    seed: int = 0,
    **more: Any,
) -> tuple[Comparisons, Array]:
    """Graded comparisons of five items with an advantage of 0.3 for the left side, and the skills."""
    rng = np.random.default_rng(seed)
    skill = np.array([0.0, 0.4, -0.6, 1.0, -0.8])
    left = rng.integers(0, 5, n)
    right = (left + rng.integers(1, 5, n)) % 5
    link = GradedLink(
        np.array([*range(len(parameters) + 1)], float), np.array(parameters), ties == "rao-kupper"
    )
    p = np.exp(link.log_probability(skill[right] - skill[left] - 0.3)).T
    grade = link.grades[(rng.random(n)[:, None] > p.cumsum(axis=1)).sum(axis=1)].astype(int)
    return Comparisons.from_arrays(left, right, grade=grade, **more), skill


# ------------------------------------------------------------------------------------ known answers


@models
def test_without_larger_grades_they_are_davidson_and_rao_and_kupper(ties: Any) -> None:
    plain = make_votes(600, n_items=5)
    graded = replace(plain, grade=plain.outcome)
    one, other = (BradleyTerry(ties, **EXACT).fit(c) for c in (plain, graded))
    for name in ("log_skill_", "tie_", "order_effect_", "covariate_effect_", "log_likelihood_", "aic_"):
        np.testing.assert_allclose(getattr(other, name), getattr(one, name), atol=1e-8, rtol=1e-8)
    np.testing.assert_allclose(other.covariance_, one.covariance_, atol=1e-8)
    np.testing.assert_allclose(other.covariate_error_, one.covariate_error_, atol=1e-8)
    np.testing.assert_allclose(other.predict_proba(graded), one.predict_proba(plain), atol=1e-8)
    np.testing.assert_allclose(other.predict_grades(graded), one.predict_proba(plain), atol=1e-8)
    assert other.grade_.tolist() == ([] if ties == "davidson" else [pytest.approx(np.log(other.tie_))])
    for how in ({"covariance": "cluster"}, {"prior": "normal"}, {"prior": 0.3}):
        one, other = (BradleyTerry(ties, **EXACT | how).fit(c) for c in (plain, graded))
        np.testing.assert_allclose(other.log_skill_, one.log_skill_, atol=1e-7)
        np.testing.assert_allclose(other.covariance_, one.covariance_, atol=1e-6)


def test_cumulative_grades_are_those_of_statsmodels() -> None:
    """Its `OrderedModel` has no symmetric thresholds, so every row is there from both sides.

    The numbers come from statsmodels 0.15.0, with the lines below up to ``grade`` and then

        X = np.eye(5)[right] - np.eye(5)[left]
        X = np.column_stack([X[:, 1:], -np.ones(600)])
        model = OrderedModel(np.append(grade, -grade), np.vstack([X, -X]), distr="logit")
        found = model.fit(method="bfgs", maxiter=2000, gtol=1e-10, disp=0)
        found.params[:5], model.transform_threshold_params(found.params[5:]), found.bse[:5] * 2**0.5
    """
    rng = np.random.default_rng(44)
    left = rng.integers(0, 5, 600)
    right = (left + rng.integers(1, 5, 600)) % 5
    d = np.array([0.0, 0.4, -0.6, 1.0, -0.8])
    lead = d[right] - d[left] - 0.3 + rng.logistic(size=600)
    grade = np.searchsorted([-1.5, -0.4, 0.4, 1.5], lead) - 2
    model = BradleyTerry("rao-kupper", **EXACT).fit(Comparisons.from_arrays(left, right, grade=grade))
    skills = [0.47255396286731816, -0.5523768361944058, 0.984685911835335, -0.7120715738489132]
    errors = [0.14967569972412262, 0.15531755713171846, 0.15378277513208508, 0.15169847679081563]
    np.testing.assert_allclose(model.log_skill_[1:] - model.log_skill_[0], skills, atol=1e-6)
    np.testing.assert_allclose(model.order_effect_, 0.4436678650614536, atol=1e-6)
    np.testing.assert_allclose(model.grade_, [0.3728561694729541, 1.4990786800021945], atol=1e-6)
    np.testing.assert_allclose([model.compare(0, k).standard_error for k in range(1, 5)], errors, atol=1e-6)


@models
@pytest.mark.parametrize("ties_occur", [True, False])
def test_estimates_are_those_of_a_general_optimiser(ties: Any, ties_occur: bool) -> None:
    c, _ = simulated(parameters=(-0.3, 0.4, 0.9))
    c = c if ties_occur else c[c.outcome != 0]
    model = BradleyTerry(ties, **EXACT).fit(c)
    left, right, grade = c.left, c.right, np.asarray(c.grade).astype(int)
    n_free = 2 + ties_occur

    def loss(x: Array) -> float:
        d = x[right] - x[left] - x[5]
        if ties == "rao-kupper":
            above = np.cumsum(np.append([] if ties_occur else 0.0, np.exp(x[6:])))
            cuts = np.concatenate([[-np.inf], -above[::-1][:3], above[not ties_occur :], [np.inf]])
            at = np.searchsorted(np.unique(grade), grade)
            return -float(np.log(expit(cuts[at + 1] - d) - expit(cuts[at] - d)).sum())
        of = np.zeros(4)
        of[0], of[2:] = x[6] if ties_occur else -np.inf, x[6 + ties_occur :]
        k = np.arange(-3, 4)
        height = np.outer(d, k / 2) + of[np.abs(k)]
        return -float((height[np.arange(len(d)), grade + 3] - np.log(np.exp(height).sum(axis=1))).sum())

    start = np.append(np.zeros(6), np.full(n_free, -0.3))
    found = minimize(loss, start, method="BFGS", options={"gtol": 1e-5})
    assert model.log_likelihood_ == pytest.approx(-found.fun, abs=1e-7)
    np.testing.assert_allclose(model.log_skill_, found.x[:5] - found.x[:5].mean(), atol=2e-4)
    np.testing.assert_allclose(model.order_effect_, found.x[5], atol=2e-4)
    assert model.result_.converged
    assert model.grades_.tolist() == [-3, -2, -1] + [0] * ties_occur + [1, 2, 3]
    assert model.fit_.n_parameters == 4 + n_free + 1


@models
def test_errors_are_those_of_a_numerical_hessian(ties: Any) -> None:
    c, _ = simulated()
    model = BradleyTerry(ties, **EXACT).fit(c)
    problem, x = model.fit_.problem, model.fit_.solution
    step = 1e-5 * np.eye(len(x))
    hessian = [
        (problem.derivatives(x + e).gradient - problem.derivatives(x - e).gradient) / 2e-5 for e in step
    ]
    inverse = np.linalg.pinv(np.array(hessian), rcond=1e-9)
    np.testing.assert_allclose(model.fit_.joint_covariance, inverse, atol=1e-7)


# ------------------------------------------------------------------------------------ invariants


@st.composite
def graded_rows(draw: st.DrawFn) -> Comparisons:
    row = st.tuples(st.integers(0, 3), st.integers(1, 3), st.integers(-2, 2))
    left, by, grade = map(np.array, zip(*draw(st.lists(row, min_size=12, max_size=40)), strict=True))
    return Comparisons.from_arrays(left, (left + by) % 4, grade=grade)


@given(graded_rows(), st.sampled_from(MODELS), st.sampled_from(["auto", "normal", 0.2]))
@settings(max_examples=25, deadline=None)
@pytest.mark.filterwarnings("ignore")
def test_swapping_sides_and_negating_grades_turns_only_the_order_effect(
    c: Comparisons, ties: Any, prior: Any
) -> None:
    try:
        one = BradleyTerry(ties, prior=prior, order_effect=True).fit(c)
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error)[:20]):
            BradleyTerry(ties, prior=prior, order_effect=True).fit(c.swap())
        return
    other = BradleyTerry(ties, prior=prior, order_effect=True).fit(c.swap())
    np.testing.assert_allclose(other.log_skill_, one.log_skill_, atol=2e-5)
    np.testing.assert_allclose(other.order_effect_, -one.order_effect_, atol=2e-5)
    np.testing.assert_allclose(other.grade_, one.grade_, atol=2e-5)
    np.testing.assert_allclose(other.predict_grades(c.swap())[:, ::-1], one.predict_grades(c), atol=2e-5)


@models
def test_a_row_twice_is_a_count_or_a_weight_of_two(ties: Any) -> None:
    c, _ = simulated(200)
    twice = [concat([c, c]), replace(c, count=2 * c.count), replace(c, weight=2 * c.weight)]
    found = [BradleyTerry(ties, **EXACT).fit(each) for each in twice]
    for other in found[1:]:
        np.testing.assert_allclose(other.log_skill_, found[0].log_skill_, atol=1e-9)
        np.testing.assert_allclose(other.grade_, found[0].grade_, atol=1e-9)
        np.testing.assert_allclose(other.standard_error_, found[0].standard_error_, atol=1e-9)


@models
def test_predictions_of_grades_add_up_to_those_of_outcomes(ties: Any) -> None:
    c, _ = simulated()
    for prior in ("auto", "normal"):
        model = BradleyTerry(ties, prior=prior).fit(c)
        new = Comparisons.from_arrays([0, 1, 99], [2, 3, 0]) if prior == "normal" else c[:5]
        p, three = model.predict_grades(new), model.predict_proba(new)
        np.testing.assert_allclose(p.sum(axis=1), 1)
        np.testing.assert_allclose(
            np.column_stack([p[:, :2].sum(1), p[:, 2], p[:, 3:].sum(1)]), three, atol=1e-9
        )
    assert model.classes_.tolist() == [-1, 0, 1]
    assert model.win_matrix().shape == (5, 5)


def test_other_models_of_ties_use_the_signs() -> None:
    c, _ = simulated()
    for ties in ("half", "ignore"):
        one, other = (BradleyTerry(ties).fit(each) for each in (c, replace(c, grade=None)))
        np.testing.assert_array_equal(one.log_skill_, other.log_skill_)
        assert not len(one.grade_)


@models
def test_a_grade_that_never_occurs_has_no_parameter(ties: Any) -> None:
    c, _ = simulated(parameters=(-0.3, 0.4, 0.9))
    rest = c[np.abs(np.asarray(c.grade)) != 2]
    model = BradleyTerry(ties).fit(rest)
    assert model.grades_.tolist() == [-3, -1, 0, 1, 3]
    assert len(model.grade_) == 1 + (ties == "rao-kupper")
    assert model.result_.converged


@models
def test_teams_and_covariates_have_grades(ties: Any) -> None:
    c, _ = simulated(covariates={"length": np.random.default_rng(1).normal(size=600)})
    model = BradleyTerry(ties, **EXACT).fit(c)
    assert abs(model.covariate_effect_[0]) < 4 * model.covariate_error_[0]
    names = [[(f"{k}", f"{side}{k % 2}") for k in codes] for side, codes in (("l", c.left), ("r", c.right))]
    teams = BradleyTerry(ties).fit(Comparisons.from_arrays(*names, grade=c.grade))
    assert teams.result_.converged
    assert len(teams.items_) == 9


def test_what_knows_wins_and_ties_only_refuses_grades() -> None:
    model = BradleyTerry().fit(simulated(group=np.arange(600) % 9)[0])
    asks: list[Callable[[], Any]] = [
        model.judges,
        model.goodness_of_fit,
        lambda: simulate(model, [("a", "b")]),
    ]
    for ask in asks:
        with pytest.raises(ValueError, match="wins and ties only"):
            ask()


# ------------------------------------------------------------------------------------ existence


def never_falls(c: Comparisons, ties: str, free_order: bool) -> bool:
    """Whether some direction but 0 exists along which the log-likelihood never falls, by one program."""
    grade, n = np.asarray(c.grade).astype(int), c.n_items
    levels = np.unique(np.abs(grade))
    above = levels[levels > 0]
    if ties == "davidson":
        free = np.delete(levels, np.searchsorted(levels, above[0]))
        signed = sorted({*levels.tolist(), *(-levels).tolist()})
        height = {k: np.append(k / 2, free == abs(k)) for k in signed}
        bounds = {k: [height[k] - height[j] for j in signed if j != k] for k in signed}
    else:
        m = len(levels) - 1
        eye = np.hstack([np.zeros((m, 1)), np.eye(m)])
        cuts = [*(-eye[::-1]), *([] if 0 in levels else [np.zeros(m + 1)]), *eye]
        signed = sorted({*levels.tolist(), *(-levels).tolist()})
        d = np.eye(m + 1)[0]
        bounds = {
            k: [d - cut for cut in cuts[at - 1 : at] if at] + [cut - d for cut in cuts[at : at + 1]]
            for at, k in enumerate(signed)
        }
    rows = []
    for left, right, k in zip(c.left, c.right, grade.tolist(), strict=True):
        for bound in bounds[k]:
            row = np.zeros(n + 1)
            row[right], row[left], row[n] = bound[0], -bound[0], -bound[0] * free_order
            rows.append(np.append(row, bound[1:]))
    table = np.array(rows)
    size = table.shape[1]
    for column in range(size):
        if column == 0 or (column == n and not free_order):
            continue
        for sign in (-1, 1):
            cost = np.zeros(size)
            cost[column] = sign
            ends = [(0, 0)] + [(-1, 1)] * (size - 1)
            if linprog(cost, -table, np.zeros(len(table)), bounds=ends).fun < -1e-7:
                return True
    return False


@given(graded_rows(), st.sampled_from(MODELS), st.booleans())
@settings(max_examples=60, deadline=None)
def test_an_estimate_exists_if_no_direction_never_falls(c: Comparisons, ties: str, free_order: bool) -> None:
    if not np.any(c.outcome) or not c.appears.all():
        return
    counts = paired_input(c, free_order).counts
    graded = GradedLink(counts.levels, np.zeros(len(counts.levels) - 1), ties == "rao-kupper")
    group, strong = connections(counts)
    if group.any():
        return
    exists = not strong.any() and rest_is_finite(
        counts, free_tie=len(counts.levels) > 1, free_order=free_order, graded=graded
    )
    assert exists == (not never_falls(c, ties, free_order))


@models
def test_a_small_grade_bounds_skills_that_an_outcome_does_not(ties: Any) -> None:
    """Item 0 always wins against 5, but only by a little; the others say what a little is."""
    c, _ = simulated()
    small = Comparisons.from_arrays([5] * 8, [0] * 8, grade=[1] * 8)
    model = BradleyTerry(ties, prior=0).fit(concat([c, small]))
    assert np.isfinite(model.log_skill_).all()
    with pytest.raises(ValueError, match="the skills of 5 have no finite"):
        BradleyTerry(ties, prior=0).fit(concat([c, replace(small, grade=2 * np.asarray(small.grade))]))
    with pytest.warns(ExistenceWarning, match="the skills of 5 have no finite"):
        BradleyTerry(ties).fit(concat([c, replace(small, grade=2 * np.asarray(small.grade))]))


@models
def test_only_one_side_wins_or_only_ties(ties: Any) -> None:
    c, _ = simulated()
    left = c[np.asarray(c.outcome) <= 0]
    with pytest.warns(ExistenceWarning, match="the right side never won"):
        assert np.isfinite(BradleyTerry(ties, order_effect=True).fit(left).log_skill_).all()
    with pytest.warns(ExistenceWarning, match="there are only ties"):
        BradleyTerry(ties).fit(c[np.asarray(c.outcome) == 0])


# ------------------------------------------------------------------------------------ resampling


@models
def test_bootstrap_errors_are_about_those_of_the_model(ties: Any) -> None:
    c, _ = simulated(1500, group=np.arange(1500) % 50)
    model = BradleyTerry(ties, order_effect=True).fit(c)
    for groups in (False, True):
        found = model.bootstrap(100, random_state=0, groups=groups)
        assert found.with_prior == 0
        np.testing.assert_allclose(found.samples[:, :5].std(axis=0), model.standard_error_, rtol=0.4)
        np.testing.assert_allclose(found.tie.mean(), model.tie_, rtol=0.1)


def test_drawing_every_group_once_gives_the_grades() -> None:
    c, _ = simulated(group=np.arange(600) % 7)
    for order_effect in (False, True):
        fit = BradleyTerry(order_effect=order_effect).fit(c).fit_
        of_times, n_groups = replicate_of_groups(fit)
        found: Any = of_times(np.ones(n_groups)).grades
        np.testing.assert_allclose(found, np.asarray(fit.problem.counts.grades))


@models
def test_a_resample_may_lack_a_grade(ties: Any) -> None:
    c, _ = simulated(300)
    rare = replace(c[:1], grade=np.array([3], dtype=np.int8), outcome=np.array([1], dtype=np.int8))
    model = BradleyTerry(ties).fit(concat([c, rare]))
    found = model.bootstrap(30, random_state=0)
    assert np.isfinite(found.samples[:, :5]).all()


# ------------------------------------------------------------------------------------ claims


@pytest.mark.slow
@models
def test_intervals_cover(ties: Any) -> None:
    parameters = (-0.3, 0.4) if ties == "davidson" else (0.4, 1.5)
    hits = []
    for seed in range(300):
        c, skill = simulated(300, parameters, ties=ties, seed=seed)
        model = BradleyTerry(ties, order_effect=True).fit(c)
        off = (model.log_skill_ - (skill - skill.mean())) / model.standard_error_
        hits.append(
            np.append(np.abs(off) < 1.96, abs(model.order_effect_ - 0.3) < 1.96 * model.summary().error[-1])
        )
    assert 0.935 < np.mean(hits) < 0.965


@pytest.mark.slow
def test_five_grades_tell_more_than_three() -> None:
    """Errors of skills, by the same cumulative model of the same votes."""
    ratios = []
    for seed in range(20):
        c, _ = simulated(2_000, (0.4, 1.5), ties="rao-kupper", seed=seed)
        five, three = (BradleyTerry("rao-kupper").fit(each) for each in (c, replace(c, grade=None)))
        ratios.append(five.standard_error_ / three.standard_error_)
    assert 0.88 < np.mean(ratios) < 0.94


def test_outcomes_with_the_signs_of_grades_leave_grades_alone() -> None:
    y = np.array([1, -1, 1, 0, -1])
    c = Comparisons.from_arrays(list("abcab"), list("bcaca"), grade=[2, -1, 1, 0, -2], outcome=y)
    kept, dropped = (with_outcomes(c, outcome).grade for outcome in (y, -y))
    assert kept is not None
    assert kept.tolist() == [2, -1, 1, 0, -2]
    assert dropped is None
