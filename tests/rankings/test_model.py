"""The estimator: pairs as in BradleyTerry, invariances, predictions, samples, boards and saving."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium as pod
from podium import BradleyTerry, Comparisons, PlackettLuce, Rankings
from podium.numerics.result import NotConverged
from podium.rankings.fit import fit_rankings
from podium.skill.fit import ExistenceWarning
from tests.oracles.ranked import plain_loss, random_rankings
from tests.rankings.test_likelihood import problem_of

# ------------------------------------------------------------------------------------ pairs


def chess(weighted: bool) -> tuple[Comparisons, Rankings]:
    """The same games as comparisons and as rankings of two."""
    games = pod.datasets.load_chess_club()
    rng = np.random.default_rng(0)
    weight = rng.random(len(games)) + 0.5 if weighted else np.ones(len(games))
    group = rng.integers(0, 9, len(games))
    left, right = games.items[games.left].tolist(), games.items[games.right].tolist()
    rows = zip(left, right, np.asarray(games.outcome).tolist(), strict=True)
    lists: list[Any] = [[[(a, b)], [b, a], [a, b]][outcome] for a, b, outcome in rows]
    c = Comparisons.from_arrays(left, right, games.outcome, weight, group=group)
    return c, Rankings.from_lists(lists, weight, group=group)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("options", [{}, {"prior": 0.5}, {"covariance": "robust"}, {"covariance": "cluster"}])
@pytest.mark.parametrize("ties", ["auto", "ignore"])
def test_a_pair_is_a_ranking_of_two(ties: str, options: dict[str, Any], weighted: bool) -> None:
    c, r = chess(weighted)
    paired = BradleyTerry("davidson" if ties == "auto" else "ignore", tol=1e-12, **options).fit(c)
    ranked = PlackettLuce(ties, tol=1e-12, **options).fit(r)  # type: ignore[arg-type]
    np.testing.assert_allclose(ranked.log_skill_, paired.log_skill_, atol=1e-9)
    np.testing.assert_allclose(ranked.covariance_, paired.covariance_, atol=1e-9)
    assert ranked.log_likelihood_ == pytest.approx(paired.log_likelihood_, rel=1e-12)
    assert ranked.bic_ == pytest.approx(paired.bic_, rel=1e-12)
    if ties == "auto":
        assert ranked.tie_[2] == pytest.approx(paired.tie_, rel=1e-9)
        joint = ranked.fit_.joint_covariance, paired.fit_.joint_covariance
        np.testing.assert_allclose(*joint, atol=1e-9)
    for name, values in ranked.fit_.record.items():
        np.testing.assert_allclose(values, paired.fit_.record[name], atol=1e-9)
    assert ranked.compare("Igor", "Lena").p_value == pytest.approx(paired.compare("Igor", "Lena").p_value)
    np.testing.assert_array_equal(ranked.leaderboard().rank, paired.leaderboard().rank)


def test_chances_of_a_pair_are_expected_scores() -> None:
    c, r = chess(False)
    paired, ranked = BradleyTerry().fit(c), PlackettLuce().fit(r)
    table = paired.predict_proba(c[:5])
    sets = np.column_stack([c.items[c.left[:5]], c.items[c.right[:5]]])
    np.testing.assert_allclose(ranked.predict_proba(sets), table[:, [0, 2]] + table[:, [1]] / 2, atol=1e-7)


def test_the_win_matrix_is_that_of_pairs() -> None:
    c, r = chess(weighted=False)
    paired, ranked = BradleyTerry(tol=1e-12).fit(c), PlackettLuce(tol=1e-12).fit(r)
    np.testing.assert_allclose(ranked.win_matrix(), paired.win_matrix(), atol=1e-9)
    with pytest.warns(ExistenceWarning, match="2 groups"):
        apart = PlackettLuce().fit(Rankings.from_lists([["a", "b"], ["b", "a"], ["c", "d"], ["d", "c"]]))
    assert np.isnan(apart.win_matrix()[:2, 2:]).all()
    assert apart.win_matrix()[0, 1] == 0.5


def test_pairs_without_an_estimate_have_the_same_prior() -> None:
    pairs = [("a", "b", -1), ("a", "c", -1), ("b", "c", -1), ("c", "b", -1)]
    c = Comparisons.from_arrays(*zip(*pairs, strict=True))
    r = Rankings.from_lists([[a, b] for a, b, _ in pairs])
    with pytest.warns(ExistenceWarning) as paired_said:
        paired = BradleyTerry(tol=1e-12).fit(c)
    with pytest.warns(ExistenceWarning) as ranked_said:
        ranked = PlackettLuce(tol=1e-12).fit(r)
    assert [str(w.message) for w in ranked_said] == [str(w.message) for w in paired_said]
    np.testing.assert_allclose(ranked.log_skill_, paired.log_skill_, atol=1e-9)
    np.testing.assert_allclose(ranked.covariance_, paired.covariance_, atol=1e-9)


# ------------------------------------------------------------------------------------ invariances


@pytest.fixture(scope="module")
def votes() -> Rankings:
    return random_rankings(3, n_items=6, n=80)


@pytest.fixture(scope="module")
def model(votes: Rankings) -> PlackettLuce:
    return PlackettLuce(tol=1e-12).fit(votes)


def test_the_solution_is_the_optimum_of_the_plain_likelihood(votes: Rankings, model: PlackettLuce) -> None:
    from scipy.optimize import minimize

    def loss(x: Any) -> float:
        return float(plain_loss(votes, x))

    off = 0.1 * np.random.default_rng(0).normal(size=6 + len(model.tie_))  # a start nearby saves seconds
    found = minimize(loss, model.fit_.solution + off, method="BFGS", options={"gtol": 1e-4}).x
    np.testing.assert_allclose(model.log_skill_, found[:6] - found[:6].mean(), atol=1e-4)
    assert model.log_likelihood_ >= -loss(found)
    assert model.log_likelihood_ == pytest.approx(-plain_loss(votes, model.fit_.solution), rel=1e-12)
    assert model.score(votes) == pytest.approx(model.log_likelihood_ / votes.mass.sum(), rel=1e-12)


def test_order_and_labels_do_not_matter(votes: Rankings, model: PlackettLuce) -> None:
    shuffled = votes[np.random.default_rng(0).permutation(len(votes))]
    again = PlackettLuce(tol=1e-12).fit(shuffled)
    np.testing.assert_allclose(again.fit_.solution, model.fit_.solution, atol=1e-10)
    named = replace(votes, items=np.array(list("ABCDEF")))
    np.testing.assert_allclose(PlackettLuce(tol=1e-12).fit(named).log_skill_, model.log_skill_, atol=1e-12)
    turn = np.array([3, 1, 5, 0, 2, 4], dtype=np.int32)
    turned = PlackettLuce(tol=1e-12).fit(replace(votes, entries=turn[votes.entries]))
    np.testing.assert_allclose(turned.log_skill_[turn], model.log_skill_, atol=1e-10)
    np.testing.assert_allclose(turned.covariance_[np.ix_(turn, turn)], model.covariance_, atol=1e-10)


@pytest.mark.parametrize("covariance", ["model", "robust"])
def test_a_count_of_two_is_the_same_ranking_twice(votes: Rankings, covariance: Any) -> None:
    times = np.random.default_rng(1).integers(1, 4, len(votes))
    counted = PlackettLuce(covariance=covariance, tol=1e-12).fit(replace(votes, count=times.astype(float)))
    repeated = PlackettLuce(covariance=covariance, tol=1e-12).fit(votes[np.repeat(np.arange(80), times)])
    np.testing.assert_allclose(counted.fit_.solution, repeated.fit_.solution, atol=1e-10)
    np.testing.assert_allclose(counted.covariance_, repeated.covariance_, atol=1e-10)


def test_sample_weights_multiply(votes: Rankings) -> None:
    times = np.random.default_rng(2).integers(0, 3, len(votes))
    weighted = PlackettLuce().fit(votes, sample_weight=times)
    repeated = PlackettLuce().fit(votes[np.repeat(np.arange(80), times)])
    np.testing.assert_allclose(weighted.log_skill_, repeated.log_skill_, atol=1e-7)
    assert weighted.score(votes, sample_weight=times) == pytest.approx(
        weighted.fit_.log_likelihood / (times * votes.mass).sum()
    )


def test_clusters_of_one_ranking_are_robust_errors(votes: Rankings) -> None:
    alone = replace(votes, group=np.arange(80, dtype=np.int32), groups=np.arange(80))
    cluster = PlackettLuce(covariance="cluster").fit(alone)
    robust = PlackettLuce(covariance="robust").fit(votes)
    np.testing.assert_allclose(cluster.covariance_ * 79 / 80, robust.covariance_, atol=1e-10)
    assert "clustered by group (80 groups)" in str(cluster.leaderboard().method)
    with pytest.raises(ValueError, match="covariance='cluster' needs groups"):
        PlackettLuce(covariance="cluster").fit(votes)


# ------------------------------------------------------------------------------------ normal prior


def test_the_normal_prior_draws_skills_together() -> None:
    r = simulated(np.random.default_rng(0).normal(size=8), 60, 4)
    model = PlackettLuce(prior="normal").fit(r)
    assert np.isnan(PlackettLuce().fit(r).prior_scale_)
    assert np.ptp(model.log_skill_) < np.ptp(PlackettLuce().fit(r).log_skill_)


def test_items_that_do_not_differ_have_no_spread() -> None:
    r = Rankings.from_lists([["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"], ["b", "a"], ["a", "b"]] * 4)
    model = PlackettLuce(prior="normal").fit(r)
    assert model.prior_scale_ == 0
    np.testing.assert_allclose(model.log_skill_, 0, atol=1e-4)


def test_the_normal_prior_ranks_all_items_together() -> None:
    r = Rankings.from_lists([["a", "b", "c"], ["b", "a", "c"], ["x", "y"]])
    model = PlackettLuce(prior="normal").fit(r)
    assert (model.components_ == 0).all()
    assert model.notes_ == ()


# ------------------------------------------------------------------------------------ predictions


def test_chances_add_up_and_follow_the_skills(model: PlackettLuce) -> None:
    sets = [[0, 1], [5, 3, 2, 4], [1]]
    chances = model.predict_proba(sets)
    assert [len(each) for each in chances] == [2, 4, 1]
    np.testing.assert_allclose([each.sum() for each in chances], 1, rtol=1e-12)
    best = model.predict(sets)
    assert best.tolist() == [each[int(np.argmax(p))] for each, p in zip(sets, chances, strict=True)]


def test_samples_follow_the_model(model: PlackettLuce) -> None:
    drawn = model.sample([[0, 1, 2]], 20_000, random_state=0)
    first = Counter(str(each[0]) for each in drawn.to_lists())
    x, k = model.fit_.solution, 6
    alpha, delta = np.exp(x[:k]), {1: 1.0, **model.tie_}
    weight = {"0": alpha[0], "1": alpha[1], "2": alpha[2]}
    for pair in ((0, 1), (0, 2), (1, 2)):
        weight[str(pair)] = delta[2] * np.sqrt(alpha[list(pair)].prod())
    weight["(0, 1, 2)"] = delta.get(3, 0.0) * alpha[:3].prod() ** (1 / 3)
    total = sum(weight.values())
    for name, value in weight.items():
        expected = 20_000 * value / total
        assert abs(first[name] - expected) < 4 * np.sqrt(expected + 1)
    again = PlackettLuce().fit(drawn)
    gap = again.log_skill_ - (x[:3] - x[:3].mean())
    assert (np.abs(gap) < 4 * again.standard_error_).all()


def test_samples_can_be_repeated(model: PlackettLuce) -> None:
    sets = [[0, 1, 2], [3, 4]]
    one, other = (model.sample(sets, 3, random_state=1) for _ in range(2))
    assert one == other
    assert [sorted(set(map(str, one.items[row.entries]))) for row in one] == [list("012")] * 3 + [
        list("34")
    ] * 3


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ([[0, 99]], "the item 99 was not seen in fit"),
        ([[0, 1], [2, 2]], r"item 2 is twice in set 2 \(counting from 1\)"),
        ([[0, 1], []], r"set 2 \(counting from 1\) has no items"),
        ([0, 1], "'sets' has to be a list of lists of labels"),
    ],
)
def test_wrong_sets_are_one_sentence(model: PlackettLuce, sets: Any, message: str) -> None:
    for ask in (model.predict_proba, model.predict, model.sample):
        with pytest.raises(ValueError, match=message):
            ask(sets)


def test_an_unseen_item_counts_as_average(model: PlackettLuce) -> None:
    with pytest.warns(
        ExistenceWarning, match="the items 98 and 99 were not seen in fit and counted as average"
    ):
        found = model.score(Rankings.from_lists([[98, 0], [99, 0]]))
    alpha = np.exp(model.log_skill_[0])
    assert found == pytest.approx(-np.log(1 + alpha + model.tie_[2] * np.sqrt(alpha)))


def test_a_tie_that_was_never_seen_is_impossible() -> None:
    fitted = PlackettLuce().fit(Rankings.from_lists([["a", "b"], ["b", "a"]]))
    assert fitted.score(Rankings.from_lists([["a", "b"]])) == pytest.approx(np.log(0.5))
    assert fitted.score(Rankings.from_lists([[("a", "b")]])) == -np.inf
    assert fitted.tie_ == {}


def test_ties_lower_the_chances_of_an_untied_order(model: PlackettLuce) -> None:
    """The denominator has the ties of the fit, even if the scored rankings have none."""
    alpha, delta = np.exp(model.log_skill_), model.tie_
    z = alpha[0] + alpha[1] + delta[2] * np.sqrt(alpha[0] * alpha[1])
    assert model.score(Rankings.from_lists([[0, 1]])) == pytest.approx(np.log(alpha[0] / z))


# ------------------------------------------------------------------------------------ uncertainty and views


def test_the_bootstrap_agrees_with_the_errors() -> None:
    skills = np.array([1.0, 0.5, 0.0, -0.5, -1.0])
    r = simulated(skills, 400, 4)
    model = PlackettLuce().fit(r)
    found = model.bootstrap(300, random_state=0)
    np.testing.assert_allclose(found.standard_error, model.standard_error_, rtol=0.15)
    again = model.bootstrap(300, random_state=0, n_jobs=2)
    np.testing.assert_allclose(again.samples, found.samples, atol=1e-12)
    assert found.tie.shape == (300, 0)
    board = model.leaderboard(bootstrap=found)
    assert board.item.tolist() == [0, 1, 2, 3, 4]


def test_a_bootstrap_of_groups() -> None:
    r = simulated(np.zeros(4), 60, 3)
    grouped = replace(r, group=np.arange(60, dtype=np.int32) // 6, groups=np.arange(10))
    model = PlackettLuce().fit(grouped)
    assert len(model.bootstrap(20, random_state=0, groups=True)) == 20
    with pytest.raises(ValueError, match="the rankings have no groups to resample"):
        PlackettLuce().fit(r).bootstrap(20, groups=True)


def test_replicates_without_an_estimate_get_a_prior(votes: Rankings) -> None:
    few = Rankings.from_lists([["a", "b"], ["b", "a"], [("a", "b")]])
    found = PlackettLuce().fit(few).bootstrap(50, random_state=0)
    assert found.with_prior > 10
    assert np.isfinite(found.samples).all()
    assert np.abs(found.samples).max() < 20


def simulated(skills: Any, n: int, size: int, seed: int = 0) -> Rankings:
    """Rankings without ties of random sets of items."""
    rng = np.random.default_rng(seed)
    sets = np.array([rng.permutation(len(skills))[:size] for _ in range(n)])
    order = np.argsort(-(skills[sets] + rng.gumbel(size=sets.shape)), axis=1)
    return Rankings.from_lists(np.take_along_axis(sets, order, axis=1))


def test_the_record_is_that_of_all_pairs(votes: Rankings, model: PlackettLuce) -> None:
    record = votes.to_comparisons().record()
    board = model.leaderboard()
    order = np.argsort(board.item)
    for name in ("games", "wins", "ties", "losses"):
        np.testing.assert_allclose(getattr(board, name)[order], getattr(record, name), rtol=1e-12)


def test_summary_and_tables(model: PlackettLuce) -> None:
    text = str(model.summary(quasi=True))
    assert "tie of 2 (log δ)" in text
    assert "log δ = 0 means that equal items tie for first place" in text
    assert r"$\delta$" in model.summary().to_latex()
    assert len(model.pairwise_tests()) == 15
    assert len(model.quasi_variances()) == 6
    np.testing.assert_allclose(model.interval().mean(axis=1), model.log_skill_)
    assert model.top_probability(2, random_state=0).sum() == pytest.approx(2.0)


def test_a_saved_model_says_the_same(model: PlackettLuce, tmp_path: Path) -> None:
    pytest.importorskip("skops")
    pod.save(model, tmp_path / "model.skops")
    again = pod.load(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.predict_proba([[0, 1, 2]])[0], model.predict_proba([[0, 1, 2]])[0])
    np.testing.assert_allclose(again.covariance_, model.covariance_, rtol=1e-12)
    assert again.fit_.rankings is None
    assert str(again.leaderboard()) == str(model.leaderboard())
    assert again.tie_ == model.tie_


@pytest.mark.parametrize("dense", [10, 1000])
def test_all_solvers_find_the_same_skills(dense: int) -> None:
    """A chain of 400 items, on which L-BFGS alone is slow; Newton's steps by both methods."""
    chain = [[i, i + 1] for i in range(399)]
    r = Rankings.from_lists([*chain, *[pair[::-1] for pair in chain]], count=[2.0] * 399 + [1.0] * 399)
    result = fit_rankings(problem_of(r), 1e-10, 1_000, exact_items=dense)
    assert result.converged
    np.testing.assert_allclose(np.diff(result.solution), -np.log(2), atol=1e-6)


def test_stopped_early_it_warns(votes: Rankings) -> None:
    with pytest.warns(NotConverged, match="the solver 'newton' stopped after 1 iterations"):
        PlackettLuce(max_iter=1).fit(votes)


def test_lists_are_not_rankings() -> None:
    with pytest.raises(ValueError, match="rankings are expected, not list"):
        PlackettLuce().fit([["a", "b"]])


def test_no_sets_have_no_probabilities() -> None:
    model = PlackettLuce().fit(Rankings.from_lists([["a", "b", "c"], ["b", "a"], ["c", "a"]]))
    assert model.predict_proba([]) == []


@pytest.mark.parametrize("n", ["x", -1, 2.5, None])
def test_a_bootstrap_needs_a_whole_number(n: Any) -> None:
    model = PlackettLuce().fit(Rankings.from_lists([["a", "b", "c"], ["b", "a"], ["c", "a"]]))
    with pytest.raises(ValueError, match="at least 2 replicates, not"):
        model.bootstrap(n)
