"""How well scores put rows with ordered labels, such as grades of relevance, in order."""

from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays.devices.boundary import computed_in_numpy
from podium.comparisons.arrays import Floats
from podium.comparisons.checks import check_length, check_present
from podium.comparisons.inputs import group_codes, row_weights
from podium.comparisons.messages import first_true, row_name


@computed_in_numpy
def swapped_pairs(
    y: ArrayLike, score: ArrayLike, qid: Any = None, sample_weight: ArrayLike | None = None
) -> float:
    """The share of pairs y_i > y_j that the scores put in the wrong order: equation (1) of [SwappedPairs].

    A pair with equal scores counts as swapped. With two labels and no equal scores it is 1 minus the area
    under the ROC curve. It takes O(n log n).

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        True labels; larger is better.
    score : array-like of shape (n_rows,)
        Predicted scores; larger is better.
    qid : array-like of shape (n_rows,), default=None
        Groups (queries). Pairs are formed only within a group, and the pairs of all groups are pooled.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights of the rows. The weight of a pair is the product of the weights of its rows.

    Returns
    -------
    float

    See Also
    --------
    podium.SwappedPairsSVM : all pairs of rows with ordered labels

    Examples
    --------
    >>> swapped_pairs([1, 2, 3], [0.1, 0.3, 0.2])
    0.3333333333333333
    """
    from podium.numerics.swapped.counts import OrderedItems

    labels, scores = (_checked_numbers(values, name) for values, name in ((y, "y"), (score, "score")))
    n = len(labels)
    check_length(n, scores, "score")
    items = OrderedItems.of(labels, group_codes(qid, n), row_weights(sample_weight, n))
    if not items.n_pairs > 0:
        where = "" if qid is None else " within a qid"
        raise ValueError(f"y has no two rows with different labels{where}, so there are no pairs to swap")
    swapped = items.violations(scores, margin=0.0).below
    return min(float(items.weight @ swapped) / items.n_pairs, 1.0)


@computed_in_numpy
def ndcg(
    y: ArrayLike,
    score: ArrayLike,
    qid: Any = None,
    k: int | None = None,
    *,
    gain: Literal["exponential", "linear"] = "exponential",
) -> float:
    """The normalised discounted cumulative gain: 1 for a perfect ranking, the mean over queries.

    The row at place r, counting from 1, is worth its gain divided by log2(1 + r). Rows with equal scores
    share their places. Queries in which every gain is 0 have no best order and are left out.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Grades of relevance: 0 or larger.
    score : array-like of shape (n_rows,)
        Predicted scores; larger is better.
    qid : array-like of shape (n_rows,), default=None
        The query of each row; by default all rows are one query.
    k : int, default=None
        Only the first k places count; by default all of them.
    gain : {"exponential", "linear"}, default="exponential"
        Whether a grade is worth 2^y - 1, as is usual for search, or y.

    Returns
    -------
    float

    See Also
    --------
    ndcg_scorer : the same as a scorer for grid searches
    swapped_pairs : the share of swapped pairs
    podium.SwappedPairsSVM : all pairs of rows with ordered labels

    Examples
    --------
    >>> round(ndcg([2, 0, 1], [0.9, 0.5, 0.1]), 3)
    0.964
    """
    grades, scores = (_checked_numbers(values, name) for values, name in ((y, "y"), (score, "score")))
    check_length(len(grades), scores, "score")
    check_places(k)
    worth = gains(grades, gain)
    if not worth.any():
        raise ValueError("y has no grade above 0, so every order is as good as any other")
    query = group_codes(qid, len(grades))
    values = ndcg_by_query(worth, scores, np.zeros(len(grades), np.intp) if query is None else query, k)
    return float(np.nanmean(values))


def ndcg_by_query(gain: Floats, score: Floats, query: NDArray[Any], k: int | None) -> Floats:
    """`ndcg` of each query, in the order of their codes 0, 1, ...; nan if every gain in it is 0."""
    from scipy.stats import rankdata
    from sklearn.metrics import ndcg_score

    rows = np.split(np.argsort(query, kind="stable"), np.cumsum(np.bincount(query))[:-1])
    places = rankdata(score, "dense")  # the order alone counts, so that a score may be infinite
    values = np.full(len(rows), np.nan)
    for i, own in enumerate(rows):
        if gain[own].any():
            values[i] = ndcg_score([gain[own]], [places[own]], k=k) if len(own) > 1 else 1.0
    return values


def gains(y: ArrayLike, gain: str = "exponential") -> Floats:
    """What each grade of relevance is worth; an error names the row of one that is not allowed."""
    grades = _checked_numbers(y, "y")
    if (grades < 0).any():
        raise ValueError(f"the grade at {row_name(first_true(grades < 0))} is negative; grades start at 0")
    if gain not in ("exponential", "linear"):
        raise ValueError(f"gain must be 'exponential' or 'linear', not {gain!r}")
    with np.errstate(over="ignore"):
        worth = 2.0**grades - 1 if gain == "exponential" else grades
    if (bad := np.isinf(worth)).any():
        row = first_true(bad)
        raise ValueError(
            f"the gain of grade {grades[row]:g} at {row_name(row)} is infinite; "
            "use smaller grades, or gain='linear'"
        )
    return worth


def check_places(k: int | None) -> None:
    """Raise an error unless k is a number of places, or None for all of them."""
    if k is not None and not (isinstance(k, Integral) and k >= 1):
        raise ValueError(f"k must be a whole number of at least 1, not {k!r}")


def ndcg_scorer(k: int | None = 10) -> Any:
    """A scorer of `ndcg` for the grid searches of scikit-learn.

    Parameters
    ----------
    k : int, default=10
        Only the first k places count; None counts all of them.

    Returns
    -------
    scorer
        ``set_score_request(qid=True)`` routes the queries to it. Each call makes a new scorer, so that such
        requests are not shared.

    See Also
    --------
    ndcg : the normalised discounted cumulative gain

    Examples
    --------
    >>> import numpy as np
    >>> import podium as pod
    >>> from sklearn.model_selection import GridSearchCV
    >>> X, y = np.arange(12.0).reshape(-1, 1), np.tile([0, 1, 2], 4)
    >>> search = GridSearchCV(pod.SwappedPairsSVM(), {"C": [0.1, 1.0]}, scoring=pod.metrics.ndcg_scorer(k=3))
    >>> search.fit(X, y).best_params_
    {'C': 0.1}
    """
    from sklearn.metrics import make_scorer

    check_places(k)
    return make_scorer(ndcg, k=k)


def _checked_numbers(values: ArrayLike, name: str) -> Floats:
    check_present(values, name)
    return np.asarray(values, dtype=np.float64)
