from typing import Any

import numpy as np
import pytest

from podium.classes.codes import CODES, CodeName, _dense, _sparse, least_distance, make_code
from podium.classes.coupling.couple import checked_code


@pytest.mark.parametrize("k", [2, 3, 4, 7, 26])
@pytest.mark.parametrize("name", CODES)
def test_shapes_and_sides(name: CodeName, k: int) -> None:
    code = make_code(name, k, random_state=0)
    wanted = {
        "one-vs-one": k * (k - 1) // 2,
        "one-vs-rest": k,
        "dense": round(10 * np.log2(k)),
        "sparse": round(15 * np.log2(k)),
    }[name]
    assert code.shape == (1 if k == 2 else wanted, k)
    np.testing.assert_array_equal(checked_code(code), code)
    assert len(np.unique(code, axis=1).T) == k
    if name == "dense" and k > 2:
        np.testing.assert_array_equal((code > 0).sum(axis=1), k // 2)
        assert (code != 0).all()


def test_sparse_sides_hold_a_quarter_of_the_classes() -> None:
    rng = np.random.default_rng(0)
    codes = np.vstack([_sparse(rng, 32) for _ in range(50)])
    assert (codes > 0).sum(axis=1).mean() == pytest.approx(8, abs=0.2)
    assert (codes < 0).sum(axis=1).mean() == pytest.approx(8, abs=0.2)


@pytest.mark.parametrize(("name", "draw"), [("dense", _dense), ("sparse", _sparse)])
def test_the_best_of_a_hundred_random_codes_is_chosen(name: CodeName, draw: Any) -> None:
    rng = np.random.default_rng(3)
    distances = [least_distance(draw(rng, 10)) for _ in range(100)]
    assert least_distance(make_code(name, 10, random_state=3)) == max(distances) > min(distances)


def test_distance_is_that_of_allwein() -> None:
    assert least_distance(np.array([[1, -1], [1, 1], [0, 1], [0, 0]], dtype=np.int8)) == 1 + 0 + 0.5 + 0.5
    assert least_distance(np.array([[1, 1, -1], [0, 0, 1]], dtype=np.int8)) < 0


def test_random_states() -> None:
    np.testing.assert_array_equal(make_code("sparse", 9, 1), make_code("sparse", 9, 1))
    assert (make_code("sparse", 9, 1) != make_code("sparse", 9, 2)).any()
    a, b = (make_code("dense", 9, np.random.RandomState(4)) for _ in range(2))
    np.testing.assert_array_equal(a, b)
    with pytest.raises(ValueError, match="code must be one of one-vs-one"):
        make_code("two-vs-two", 4)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least two classes"):
        make_code("dense", 1)
