"""HerbrichSVM: a ranking machine on some pairs of items with ordered labels, the rival in [SwappedPairs].

A row of weight 2 is the same as the row twice. So equal rows (features, label and query) become one row with
the sum m of their weights, and the draw depends on what rows contain, not on their order or number.

If each of the m_g copies of a row g drew k of the N_g copies of rows with another label, the pair of g and h
would be drawn

    m_g m_h min(k, N_g) / N_g

times on average. Here g draws min(k, D_g) of the D_g distinct rows with another label, so h with probability
min(k, D_g) / D_g. The weight of the pair is the average divided by this probability. Without equal rows and
weights every pair weighs 1; with all partners it weighs m_g m_h.
"""

from dataclasses import KW_ONLY, dataclass, fields, replace
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array

from podium.arrays.devices.boundary import in_numpy
from podium.comparisons.arrays import Floats, Positions, bounds
from podium.comparisons.features import as_features, distinct_rows, is_sparse
from podium.comparisons.random_states import legacy_generator
from podium.comparisons.table import Comparisons
from podium.numerics.all_or_nothing import all_or_nothing
from podium.numerics.kernels.kernel import KernelParameters
from podium.numerics.parameters import check_positive, check_stopping
from podium.ordered.labelled_items import LabelledItems, LabelRanker, labelled_items


