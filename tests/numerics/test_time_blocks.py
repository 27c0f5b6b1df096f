import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from podium.numerics.time_blocks import time_blocks


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(1, 8))
def test_blocks_come_strictly_after_what_is_learned_from(time: list[int], blocks: int) -> None:
    moments = np.array(time)
    found = time_blocks(moments, len(time), blocks)
    assert len(found) <= blocks
    assert bool(found) == (len(set(time)) > 1)
    for earlier, block in found:
        assert moments[earlier].max() < moments[block].min()
        assert set(earlier) == set(np.flatnonzero(moments < moments[block].min()))
    if found:
        tested = np.concatenate([block for _, block in found])
        assert sorted(tested) == sorted(set(range(len(time))) - set(found[0][0]))


def test_without_time_rows_follow_each_other() -> None:
    assert [len(block) for _, block in time_blocks(None, 12, 3)] == [3, 3, 3]


@given(st.lists(st.integers(0, 9), min_size=2, max_size=40), st.integers(1, 8), st.data())
def test_the_first_block_begins_at_a_given_row(time: list[int], blocks: int, data: st.DataObject) -> None:
    """However many blocks there are, they have the same rows."""
    moments, first = np.array(time), data.draw(st.integers(1, len(time) - 1))
    found, whole = (time_blocks(moments, len(time), count, first) for count in (blocks, 1))
    assert len(found) <= blocks
    start = np.sort(moments)[first]
    if start > moments.min():
        [(earlier, later)] = whole
        assert set(earlier) == set(np.flatnonzero(moments < start))
        assert set(later) == {row for _, block in found for row in block}
