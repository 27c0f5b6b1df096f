"""Errors clustered by several kinds of groups, against sums over groups and simulations."""

import os
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import t

import podium as pod
from podium import BradleyTerry, Comparisons

DATA = os.environ.get("PODIUM_DATA")


def make(group: Any, n: int = 3_000, seed: int = 0, n_items: int = 6) -> Comparisons:
    """Votes whose judges and prompts have tastes; ``group`` gives codes by name from a generator."""
    rng = np.random.default_rng(seed)
    groups = group(rng, n)
    left, right = rng.integers(0, n_items, n), rng.integers(1, n_items, n)
    right = (left + right) % n_items
    skill = np.linspace(-1, 1, n_items)
    d = skill[right] - skill[left]
    for codes in groups.values():
        taste = rng.normal(0, 0.6, (codes.max() + 1, n_items))
        d += taste[codes, right] - taste[codes, left]
    outcome = np.where(rng.random(n) < 0.2, 0, np.where(rng.random(n) < 1 / (1 + np.exp(-d)), 1, -1))
    return Comparisons.from_arrays(left, right, outcome, group=groups)


def crossed(rng: np.random.Generator, n: int) -> dict[str, Any]:
    return {"judge": rng.integers(0, 30, n), "prompt": rng.integers(0, 12, n)}


def unequal(rng: np.random.Generator, n: int) -> dict[str, Any]:
    sizes = 0.7 ** np.arange(12)
    return {"judge": rng.integers(0, 30, n), "prompt": rng.choice(12, n, p=sizes / sizes.sum())}


def three(rng: np.random.Generator, n: int) -> dict[str, Any]:
    return crossed(rng, n) | {"day": rng.integers(0, 7, n)}


def errors_of(c: Comparisons) -> BradleyTerry:
    return BradleyTerry(ties="rao-kupper", order_effect=True, covariance="cluster").fit(c)


def alone(c: Comparisons, name: str) -> Comparisons:
    codes, labels = c.groupings[name]
    bare: Any = {"other_group": None, "other_groups": (), "group_names": ()}
    return replace(c, group=codes, groups=labels, **bare)


@pytest.mark.parametrize("groups", [crossed, unequal, three])
def test_the_covariance_is_that_of_single_kinds_by_inclusion_and_exclusion(groups: Any) -> None:
    c = make(groups)
    found = errors_of(c)
    total: Any = 0.0
    for size in range(1, len(c.group_names) + 1):
        for some in combinations(c.group_names, size):
            codes = np.stack([c.groupings[name][0] for name in some])
            both = np.unique(codes, axis=1, return_inverse=True)[1].ravel()
            one = replace(alone(c, "judge"), group=both.astype(np.int32), groups=np.arange(both.max() + 1))
            total = total + (-1) ** (size + 1) * errors_of(one).fit_.joint_covariance
    values, vectors = np.linalg.eigh(total)
    np.testing.assert_allclose(
        found.fit_.joint_covariance, (vectors * values.clip(min=0)) @ vectors.T, atol=1e-9
    )
    fewest = min(len(labels) for _, labels in c.groupings.values())
    assert found.fit_.degrees == fewest - 1
    board, error = found.leaderboard(scale="log"), found.standard_error_
    width = (board.high - board.low)[np.argsort(board.item)]
    np.testing.assert_allclose(width, 2 * t.ppf(0.975, fewest - 1) * error, rtol=1e-9)
    contrast = found.compare(0, 1).standard_error ** 2
    v = found.covariance_
    assert contrast == pytest.approx(v[0, 0] + v[1, 1] - 2 * v[0, 1], rel=1e-9)
    named = " and ".join(f"{name} ({n} groups)" for n, name in sorted(
        (len(labels), name) for name, (_, labels) in c.groupings.items()
    ))  # fmt: skip
    assert found.fit_.error_text == f"standard errors: clustered by {named}"


