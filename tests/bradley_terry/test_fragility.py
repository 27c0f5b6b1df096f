"""The fewest votes and groups that decide a board, against brute force and against fits without them."""

import os
from dataclasses import replace
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium as pod
from podium import BradleyTerry, Comparisons
from tests.bradley_terry.votes import make_votes

DATA = os.environ.get("PODIUM_DATA")
SIDES = np.array([(a, b) for a in range(4) for b in range(a + 1, 4)])


def small_board(seed: int, n: int = 60) -> Comparisons:
    """Votes on four items that are close, with ties."""
    rng = np.random.default_rng(seed)
    skill = rng.normal(0, 0.35, 4)
    left, right = SIDES[rng.integers(0, 6, n)].T
    p = 1 / (1 + np.exp(skill[left] - skill[right]))
    outcome = np.where(rng.random(n) < 0.2, 0, np.where(rng.random(n) < p, 1, -1))
    return Comparisons.from_arrays(left, right, outcome)


def davidson(tables: Any) -> Any:
    """Log-skills of many tables of counts (6 pairs × 3 outcomes), by Newton's method in plain NumPy."""
    signs = np.zeros((6, 4))
    signs[np.arange(6), SIDES[:, 0]], signs[np.arange(6), SIDES[:, 1]] = -1, 1
    features = np.zeros((6, 3, 5))  # what each outcome adds to each parameter's sum
    features[:, 0, :4], features[:, 2, :4], features[:, 1, 4] = -signs / 2, signs / 2, 1
    x = np.zeros((len(tables), 5))
    for _ in range(60):
        logs = np.einsum("pok,bk->bpo", features, x)
        p = np.exp(logs - logs.max(axis=2, keepdims=True))
        p /= p.sum(axis=2, keepdims=True)
        total = tables.sum(axis=2)
        mean = np.einsum("bpo,pok->bpk", p, features)
        gradient = np.einsum("bpo,pok->bk", tables - total[:, :, None] * p, features)
        squares = np.einsum("bp,bpo,pok,pol->bkl", total, p, features, features)
        hessian = squares - np.einsum("bp,bpk,bpl->bkl", total, mean, mean)
        hessian[:, :4, :4] += 1.0  # the mean log-skill is 0
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        x += step * (1 / np.maximum(1, np.abs(step).max(axis=1, keepdims=True)))
        x[:, :4] -= x[:, :4].mean(axis=1, keepdims=True)
    return x[:, :4]


def fewest(c: Comparisons, most: int) -> float:
    """The least number of votes without which the leader does not lead, of all sets up to this size."""
    table = np.zeros((6, 3))
    pair = {tuple(side): k for k, side in enumerate(SIDES.tolist())}
    assert c.outcome is not None
    met = np.array([pair[a, b] for a, b in zip(c.left.tolist(), c.right.tolist(), strict=True)])
    np.add.at(table, (met, c.outcome.astype(np.int64) + 1), 1)
    skill = davidson(table[None])[0]
    leader = int(skill.argmax())
    cells = np.argwhere(table > 0)
    for n in range(1, most + 1):
        sets = np.array([*combinations_with_replacement(range(len(cells)), n)])
        without = np.tile(table, (len(sets), 1, 1))
        np.subtract.at(without, (np.arange(len(sets))[:, None], *cells[sets].T.swapaxes(1, 2)), 1)
        without = without[(without >= 0).all(axis=(1, 2))]
        found = davidson(without)
        if (found[:, [leader]] <= np.delete(found, leader, axis=1) + 1e-9).any():
            return n
    return np.inf


def check(c: Comparisons, found: Any, by: str = "votes", **how: Any) -> None:
    """The model without the rows, or without so many of their votes, has the new order and the new lead."""
    left = c.count.copy()
    left[found.rows] -= found.counts
    assert (left > -1e-9).all()
    assert (np.diff(found.rows) > 0).all()
    rest = replace(c, count=np.where(left > 0, left, 1.0))[left > 1e-9]
    model = BradleyTerry(**how).fit(rest)
    a, b = np.searchsorted(model.items_, list(found.pair))
    assert model.log_skill_[a] - model.log_skill_[b] == pytest.approx(found.after, abs=1e-6)
    assert found.before > 0 >= found.after - 1e-8
    assert found.share == pytest.approx(found.counts.sum() / c.count.sum())
    if by == "votes":
        assert found.n == pytest.approx(found.counts.sum())
        assert found.groups == ()
    else:
        codes, labels = c.groupings[by]
        assert found.n == len(found.groups) > 0
        assert np.array_equal(found.rows, np.flatnonzero(np.isin(labels[codes], found.groups)))
        assert np.array_equal(found.counts, c.count[found.rows])


def compare_with_brute_force(seeds: range, most: int) -> list[tuple[float, float]]:
    pairs = []
    for seed in seeds:
        c = small_board(seed)
        found, least = BradleyTerry().fit(c).fragility(), fewest(c, most)
        check(c, found)
        assert found.n >= min(least, most + 1)
        pairs.append((found.n, least))
    return pairs


def test_as_few_votes_as_brute_force_finds() -> None:
    pairs = compare_with_brute_force(range(8), 2)
    assert [n for n, least in pairs if least < np.inf] == [least for _, least in pairs if least < np.inf]
    assert any(least < np.inf for _, least in pairs)


@pytest.mark.slow
def test_as_few_votes_as_brute_force_finds_on_thirty_boards() -> None:
    pairs = compare_with_brute_force(range(30), 3)
    flipped = [(n, least) for n, least in pairs if least < np.inf]
    print(f"{len(flipped)} of 30 boards change without at most 3 votes")
    assert len(flipped) >= 10
    assert all(n == least for n, least in flipped)


