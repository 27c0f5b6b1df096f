"""Parts of a file to learn from and parts to test on: earlier and later, folds, or one part at random."""

from collections.abc import Iterator
from typing import Any

from podium.cli.options.registry import Data, Model
from podium.options import Reading

SEED = 0
BLOCKS = 5  # of --rolling
HELD_OUT = 1 / 3  # to tune on


def make_splits(
    data: Any, reading: Reading, folds: int | None, test_share: float
) -> tuple[str, int, Iterator[tuple[Any, Any]]]:
    """What is done, in words; the number of splits; and the parts to learn from and to test on."""
    import numpy as np

    if reading.time is not None and folds is not None:
        raise ValueError(
            "--time tests on later rows and --folds on parts of all; give one of them, or --rolling"
        )
    if reading.time is not None:
        from podium.reading.selection import shown_time

        _check_timed(data)
        if not 0 < test_share < 1:
            raise ValueError(f"--test-share is between 0 and 1, not {test_share:g}")
        order = np.argsort(data.time, kind="stable")
        time = data.time[order]
        first = int(np.searchsorted(time, time[-max(1, round(test_share * len(data)))]))
        if not first:
            raise ValueError("all rows have one time, or --test-share leaves none to learn from")
        how = f"tested on the {len(data) - first:,} rows from {shown_time(time[first])} on"
        return how, 1, iter([(data[order[:first]], data[order[first:]])])
    from sklearn.model_selection import GroupKFold, KFold

    group = data.group if hasattr(data, "group") else data.query
    count = folds or 5
    rows = len(data) if group is None else len(np.unique(group))
    if rows < count:
        raise ValueError(f"{count} folds need more than {rows:,} {'rows' if group is None else 'groups'}")
    kind = KFold if group is None else GroupKFold
    parts = kind(count, shuffle=True, random_state=SEED).split(np.zeros(len(data)), None, group)
    how = f"{count} folds{'' if group is None else ' of groups'}"
    return how, count, ((data[train], data[test]) for train, test in parts)


def make_walk(data: Any, reading: Reading, folds: int | None) -> tuple[str, int, int]:
    """What --rolling does, in words; the number of rows before the test; and the number of blocks."""
    from podium.numerics.time_blocks import time_blocks
    from podium.reading.selection import shown_time

    if reading.time is None and getattr(data, "time", None) is None:
        raise ValueError("--rolling needs to know the order of the rows; name their time with --time")
    _check_timed(data)
    count = folds or BLOCKS
    first = len(data) // (count + 1)
    blocks = time_blocks(data.time, len(data), count, first)
    if not blocks:
        raise ValueError("all rows have the same time, so nothing came earlier to learn from")
    day = shown_time(data.time[blocks[0][1]].min())
    tested = sum(len(block) for _, block in blocks)
    how = (
        f"tested on {tested:,} rows from {day} on, in {len(blocks)} blocks of time, each after learning from "
        "all rows before it"
    )
    return how, first, count


def _check_timed(data: Any) -> None:
    if not hasattr(data, "time"):
        raise ValueError("--time is for comparisons; labelled rows are tested in --folds")


def known_rows(models: list[Model], train: Any, test: Any) -> Any:
    """All models are tested on the same rows: those whose items the training rows have, if that matters."""
    if all(one.data is not Data.items for one in models):
        return test
    return test[test.between(train.appears)]


def split(data: Any) -> tuple[Any, Any]:
    """Two parts at random; rows of a group or query stay together."""
    import numpy as np
    from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit

    is_rows = not hasattr(data, "group")
    group, noun = (data.query, "rows") if is_rows else (data.group, "comparisons")
    if len(data) < 6 or (group is not None and len(np.unique(group)) < 3):
        several = "queries" if is_rows else "groups"
        raise ValueError(f"--tune needs more than {len(data):,} {noun}, or more {several}, to hold some out")
    kind = ShuffleSplit if group is None else GroupShuffleSplit
    [(train, held)] = kind(1, test_size=HELD_OUT, random_state=SEED).split(np.zeros(len(data)), None, group)
    return data[train], data[held]
