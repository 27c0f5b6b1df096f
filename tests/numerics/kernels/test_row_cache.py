"""Rows come from the cache as they were computed, and those that were not used for longest make room."""

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.numerics.kernels.row_cache import RowCache


def test_rows_are_computed_once_while_there_is_room() -> None:
    K = np.random.default_rng(0).normal(size=(10, 6))
    computed: list[int] = []

    def rows(positions: Positions) -> Floats:
        computed.extend(positions.tolist())
        return K[positions]

    cache = RowCache(rows, 10, 6, most_bytes=4 * 6 * 8)
    assert cache.store.shape == (4, 6)
    for wanted in ([0, 1], [2], [1, 0], [3, 4], [0, 1], [2, 0]):
        slots = cache.fetch(np.array(wanted))
        np.testing.assert_array_equal(cache.store[slots], K[wanted])
        assert slots.max() < cache.n_kept
    assert computed == [0, 1, 2, 3, 4, 2]  # 2 was the one not used for longest when 4 came


def test_there_is_room_for_the_least_number_of_rows() -> None:
    cache = RowCache(lambda rows: np.zeros((len(rows), 5)), 20, 5, least=7, most_bytes=0)
    assert len(cache.store) == 7