def test_negative_eigenvalues_are_cut_before_differences_are_taken() -> None:
    n = 400
    c = make(lambda rng, n: {"judge": np.arange(n) % 6, "prompt": np.arange(n) // 6 % 6}, n=n, n_items=12)
    found = errors_of(c).fit_.joint_covariance
    both = (c.groupings["judge"][0] * 6 + c.groupings["prompt"][0]).astype(np.int32)
    one, other = (errors_of(alone(c, name)).fit_.joint_covariance for name in c.group_names)
    joint = errors_of(replace(alone(c, "judge"), group=both, groups=np.arange(36))).fit_.joint_covariance
    assert np.linalg.eigvalsh(one + other - joint).min() < -1e-4
    assert np.linalg.eigvalsh(found).min() > -1e-12


def test_nested_groups_and_one_kind_are_those_of_the_outer_kind() -> None:
    c = make(lambda rng, n: {"judge": (judge := rng.integers(0, 40, n)), "team": judge // 4})
    np.testing.assert_allclose(errors_of(c).covariance_, errors_of(alone(c, "team")).covariance_, atol=1e-12)
    judges = replace(alone(c, "judge"), group_names=("judge",))
    np.testing.assert_array_equal(errors_of(judges).covariance_, errors_of(alone(c, "judge")).covariance_)
    with pytest.raises(ValueError, match="needs at least 5 groups"):
        errors_of(make(lambda rng, n: {"judge": rng.integers(0, 9, n), "prompt": np.zeros(n, int)}))


def test_large_fits_are_at_least_as_wide() -> None:
    from tests.many_items import with_many_items

    exact = errors_of(make(crossed))
    matrix = exact.standard_error_
    large = with_many_items(exact)
    assert (large.standard_error_ > 0.98 * matrix).all()
    assert np.isfinite(large.leaderboard().low).all()


def test_the_board_says_when_groups_at_hand_would_widen_its_intervals() -> None:
    def said(c: Comparisons, **how: Any) -> list[str]:
        return [note for note in BradleyTerry(**how).fit(c).leaderboard().notes if "times as wide" in note]

    c = make(crossed)
    [note] = said(c)
    model, both = BradleyTerry().fit(c), BradleyTerry(covariance="cluster").fit(c)
    pairs = list(combinations(range(6), 2))
    ratio = np.median([both.compare(*p).standard_error / model.compare(*p).standard_error for p in pairs])
    assert ratio > 1.3
    assert f"clustered by judge and prompt would be {ratio:.1f} times as wide" in note
    assert said(c, covariance="cluster") == []
    assert said(make(lambda rng, n: {"judge": np.arange(n) % 300})) == []  # each judge votes 10 times
    assert said(make(lambda rng, n: {"judge": np.arange(n) % 4})) == []  # too few to cluster by


@pytest.mark.skipif(DATA is None, reason="needs PODIUM_DATA")
def test_errors_of_llmfao_by_judge_and_prompt() -> None:
    source = Path(DATA or "") / "llm_votes" / "llmfao.csv.gz"
    how: Any = {"outcome": "y", "outcome_format": "score", "group": {"judge": "worker", "prompt": "prompt"}}
    c = pod.read_comparisons(source, left="left", right="right", **how)

    def median(model: BradleyTerry) -> float:
        v = model.covariance_
        errors = np.sqrt(np.diag(v)[:, None] + np.diag(v) - 2 * v)
        return float(np.median((errors / plain)[np.triu_indices(len(v), 1)]))

    plain: Any = 1.0
    v = BradleyTerry().fit(c).covariance_
    plain = np.sqrt(np.diag(v)[:, None] + np.diag(v) - 2 * v) + np.eye(len(v))
    assert median(BradleyTerry(covariance="cluster").fit(alone(c, "judge"))) == pytest.approx(1.16, abs=0.01)
    assert median(BradleyTerry(covariance="cluster").fit(c)) == pytest.approx(1.81, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "spread", "n", "one_way"),
    [((40, 40), (0.5, 0.5), 4_000, (0.80, 0.92)), ((25, 60), (0.7, 0.4), 6_000, (0.60, 0.97))],
)
def test_intervals_by_two_kinds_hold_the_population(sizes: Any, spread: Any, n: int, one_way: Any) -> None:
    """Coverage of differences of 6 items; docs/testing.md has the numbers."""
    found = coverage(sizes, spread, n, n_sets=150)
    print({name: round(value, 3) for name, value in found.items()})
    assert found["both"] >= 0.93
    assert 0.45 < found["model"] < 0.72
    assert all(one_way[0] < found[name] < one_way[1] for name in ("judge", "prompt"))


def coverage(sizes: Any, spread: Any, n: int, n_sets: int) -> dict[str, float]:
    """How often intervals of differences of 6 items hold the fit to the population of judges and prompts."""
    skill, hits = np.linspace(-1, 1, 6), dict.fromkeys(("model", "judge", "prompt", "both"), 0.0)
    sides = np.array([(a, b) for a in range(6) for b in range(6) if a != b])
    target = population(skill, spread, sides)
    pairs = [*combinations(range(6), 2)]
    for seed in range(n_sets):
        rng = np.random.default_rng(seed)
        left, right = sides[rng.integers(0, len(sides), n)].T
        codes = [rng.integers(0, size, n) for size in sizes]
        d = skill[right] - skill[left]
        for code, size, sd in zip(codes, sizes, spread, strict=True):
            taste = rng.normal(0, sd, (size, 6))
            d = d + taste[code, right] - taste[code, left]
        outcome = np.where(rng.random(n) < 1 / (1 + np.exp(-d)), 1, -1)
        c = Comparisons.from_arrays(
            left, right, outcome, group=dict(zip(("judge", "prompt"), codes, strict=True))
        )
        fits = {name: BradleyTerry(covariance="cluster").fit(alone(c, name)) for name in c.group_names}
        fits |= {"model": BradleyTerry().fit(c), "both": BradleyTerry(covariance="cluster").fit(c)}
        for name, model in fits.items():
            compared = [model.compare(a, b) for a, b in pairs]
            held = [
                p.low <= target[a] - target[b] <= p.high for p, (a, b) in zip(compared, pairs, strict=True)
            ]
            hits[name] += float(np.mean(held)) / n_sets
    return hits


def population(skill: Any, spread: Any, sides: Any) -> Any:
    """The fit to the mean probabilities over all judges and prompts, by their normal distribution."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    left, right = sides.T
    sd = np.sqrt(2 * (np.square(spread).sum()))
    d = (skill[right] - skill[left])[:, None] + sd * nodes
    p = (1 / (1 + np.exp(-d))) @ (weights / weights.sum())
    c = Comparisons.from_arrays(left, right, 1 - p, outcome_format="probability")
    return BradleyTerry().fit(c).log_skill_
