from typing import Any

import numpy as np
import pytest

from podium import datasets
from podium.classes.codes import make_code


@pytest.mark.parametrize("k", [3, 4, 7, 64])
@pytest.mark.parametrize("case", ["a", "b", "c"])
def test_cases_are_those_of_the_paper(case: Any, k: int) -> None:
    p = datasets.make_class_probabilities(k, case)
    assert len(p) == k
    assert p.sum() == pytest.approx(1)
    assert (p > 0).all()
    half = k // 2 if k % 2 == 0 else (k + 1) // 2
    if case == "a":
        assert p[0] == pytest.approx(1.5 / k)
        np.testing.assert_allclose(p[1:], (1 - 1.5 / k) / (k - 1))
    if case == "b":
        first = 0.95 * 1.5 / half
        assert p[0] == pytest.approx(first)
        np.testing.assert_allclose(p[1:half], (0.95 - first) / (half - 1))
        np.testing.assert_allclose(p[half:], 0.05 / (k - half))
    if case == "c":
        np.testing.assert_allclose(p[:2], [0.7125, 0.2375])
        np.testing.assert_allclose(p[2:], 0.05 / (k - 2))


def test_noise_is_relative_and_stays_inside() -> None:
    code = make_code("one-vs-rest", 4)
    r, p = datasets.make_coded_probabilities(code, "c", 20_000, random_state=0)
    assert r.shape == (20_000, 4)
    assert r.min() >= 1e-7
    assert r.max() <= 1 - 1e-7
    np.testing.assert_allclose((r / p)[:, 1:].std(axis=0), 0.1, rtol=0.03)
    again, _ = datasets.make_coded_probabilities(code, "c", 20_000, random_state=0)
    np.testing.assert_array_equal(r, again)


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="case must be"):
        datasets.make_class_probabilities(4, "d")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least 3"):
        datasets.make_class_probabilities(2)
    with pytest.raises(ValueError, match="code must be a matrix"):
        datasets.make_coded_probabilities([[1, 1, 0]])
    with pytest.raises(ValueError, match="must be at least 0"):
        datasets.make_coded_probabilities([[1, -1, 0]], noise=-1.0)
