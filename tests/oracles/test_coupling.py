"""Pairwise coupling by kernlab's `couple`.

Its "minpair" is the least squares of Wu, Lin and Weng. It is right for three classes only: beyond, r_ij and
r_ji are filled in different orders, and do not add up to 1. Not compared, because podium does not have them:
the rule of Price and others ("pkpd") and votes.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from podium import couple
from podium.classes.codes import make_code
from podium.comparisons.arrays import Floats

Oracle = Callable[[str], Any]


def test_least_squares_of_three_classes(oracle: Oracle) -> None:
    said = oracle("couple")["3"]
    found = couple(make_code("one-vs-one", 3), said["r"], method="wu-lin-weng")
    np.testing.assert_allclose(found, said["minpair"], atol=1e-12)


@pytest.mark.parametrize("k", [4, 5, 6])
def test_for_more_classes_our_sum_of_squares_is_smaller(oracle: Oracle, k: int) -> None:
    """The objective decides which of two answers is the least-squares solution."""
    said = oracle("couple")[str(k)]
    code, r = make_code("one-vs-one", k), np.array(said["r"])

    def squares(p: Floats) -> Floats:
        first, second = p @ (code == 1).T, p @ (code == -1).T
        return np.asarray((((1 - r) * first - r * second) ** 2).sum(axis=1))

    assert (squares(couple(code, r, method="wu-lin-weng")) < squares(np.array(said["minpair"]))).all()