@dataclass(eq=False, repr=False)
class HerbrichSVM(LabelRanker):
    """Herbrich's ranking machine: a support vector machine on differences of items with different labels.

        minimise over w   ½‖w‖² + C Σ max(0, 1 - w·(x_i - x_j))   over pairs y_i > y_j,

    eq. (3) of [SwappedPairs]. Use it as the paper does, to see what is lost by taking only some pairs;
    `SwappedPairsSVM` takes all of them in less time. It fits `LinearCompare` (linear kernel) or `SVMRank` to
    the pairs.

    Each item is paired with ``partners`` random items of a different label. With all of them, w is twice
    that of `SwappedPairsSVM` with a C that is N/400 times as large, and the pairs take O(n²).

    A row of weight 2 is the same as the row twice: equal rows draw their partners once, and a pair has the
    weight it would have on average if each of them drew (``podium.ordered.herbrich``). The order of the rows
    does not change who is drawn.

    Parameters
    ----------
    partners : int or None, default=5
        How many items of a different label each item is paired with; None for all.
    kernel : {"linear", "poly", "rbf", "precomputed"} or callable, default="linear"
        The kernel between two rows, as in `SVMCompare`.
    C : float, default=1.0
        The cost of a unit of slack; ``np.inf`` is a hard margin, for kernels other than linear.
    gamma : {"scale", "auto"} or float, default="scale"
        The γ of "poly" and "rbf", as in `SVMCompare`.
    degree : int, default=3
        The degree of "poly".
    coef0 : float, default=0.0
        The constant term of "poly".
    tol : float, default=1e-3
        The relative duality gap at which the solver stops.
    max_iter : int, default=10000
        The maximum number of iterations of the solver.
    random_state : int, RandomState, Generator or None, default=None
        Draws the partners.

    Attributes
    ----------
    ranker_ : LinearCompare or SVMRank
        The machine, fitted to the pairs of distinct rows.
    coef_ : array of shape (n_features,)
        Linear kernel only: w.
    support_ : array of int
        Other kernels: the rows of X with a coefficient in h(x) = Σ_j item_coef_j κ(x_j, x).
    support_vectors_ : array of shape (n_support, n_features)
        Other kernels: these rows; not with a precomputed kernel.
    item_coef_ : array of shape (n_support,)
        Other kernels: their coefficients.
    n_pairs_ : int
        The number of pairs.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : array of str
        Their names, if X had any.
    n_iter_ : int
        Iterations of the solver, at least 1.
    result_ : SolverResult
        The end of the solver's run, with ``objective`` and duality ``gap``.

    See Also
    --------
    SwappedPairsSVM : all pairs of rows with ordered labels
    SVMRank : pairs with features, without ties
    LinearCompare : a linear function for very many pairs

    Examples
    --------
    >>> model = HerbrichSVM(partners=1, tol=1e-6, random_state=0).fit([[1.0], [2.0], [3.0]], [0, 0, 1])
    >>> model.coef_.round(2), model.n_pairs_
    (array([1.]), 3)
    """

    partners: int | None = 5
    _: KW_ONLY
    tol: float = 1e-3
    max_iter: int = 10_000
    random_state: Any = None

    def fit(self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows with ordered labels.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Features, or the square kernel matrix with ``kernel="precomputed"``.
        y : array of shape (n,)
            Labels: numbers, or an ordered categorical of pandas. A higher label is better.
        qid : array of shape (n,), optional
            The query or person of each row: pairs are formed only within one. By default all rows are one.
        sample_weight : array of shape (n,), optional
            A row of weight 2 is the same as the row twice; a row of weight 0 is left out.

        Returns
        -------
        self
        """
        check_positive("C", self.C, finite=False)
        check_stopping(self.tol, self.max_iter)
        rng = legacy_generator(self.random_state)
        with all_or_nothing(self):
            data = labelled_items(self, in_numpy(X, "HerbrichSVM"), y, qid, sample_weight)
            data = distinct_items(data, self.kernel == "precomputed")
            pairs = Comparisons.from_labels(data.X, data.y, data.group, self.partners, rng)
            if not len(pairs):
                where = "" if data.group is None else " within a qid"
                raise ValueError(f"y has no two rows with different labels{where}; there is nothing to rank")
            pairs = replace(pairs, weight=pair_weights(data, pairs, self.partners))
            self.ranker_ = self._ranker(rng).fit(pairs)
            self._row, self.n_pairs_, self.result_ = data.row, len(pairs), self.ranker_.result_
            self.n_iter_ = max(self.result_.iterations, 1)
            for name in ("coef_", "support_", "support_vectors_", "item_coef_"):
                self.__dict__.pop(name, None)
                if hasattr(self.ranker_, name):
                    setattr(self, name, getattr(self.ranker_, name))
            if self.kernel != "linear":
                self.support_ = data.row[self.ranker_.support_]
        return self

    def _ranker(self, rng: np.random.RandomState) -> Any:
        if self.kernel == "linear":
            from podium.comparers.linear_compare import LinearCompare

            seed = int(rng.randint(2**31 - 1))  # the ranker is kept, so it must not share the generator
            return LinearCompare("hinge", C=self.C, tol=self.tol, max_iter=self.max_iter, random_state=seed)
        from podium.comparers.svm_rank import SVMRank

        shared = {field.name: getattr(self, field.name) for field in fields(KernelParameters)}
        return SVMRank(**shared, tol=self.tol, max_iter=self.max_iter)

    def _scores(self, X: Any) -> Any:
        return self.ranker_.utility(X[:, self._row] if self.kernel == "precomputed" else X)


# ------------------------------------------------------------------------------------ weights


def distinct_items(data: LabelledItems, precomputed: bool) -> LabelledItems:
    """Equal rows merged, sorted by query, label and features."""
    X = as_features(data.X, "X")
    kind = kinds_of_rows(X)
    group = np.zeros(len(kind), dtype=np.int32) if data.group is None else data.group
    order = np.lexsort((kind, data.y, group))
    changes = [np.diff(key[order]) != 0 for key in (kind, data.y, group)]
    starts = np.flatnonzero(np.append(True, np.any(changes, axis=0)))
    row = order[starts]
    return LabelledItems(
        X[row][:, row] if precomputed else X[row],
        data.y[row],
        None if data.group is None else group[row],
        np.add.reduceat(data.weight[order], starts),
        data.row[row],
    )


def kinds_of_rows(X: Any) -> Positions:
    """The rank of each row in the lexicographic order of its features; the same for dense and sparse.

    Columns are read only until they distinguish all rows.

    >>> X = np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 0.0], [0.0, -1.0], [2.0, -0.0]])
    >>> kinds_of_rows(X), kinds_of_rows(csr_array(X))
    (array([2, 3, 1, 0, 3]), array([2, 3, 1, 0, 3]))
    """
    X = csr_array((X.data + 0.0, X.indices, X.indptr), X.shape) if is_sparse(X) else X + 0.0  # no -0.0
    first, kind = distinct_rows(X)
    columns = X[first].tocsc() if is_sparse(X) else X[first]
    rank = np.zeros(len(first), dtype=np.intp)
    for j in range(X.shape[1]):
        if rank.max(initial=0) + 1 == len(first):
            break
        values = columns[:, [j]].toarray().ravel() if is_sparse(X) else columns[:, j]
        _, level = np.unique(values, return_inverse=True)
        rank = np.unique(rank * (level.max() + 1) + level, return_inverse=True)[1]
    return np.asarray(rank[kind])


def pair_weights(data: LabelledItems, pairs: Comparisons, partners: int | None) -> Floats:
    """The weights of pairs whose left row drew the right one; rows are in the order of `distinct_items`."""
    m, left, right = data.weight, pairs.left, pairs.right
    if partners is None:
        return np.asarray(m[left] * m[right])
    group = np.zeros(len(m), dtype=np.int32) if data.group is None else data.group
    new_query = np.diff(group, prepend=-1) != 0
    query_start, query_end = bounds(new_query)
    start, end = bounds(new_query | (np.diff(data.y, prepend=np.nan) != 0))  # rows with the same label
    n_distinct = (query_end - end) + (start - query_start)
    total = np.append(0.0, np.cumsum(m))
    n = (total[query_end] - total[end]) + (total[start] - total[query_start])
    n = np.maximum(n, m.min())  # rounding may make it 0 next to a huge weight
    with np.errstate(divide="ignore"):
        likely = np.minimum(1.0, partners / n_distinct)
    return np.asarray(m[left] * (m[right] / n[left]) * (np.minimum(partners, n) / likely)[left])
