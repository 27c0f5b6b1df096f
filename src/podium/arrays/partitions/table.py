"""PartitionedComparisons: comparisons with features on the workers of Dask, and how models take them."""

from functools import partial
from typing import Any, Self

import numpy as np

from podium.arrays.partitions.rounds import Partitions, is_dask, mapped
from podium.comparisons.inputs import featured_pairs, with_outcomes
from podium.comparisons.messages import listed
from podium.comparisons.table import Comparisons
from podium.options import OutcomeFormat

LEFT, RIGHT = "left_", "right_"


class PartitionedComparisons:
    """Comparisons with features, in partitions on the workers of Dask.

    `LinearCompare.fit` and `OnlineSVMRank.partial_fit` learn from them. Make them with `from_features` or
    `from_frame`. Like other collections of Dask, they are lazy: the workers read the rows when a model is
    fitted, and keep them only until it is. Each partition is then a `Comparisons` object on one worker.
    Without a cluster, this process reads all of them.

    Attributes
    ----------
    partitions : Partitions
        A `Comparisons` object for each partition, or None for a partition without rows.

    See Also
    --------
    Comparisons : a table of comparisons
    read_chunks : read comparisons in order of time, chunk by chunk
    LinearCompare : a linear function for very many pairs

    Examples
    --------
    >>> import dask.array as da
    >>> left = da.from_array([[0.0], [1.0], [3.0]], chunks=2)
    >>> right = da.from_array([[1.0], [2.0], [1.0]], chunks=2)
    >>> c = PartitionedComparisons.from_features(left, right, da.from_array([1, 1, -1], chunks=2))
    >>> c
    <PartitionedComparisons: 2 partitions>
    """

    def __init__(self, partitions: Partitions) -> None:
        self.partitions = partitions

    @classmethod
    def from_features(
        cls,
        X_left: Any,
        X_right: Any,
        outcome: Any,
        weight: Any = None,
        *,
        outcome_format: OutcomeFormat = "sign",
    ) -> Self:
        """Make partitions from the features of the two sides.

        Parameters
        ----------
        X_left, X_right
            Dask arrays or frames of shape (n, n_features), cut into the same partitions of rows.
        outcome, weight
            Dask arrays or series of shape (n,), cut in the same way; see `Comparisons.from_arrays`.
        outcome_format
            How the outcomes are spelled, see `Comparisons.from_arrays`.

        Returns
        -------
        PartitionedComparisons
        """
        made = partial(_from_features, outcome_format)
        return cls(mapped(made, X_left=X_left, X_right=X_right, outcome=outcome, weight=weight))

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        outcome: str = "outcome",
        weight: str | None = None,
        outcome_format: OutcomeFormat = "sign",
    ) -> Self:
        """Make partitions from a Dask frame with a column ``left_…`` and a column ``right_…`` per feature.

        Parameters
        ----------
        frame
            A Dask frame. Other columns than these and those named below are ignored.
        outcome, weight
            The names of these columns.
        outcome_format
            How the outcomes are spelled, see `Comparisons.from_arrays`.

        Returns
        -------
        PartitionedComparisons
        """
        if not is_dask(frame) or not hasattr(frame, "columns"):
            raise ValueError(f"a Dask frame is expected, not {type(frame).__name__}")
        features = _feature_names([str(name) for name in frame.columns], outcome, weight)
        used = [side + name for side in (LEFT, RIGHT) for name in features]
        used += [name for name in (outcome, weight) if name]
        made = partial(_from_frame, outcome_format, features, outcome, weight)
        return cls(mapped(made, frame=frame[used]))

    def __len__(self) -> int:
        """The number of partitions; the number of rows is known only to the workers."""
        return len(self.partitions)

    def __repr__(self) -> str:
        return f"<PartitionedComparisons: {len(self):,} partition{'s' * (len(self) != 1)}>"


def _from_features(
    outcome_format: OutcomeFormat, X_left: Any, X_right: Any, outcome: Any, weight: Any = None
) -> Comparisons | None:
    """The comparisons of one partition, made on its worker."""
    if not len(X_left) and not len(outcome):
        return None
    return Comparisons.from_features(X_left, X_right, outcome, weight, outcome_format=outcome_format)


def _from_frame(
    outcome_format: OutcomeFormat, features: list[str], outcome: str, weight: str | None, frame: Any
) -> Comparisons | None:
    """The same for a partition of a frame."""
    left, right = (
        frame[[side + name for name in features]].set_axis(features, axis=1) for side in (LEFT, RIGHT)
    )
    weights = None if weight is None else frame[weight]
    return _from_features(outcome_format, left, right, frame[outcome], weights)


def _feature_names(header: list[str], outcome: str, weight: str | None) -> list[str]:
    """The features that both sides have.

    >>> _feature_names(["left_age", "right_age", "outcome"], "outcome", None)
    ['age']
    """
    for name in (outcome, weight):
        if name is not None and name not in header:
            raise ValueError(f"there is no column '{name}'; the columns are {listed(header)}")
    rest = [name for name in header if name not in (outcome, weight)]
    features = [name.removeprefix(LEFT) for name in rest if name.startswith(LEFT)]
    others = {name.removeprefix(RIGHT) for name in rest if name.startswith(RIGHT)}
    if alone := sorted(others.symmetric_difference(features)):
        raise ValueError(
            f"the feature '{alone[0]}' needs two columns, 'left_{alone[0]}' and 'right_{alone[0]}'"
        )
    if not features:
        raise ValueError("there are no features; they are columns 'left_…' and 'right_…' of the same name")
    return features


# ------------------------------------------------------------------------------------ what a model is given


def in_partitions(c: Any) -> bool:
    return isinstance(c, PartitionedComparisons) or is_dask(c)


def comparisons_in_partitions(c: Any, y: Any, sample_weight: Any) -> Partitions:
    """Comparisons with features and outcomes, or None, in every partition."""
    if not isinstance(c, PartitionedComparisons):
        if getattr(c, "ndim", None) != 3 or c.shape[1] != 2:
            raise ValueError(
                f"c is PartitionedComparisons or an array of shape (n, 2, p), not {_form(c)}; "
                "podium.PartitionedComparisons.from_frame takes frames"
            )
        if y is None:
            raise ValueError("these comparisons have no outcome to learn from; give it as y")
        return mapped(_comparisons, c=c, y=y, sample_weight=sample_weight)
    if y is not None or sample_weight is not None:
        raise ValueError(
            "PartitionedComparisons hold their outcomes and weights; leave out y and sample_weight"
        )
    return c.partitions


def _form(c: Any) -> str:
    return f"of shape {c.shape}" if hasattr(c, "chunks") else f"a {type(c).__name__}"


def _comparisons(c: Any, y: Any, sample_weight: Any = None) -> Comparisons | None:
    if (not len(c) and not len(y)) or (sample_weight is not None and not np.any(sample_weight)):
        return None
    return with_outcomes(featured_pairs(c), y, sample_weight)
