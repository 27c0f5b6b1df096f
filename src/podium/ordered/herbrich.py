"""HerbrichSVM: a ranking machine on some pairs of items with ordered labels, the rival in [SwappedPairs]."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from podium.comparisons.arrays import Floats
from podium.comparisons.table import Comparisons
from podium.metrics import swapped_pairs
from podium.numerics.all_or_nothing import all_or_nothing
from podium.numerics.kernels.kernel import KernelName
from podium.numerics.parameters import check_positive, check_stopping
from podium.ordered.labelled_items import checked_features, labelled_items
from podium.ordered.partners import distinct_items, pair_weights
from podium.ordered.targets import numbered_categories


class HerbrichSVM(BaseEstimator):  # type: ignore[misc]
    """Herbrich's ranking machine: a support vector machine on differences of items with different labels.

        minimise over w   ½‖w‖² + C Σ max(0, 1 - w·(x_i - x_j))   over pairs y_i > y_j,

    eq. (3) of [SwappedPairs]. Every item is paired with ``partners`` others of a different label, at random
    (``random_state``), or with all of them if it is None: then w is twice that of `SwappedPairsSVM` with a C
    that is N/400 times as large, and the pairs take O(n²). Use it as the paper does, to see what some
    pairs give up; `SwappedPairsSVM` takes all of them in less time.

    A row of weight 2 is the same as the row twice: equal rows draw their partners once, and a pair weighs
    what it would on average if each of them drew (`podium.ordered.partners`). Who is drawn does not depend
    on the order of the rows.

    It is `LinearCompare` (linear kernel) or `SVMRank` on these pairs; parameters are theirs.

    Fitted attributes: ``ranker_`` (that machine), ``coef_`` (linear kernel), ``n_pairs_``, ``n_iter_``,
    ``n_features_in_`` and ``result_``.

    >>> model = HerbrichSVM(partners=1, tol=1e-6, random_state=0).fit([[1.0], [2.0], [3.0]], [0, 0, 1])
    >>> model.coef_.round(2), model.n_pairs_
    (array([1.]), 3)
    """

    def __init__(
        self,
        partners: int | None = 5,
        kernel: KernelName | Callable[..., Any] = "linear",
        C: float = 1.0,
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-3,
        max_iter: int = 10_000,
        random_state: Any = None,
    ) -> None:
        self.partners = partners
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows of X with labels y, of which a higher one is better.

        Pairs are formed only within a ``qid``. A row of weight 2 is the same as the row twice.
        """
        check_positive("C", self.C, finite=False)
        check_stopping(self.tol, self.max_iter)
        rng = check_random_state(self.random_state)
        with all_or_nothing(self):
            data = labelled_items(self, X, y, qid, sample_weight)
            data = distinct_items(data, self.kernel == "precomputed")
            pairs = Comparisons.from_labels(data.X, data.y, data.group, self.partners, rng)
            if not len(pairs):
                where = "" if data.group is None else " within a qid"
                raise ValueError(f"y has no two rows with different labels{where}; there is nothing to rank")
            pairs = replace(pairs, weight=pair_weights(data, pairs, self.partners))
            self.ranker_ = self._ranker(rng).fit(pairs)
            self._row, self.n_pairs_, self.result_ = data.row, len(pairs), self.ranker_.result_
            self.n_iter_ = max(self.result_.iterations, 1)
            self.__dict__.pop("coef_", None)
            if self.kernel == "linear":
                self.coef_ = self.ranker_.coef_
        return self

    def _ranker(self, rng: np.random.RandomState) -> Any:
        if self.kernel == "linear":
            from podium.comparers.linear_compare import LinearCompare

            seed = int(rng.randint(2**31 - 1))  # a ranker that is kept must not share the generator
            return LinearCompare("hinge", self.C, tol=self.tol, max_iter=self.max_iter, random_state=seed)
        from podium.comparers.svm_rank import SVMRank

        return SVMRank(
            self.kernel, self.C, self.gamma, self.degree, self.coef0, tol=self.tol, max_iter=self.max_iter
        )

    def decision_function(self, X: Any) -> Floats:
        """h(x) of every row, eq. (2); with ``"precomputed"`` X has κ to all rows of the fit."""
        check_is_fitted(self)
        X = checked_features(self, X)
        return np.asarray(self.ranker_.utility(X[:, self._row] if self.kernel == "precomputed" else X))

    def predict(self, X: Any) -> Floats:
        """The ranking score h(x) of every row: the higher, the better."""
        return self.decision_function(X)

    def score(self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None) -> float:
        """1 - the share of swapped pairs, eq. (1)."""
        return 1.0 - swapped_pairs(numbered_categories(y), self.predict(X), qid, sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