WAYS: Any = [
    {},
    {"ties": "rao-kupper", "order_effect": True},
    {"ties": "half"},
    {"ties": "ignore"},
    {"prior": 0.1},
    {"covariance": "cluster"},
]


@pytest.mark.parametrize("how", WAYS, ids=str)
@pytest.mark.filterwarnings("ignore")
def test_a_fit_without_the_rows_has_the_new_order(how: Any) -> None:
    c = make_votes(1_500, n_items=7, n_judges=30)
    k: Any = np.arange(len(c), dtype=np.float64)
    c = replace(c, count=1 + k % 3, weight=1 + k % 2 / 2)
    model = BradleyTerry(**how).fit(c)
    order = model.items_[np.argsort(-model.log_skill_)].tolist()
    check(c, model.fragility(), **how)
    third = model.fragility(top=3)
    assert third.pair[0] in order[:3]
    assert third.pair[1] in order[3:]
    check(c, third, **how)
    found = model.fragility((order[5], order[4]))
    assert found.pair == (order[4], order[5])
    check(c, found, **how)
    check(c, model.fragility(by="group"), "group", **how)


def test_counted_votes_and_single_votes_have_the_same_answer() -> None:
    c = replace(make_votes(1_200, n_items=6), covariates=None, covariate_names=(), neutral=None)
    one, counted = (BradleyTerry().fit(rows).fragility() for rows in (c, c.aggregate()))
    assert one.n == counted.n == len(one.rows) == counted.counts.sum()
    assert one.after == pytest.approx(counted.after, abs=1e-7)
    assert str(one).startswith(f"At most {one.n} of 1,200 votes (")


def test_groups_are_named_and_half_of_them_are_enough_to_look_at() -> None:
    c = small_board(3, 400)
    prompts = np.arange(400) % 8
    c = Comparisons.from_arrays(c.left, c.right, c.outcome, group={"prompt": prompts, "judge": prompts // 2})
    model = BradleyTerry().fit(c)
    for by in ("judge", "prompt"):
        found = model.fragility(by=by)
        if np.isfinite(found.n):
            check(c, found, by)
            assert f"{by}s (" in str(found)
        else:
            assert (
                str(found)
                == f"No {by}s were found, up to half of them, without which the leader would change."
            )
            assert (len(found.rows), found.groups) == (0, ())
    assert model.fragility(by="group").n == model.fragility(by="judge").n


def test_equal_leaders_need_no_vote_and_bad_questions_have_a_sentence() -> None:
    c = Comparisons.from_arrays(["a", "b", "a", "b", "c", "c"], ["b", "a", "c", "c", "a", "b"], [-1] * 6)
    model = BradleyTerry().fit(c)
    found = model.fragility()
    assert (found.n, found.share, len(found.rows)) == (0, 0.0, 0)
    for asked, said in (
        ({"pair": ("a", "z")}, "z"),
        ({"pair": ("a", "b"), "top": 1}, "give one of them"),
        ({"top": 3}, "top must be a whole number from 1 to 2, not 3"),
        ({"top": 1.5}, "from 1 to 2, not 1.5"),
        ({"by": "prompt"}, "by='prompt' is none of 'votes'"),
    ):
        with pytest.raises(ValueError, match=said):
            model.fragility(**asked)


def test_influence_is_what_leaving_a_group_out_changes() -> None:
    c = make_votes(3_000, n_items=6, n_judges=30)
    model = BradleyTerry(order_effect=True).fit(c)
    table = model.influence(scale="log")
    assert table.shape == (30, 6)
    assert (np.diff(np.abs(table).max(axis=1)) <= 0).all()
    assert c.groups is not None
    for judge in table.index[:3]:
        rest = BradleyTerry(order_effect=True).fit(c[c.groups[c.group] != judge])
        moved = rest.log_skill_ - model.log_skill_
        np.testing.assert_allclose(table.loc[judge], moved, atol=0.25 * np.abs(moved).max())
    votes = model.influence("votes", scale="log")
    row = int(votes.index[0])
    rest = BradleyTerry(order_effect=True).fit(c[np.arange(len(c)) != row])
    np.testing.assert_allclose(votes.loc[row], rest.log_skill_ - model.log_skill_, rtol=0.1, atol=1e-4)
    np.testing.assert_allclose(votes.groupby(c.groups[c.group][votes.index]).sum().loc[table.index], table)


@pytest.mark.skipif(DATA is None, reason="needs PODIUM_DATA")
def test_llmfao_hangs_on_fourteen_votes() -> None:
    source = Path(DATA or "") / "llm_votes" / "llmfao.csv.gz"
    how: Any = {"outcome": "y", "outcome_format": "score", "group": {"judge": "worker", "prompt": "prompt"}}
    c = pod.read_comparisons(source, left="left", right="right", **how)
    model = BradleyTerry().fit(c)
    leader, five = model.fragility(), model.fragility(top=5)
    check(c, leader)
    check(c, five)
    assert leader.n <= 14
    assert five.n <= 1
    for by, most in (("judge", 8), ("prompt", 4)):
        found = model.fragility(by=by)
        check(c, found, by)
        assert found.n <= most


@pytest.mark.parametrize("pair", ["ab", ("a", "b", "c"), ("a", "a")])
def test_a_pair_is_two_different_items(pair: Any) -> None:
    model = pod.BradleyTerry().fit(pod.Comparisons.from_arrays([*"abca"], [*"bcab"], [-1, -1, -1, 1]))
    with pytest.raises(ValueError, match="two different items"):
        model.fragility(pair=pair)
    with pytest.raises(ValueError, match="from 1 to 2, not 0"):
        model.fragility(top=0)
