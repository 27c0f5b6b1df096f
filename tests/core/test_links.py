"""Both models of ties: probabilities, the loss, and every derivative as a difference of what it is of."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.core.links import (
    Link,
    derivatives,
    information,
    loss,
    most_probable,
    outcome_probabilities,
    root,
    scores,
    seen_score,
    tie_term,
)

LINKS = [Link(0.7), Link(3.0), Link(1.4, True), Link(5.0, True)]
D = np.array([-9.0, -1.5, 0.0, 0.3, 4.0])
STEP = 1e-6
RESULTS: Any = (10.0, 3.0, 4.0)  # games, ties, margin
links = pytest.mark.parametrize("link", LINKS, ids=str)


def moved(link: Link, step: float) -> Link:
    """The link with another logarithm of its parameter."""
    return link._replace(tie=link.tie * np.exp(step))


def slope(value: Any) -> Any:
    """The derivative at 0 of a function of one number."""
    return (np.asarray(value(STEP)) - np.asarray(value(-STEP))) / (2 * STEP)


def cost(d: Any, link: Link) -> Any:
    return loss(d, *RESULTS, *link) - RESULTS[1] * tie_term(np.log(link.tie), link.rao_kupper)[0]


@links
def test_the_loss_is_that_of_the_probabilities(link: Link) -> None:
    p, n = outcome_probabilities(D, link), np.array([1.5, 3.0, 5.5])  # left wins, ties, right wins
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-14)
    np.testing.assert_allclose(cost(D, link), -np.log(p) @ n, rtol=1e-12)


@links
def test_derivatives_of_the_loss(link: Link) -> None:
    expected, curvature, by_tie, tie_curvature, cross = derivatives(root(D), *RESULTS, *link)
    _, worth, curvature_of_ties = tie_term(np.log(link.tie), link.rao_kupper)
    by_d = seen_score(*RESULTS, link.rao_kupper) - expected

    def gradient(d: Any, at: Link) -> Any:
        found = derivatives(root(d), *RESULTS, *at)
        of_ties = tie_term(np.log(at.tie), at.rao_kupper)[1]
        return seen_score(*RESULTS, at.rao_kupper) - found[0], found[2] - RESULTS[1] * of_ties

    np.testing.assert_allclose(by_d, slope(lambda h: cost(D + h, link)), atol=1e-7)
    np.testing.assert_allclose(
        by_tie - RESULTS[1] * worth, slope(lambda h: cost(D, moved(link, h))), atol=1e-7
    )
    np.testing.assert_allclose(curvature, slope(lambda h: gradient(D + h, link)[0]), atol=1e-7)
    np.testing.assert_allclose(cross, slope(lambda h: gradient(D + h, link)[1]), atol=1e-7)
    np.testing.assert_allclose(
        tie_curvature - RESULTS[1] * curvature_of_ties,
        slope(lambda h: gradient(D, moved(link, h))[1]),
        atol=1e-7,
    )


@links
def test_scores_are_slopes_of_log_probabilities_and_information_is_their_variance(link: Link) -> None:
    found, p = scores(D, link), outcome_probabilities(D, link)
    np.testing.assert_allclose(
        found.difference.T, slope(lambda h: np.log(outcome_probabilities(D + h, link))), atol=1e-7
    )
    np.testing.assert_allclose(
        found.tie.T, slope(lambda h: np.log(outcome_probabilities(D, moved(link, h)))), atol=1e-7
    )
    np.testing.assert_allclose(information(D, link), (p.T * found.difference**2).sum(axis=0), rtol=1e-9)


@given(st.floats(-1e9, 1e9), st.sampled_from(LINKS))
def test_swapping_the_sides_swaps_the_outcomes(d: float, link: Link) -> None:
    p, swapped = outcome_probabilities(np.array([d, -d]), link)
    np.testing.assert_allclose(p, swapped[::-1], rtol=1e-12)
    assert np.isfinite(derivatives(root(d), *RESULTS, *link)).all()
    assert np.isfinite(loss(d, *RESULTS, *link))
    assert most_probable(p) == -most_probable(swapped)


def test_no_ties_are_davidson_with_none() -> None:
    found = np.array(derivatives(root(1.5), 10.0, 0.0, 4.0, None, False))
    np.testing.assert_allclose(found, derivatives(root(1.5), 10.0, 0.0, 4.0, *Link(0.0)), rtol=1e-15)
    assert Link.of("half", np.nan) == Link(0.0)
    assert Link.of("rao-kupper", 2.0) == Link(2.0, rao_kupper=True)


def test_only_ties_are_certain() -> None:
    sure = Link.of("davidson", np.inf)
    np.testing.assert_array_equal(outcome_probabilities(np.array([1.0, np.nan]), sure)[0], [0, 1, 0])
    np.testing.assert_array_equal(information(D, sure), 0)


def test_few_ties_keep_their_digits() -> None:
    """With κ = 1 + 1e-13, κ² - 1 has lost its digits, so the term takes log κ."""
    value, worth, curvature = tie_term(1e-13, True)
    assert value == pytest.approx(np.log(2e-13), rel=1e-12)
    assert worth * 1e-13 == pytest.approx(1, rel=1e-12)
    assert curvature * 1e-26 == pytest.approx(-1, rel=1e-12)
