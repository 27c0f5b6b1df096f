import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from podium.comparers.threshold import best_threshold

ROW = st.tuples(st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 3.0]), st.sampled_from([-1, 0, 1]))


def loss(tau: float, d: np.ndarray, y: np.ndarray, w: np.ndarray) -> float:
    return float(w[np.where(np.abs(d) <= tau, 0, np.sign(d)) != y].sum())


@given(st.lists(ROW, min_size=1, max_size=12), st.data())
def test_no_threshold_has_a_smaller_loss(rows: list[tuple[float, int]], data: st.DataObject) -> None:
    d, y = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    w = np.array(data.draw(st.lists(st.integers(1, 3), min_size=len(d), max_size=len(d))), dtype=float)
    found = best_threshold(d, y, w)
    everywhere = np.unique(np.concatenate([[0.0], np.abs(d), np.abs(d) + 0.01]))
    if not np.any(y == 0):
        assert found == 0
        return
    assert loss(found, d, y, w) == min(loss(tau, d, y, w) for tau in everywhere)


def test_it_is_the_middle_of_the_best_interval() -> None:
    assert best_threshold([0.2, 0.6, -1.0], [0, 1, -1]) == 0.4
    assert best_threshold([0.2, 0.6, -1.0], [1, 1, -1]) == 0
    assert best_threshold([1.0, 1.0, 2.0, 3.0], [0, 1, 1, 1]) == 1.0  # gains and losses cancel there


def test_ties_that_are_farther_apart_than_all_others() -> None:
    tau = best_threshold([0.5, -2.0], [0, 0])
    assert 2.0 <= tau < 2.001
    assert best_threshold([0.0, 0.0], [0, 0]) == 0
