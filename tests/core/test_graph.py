"""Classes of nodes are those of the definition, whatever parts the edges come in."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.comparisons.arrays import Codes
from podium.core.graph import Edges, classes, growing, has_cycle, largest_first


def reach(edges: list[tuple[int, int]], n: int) -> np.ndarray:
    """Whether a way of at least one edge leads from i to j, by squaring."""
    table = np.zeros((n, n), dtype=bool)
    for i, j in edges:
        table[i, j] = True
    for _ in range(n):
        table |= (table.astype(int) @ table.astype(int)) > 0
    return table


def in_parts(edges: list[tuple[int, int]], n_parts: int) -> list[Edges]:
    tail, head = np.array(edges, dtype=np.int32).reshape(-1, 2).T
    cuts = np.array_split(np.arange(len(tail)), n_parts)
    return [(np.ascontiguousarray(tail[cut]), np.ascontiguousarray(head[cut])) for cut in cuts]


def same(a: Codes, b: np.ndarray) -> bool:
    """Whether two labels divide the nodes in the same way."""
    return bool(((a[:, None] == a) == (b[:, None] == b)).all())


@given(
    st.integers(1, 7).flatmap(
        lambda n: st.tuples(
            st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=14)
        )
    ),
    st.integers(1, 4),
)
def test_classes_and_cycles(graph: tuple[int, list[tuple[int, int]]], n_parts: int) -> None:
    n, edges = graph
    edges = [(i, j) for i, j in edges if i != j]
    weak, strong = classes(in_parts(edges, n_parts), n)
    to = reach(edges, n)
    mutual, joined = to & to.T, reach([*edges, *((j, i) for i, j in edges)], n)
    assert same(strong, np.array([row.argmax() if row.any() else n + i for i, row in enumerate(mutual)]))
    assert same(weak, np.array([row.argmax() if row.any() else n + i for i, row in enumerate(joined)]))
    size = np.bincount(weak)
    assert (size[:-1] >= size[1:]).all()
    assert has_cycle(in_parts(edges, n_parts), n) == bool(mutual.any())


def test_parts_that_are_not_needed_are_not_read() -> None:
    def parts() -> object:
        yield np.array([0, 1], np.int32), np.array([1, 0], np.int32)
        raise AssertionError("the first part is enough")

    weak, strong = classes(parts(), 2)  # type: ignore[arg-type]
    assert not weak.any()
    assert not strong.any()


@pytest.mark.parametrize("lengths", [[], [5], [0, 0, 7], [3] * 50, [0, 100, 0, 1], [1] * 7])
def test_ranges_of_rows_grow_and_leave_nothing_out(lengths: list[int]) -> None:
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    ranges = list(growing(indptr, first=8))
    assert [start for start, _ in ranges] == [0, *(end for _, end in ranges)][: len(ranges)]
    assert not ranges or ranges[-1][1] == len(lengths)
    assert len(ranges) <= 4


def test_the_largest_class_is_0() -> None:
    assert largest_first(np.array([5, 2, 2, 9, 2, 9])).tolist() == [2, 0, 0, 1, 0, 1]
