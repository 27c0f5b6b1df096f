"""What a ranking function with a threshold for ties predicts: eq. (5) of [SVMcompare]."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from podium.comparisons.arrays import Floats
from podium.comparisons.checks import check_unmasked
from podium.comparisons.features import as_features, column_names
from podium.comparisons.inputs import featured_pairs, with_outcomes
from podium.comparisons.messages import first_true, row_name
from podium.comparisons.table import Comparisons
from podium.metrics import comparison_error


class Comparer(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predictions from r(x) and ``threshold_``; a subclass says what r is (`_ranks`, `_differences`)."""

    threshold_: float
    n_features_in_: int

    def utility(self, X: Any) -> Floats:
        """r(x) of every row of X; ``kernel="precomputed"``: of rows of κ to the items of the fit.

        Only differences of r mean something: where the features are far from 0, a linear r is 0 at the centre
        of what was learned from.
        """
        check_is_fitted(self)
        check_unmasked(X=X)
        names, X = column_names(X), as_features(X, "X")
        self._check_features(X, names, "X")
        return self._ranks(X)

    def decision_function(self, pairs: Any) -> Floats:
        """r(x') - r(x): above 0 if the right side is better."""
        check_is_fitted(self)
        c = featured_pairs(pairs)
        self._check_features(c.features, c.feature_names, "the pairs")
        with np.errstate(over="ignore", invalid="ignore"):
            return finite(self._differences(c))

    def predict(self, pairs: Any) -> NDArray[np.int8]:
        """-1 the left side is better, 1 the right side; 0 where |r(x') - r(x)| ≤ ``threshold_``: eq. (5)."""
        from podium.comparers.threshold import decide

        return decide(self.decision_function(pairs), self.threshold_)

    def score(self, pairs: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The share of comparisons, by weight, that are predicted right: 1 - the zero-one loss (2)."""
        check_is_fitted(self)
        c = with_outcomes(featured_pairs(pairs), y, sample_weight, "score")
        assert c.outcome is not None
        return 1.0 - comparison_error(c.outcome, self.predict(c), c.weight)

    def _ranks(self, X: Any) -> Floats:
        """The r of rows of features."""
        raise NotImplementedError

    def _differences(self, c: Comparisons) -> Floats:
        """The r(x') - r(x) of pairs, exactly negated where their sides are swapped."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------------ features

    def _set_features(self, c: Comparisons) -> None:
        """What was learned from; the names are those of the last fit, if it had any."""
        self.n_features_in_ = int(c.features.shape[1])
        self.classes_ = np.array([-1, 0, 1], dtype=np.int8)
        self.__dict__.pop("feature_names_in_", None)
        if c.feature_names is not None:
            self.feature_names_in_ = np.array(c.feature_names, dtype=object)

    def _check_features(self, X: Any, names: Sequence[str] | None, what: str) -> None:
        """As many as were learned from, and the same ones where their names are known."""
        if X.shape[1] != self.n_features_in_:
            verb = "has" if what == "X" else "have"
            raise ValueError(
                f"{what} {verb} {X.shape[1]:,} features where {self.n_features_in_:,} were learned from"
            )
        learned = getattr(self, "feature_names_in_", None)
        if names is None or learned is None:
            return
        for k, (name, known) in enumerate(zip(names, learned, strict=True)):
            if name != known:
                raise ValueError(
                    f"feature {k + 1:,} of {what} is '{name}' where '{known}' was learned from; bring them "
                    "into the order of feature_names_in_"
                )


def finite(differences: Floats) -> Floats:
    if (bad := ~np.isfinite(differences)).any():
        raise ValueError(
            f"r(x') - r(x) overflows at {row_name(first_true(bad))}; scale the features, and fit again"
        )
    return differences
