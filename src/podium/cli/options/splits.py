"""Parts of a file to learn from and parts to test on: earlier and later, or folds."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from podium.cli.options.reading import Reading
from podium.cli.options.registry import Data, Model

SEED = 0


def make_splits(
    data: Any, reading: Reading, folds: int | None, test_share: float
) -> tuple[str, Iterator[tuple[Any, Any]]]:
    """What is done, and the parts to learn from and to test on."""
    if reading.time is not None and folds is not None:
        raise ValueError("--time tests on later rows and --folds on parts of all; give one of them")
    if reading.time is not None:
        if not hasattr(data, "time"):
            raise ValueError("--time is for comparisons; labelled rows are tested in --folds")
        if not 0 < test_share < 1:
            raise ValueError(f"--test-share is between 0 and 1, not {test_share:g}")
        order = np.argsort(data.time, kind="stable")
        time = data.time[order]
        first = int(np.searchsorted(time, time[-max(1, round(test_share * len(data)))]))
        if not first:
            raise ValueError("all rows have one time, or --test-share leaves none to learn from")
        since = str(time[first]).removesuffix("T00:00:00")
        how = f"tested on the {len(data) - first:,} rows from {since} on"
        return how, iter([(data[order[:first]], data[order[first:]])])
    from sklearn.model_selection import GroupKFold, KFold

    group = data.group if hasattr(data, "group") else data.query
    count = folds or 5
    rows = len(data) if group is None else len(np.unique(group))
    if rows < count:
        raise ValueError(f"{count} folds need more than {rows:,} {'rows' if group is None else 'groups'}")
    kind = KFold if group is None else GroupKFold
    parts = kind(count, shuffle=True, random_state=SEED).split(np.zeros(len(data)), None, group)
    how = f"{count} folds{'' if group is None else ' of groups'}"
    return how, ((data[train], data[test]) for train, test in parts)


def known_rows(models: list[Model], train: Any, test: Any) -> Any:
    """All models are tested on the same rows: those whose items the training rows have, if that matters."""
    if all(one.data is not Data.items for one in models):
        return test
    known = test.between(train.appears)
    if not known.any():
        raise ValueError("no row to test on has only items that were learned from; use fewer folds")
    return test[known]
