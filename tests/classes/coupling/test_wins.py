from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from podium.classes.codes import make_code
from podium.classes.coupling.couple import METHODS, Method, couple, most_probable

PAIRS = make_code("one-vs-one", 5)


@given(arrays(np.float64, (4, 10), elements=st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0]))))
def test_most_wins_are_the_largest_probability(r: Any) -> None:
    np.testing.assert_array_equal(most_probable(PAIRS, r, "generalized-bt"), couple(PAIRS, r).argmax(axis=1))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("code", [PAIRS, np.vstack([PAIRS[1:], -PAIRS[-1:]]), PAIRS[[*range(10), 0, 0]]])
def test_any_pairs_and_any_method(code: Any, method: Method) -> None:
    """A code with a pair twice or missing has no equal masses, and least squares does not count wins."""
    if method in ("pairwise", "wu-lin-weng") and len(np.unique(np.abs(code), axis=0)) < 10:
        pytest.skip("the method needs all pairs")
    r = np.random.default_rng(0).uniform(0.1, 0.9, size=(200, len(code)))
    np.testing.assert_array_equal(
        most_probable(code, r, method), couple(code, r, method=method).argmax(axis=1)
    )


def test_missing_probabilities_are_named() -> None:
    with pytest.raises(ValueError, match=r"problem 2 of row 1"):
        most_probable(PAIRS, np.array([[0.5, np.nan, *[0.5] * 8]]), "pairwise")
