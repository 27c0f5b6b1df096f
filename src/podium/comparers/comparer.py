"""Predictions of a ranking function with a threshold for ties: eq. (5) of [SVMcompare]."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from podium.arrays.devices.boundary import on_device, to_device_of, to_floats, to_numpy
from podium.arrays.devices.features import linear_scores
from podium.arrays.partitions.rounds import by_blocks, is_dask
from podium.comparers.scaling import Scaling
from podium.comparisons.arrays import Floats
from podium.comparisons.checks import check_unmasked
from podium.comparisons.features import as_features, column_names, rows_at
from podium.comparisons.inputs import featured_pairs, with_outcomes
from podium.comparisons.messages import first_true, row_name
from podium.comparisons.table import Comparisons
from podium.metrics import comparison_error
from podium.numerics.centre import subtracted
from podium.numerics.estimators import BaseEstimator, ClassifierMixin


class Comparer(ClassifierMixin, BaseEstimator):
    """Predictions from r(x) and ``threshold_``; a subclass says what r is (`_ranks`, `_differences`)."""

    threshold_: float
    n_features_in_: int
    coef_: Floats

    def utility(self, X: Any) -> Any:
        """The ranking function r(x) of every row: the higher, the better.

        Only differences of r have a meaning. A linear r is 0 at the centre of the training items if their
        features are far from 0.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n, p)
            Features; with ``kernel="precomputed"`` the kernel between these rows and the items of the fit.
            If they are on a device, so is the result.

        Returns
        -------
        array of shape (n,)
        """
        check_is_fitted(self)
        check_unmasked(X=X)
        names, X = column_names(X), as_features(X, "X")
        self._check_features(X, names, "X")
        return given_back(self._ranks(self._standardised(X)), X)

    def decision_function(self, c: Any) -> Any:
        """The difference r(right) - r(left) of every comparison: above 0 if the right side is better.

        Parameters
        ----------
        c : Comparisons with features, or an array of shape (n, 2, p)
            The left and the right side of each comparison.

        Returns
        -------
        array of shape (n,)
        """
        check_is_fitted(self)
        if is_dask(c):
            return by_blocks(self.decision_function, c, np.float64)
        c = featured_pairs(c)
        self._check_features(c.features, c.feature_names, "the pairs")
        with np.errstate(over="ignore", invalid="ignore"):
            differences = self._differences(replace(c, features=self._standardised(c.features)))
            return given_back(finite(differences), c.features)

    def predict(self, c: Any) -> Any:
        """The outcome of every comparison: -1 left is better, 0 no difference, 1 right is better.

        The outcome is 0 if ``|r(right) - r(left)|`` ≤ ``threshold_``, eq. (5) of [SVMcompare].

        Parameters
        ----------
        c : Comparisons with features, or an array of shape (n, 2, p)
            The left and the right side of each comparison.

        Returns
        -------
        array of shape (n,)
        """
        from podium.comparers.threshold import decide

        if is_dask(c):
            return by_blocks(self.predict, c, np.int8)
        return decide(self.decision_function(c), self.threshold_)

    def score(self, c: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The weighted share of comparisons that are predicted correctly.

        Parameters
        ----------
        c : Comparisons with features, or an array of shape (n, 2, p)
            The left and the right side of each comparison.
        y : array of shape (n,), optional
            Outcomes -1, 0 and 1; by default ``c.outcome``.
        sample_weight : array of shape (n,), optional
            Multiplies the weights of ``c``.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        c = with_outcomes(featured_pairs(c), y, sample_weight, "score")
        assert c.outcome is not None
        return 1.0 - comparison_error(c.outcome, to_numpy(self.predict(c)), c.mass)

    def _ranks(self, X: Any) -> Any:
        """The value of r for every row; the features are already standardised."""
        raise NotImplementedError

    def _differences(self, c: Comparisons) -> Any:
        """The difference r(right) - r(left) of every pair; swapping the sides flips its sign exactly."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------------ features

    def _standardised(self, X: Any) -> Any:
        """Features as `_ranks` takes them."""
        return X if self._scaling is None else self._scaling.table(X)

    @property
    def _scaling(self) -> Scaling | None:
        """The standardisation of the features, or None."""
        scale = getattr(self, "feature_scale_", None)
        return None if scale is None else Scaling(to_floats(self.feature_mean_), to_floats(scale))

    @property
    def _coef(self) -> Floats:
        """``coef_`` for standardised features."""
        coef = to_floats(self.coef_)
        return coef if self._scaling is None else coef * self._scaling.scale

    def _set_features(self, c: Comparisons, scaling: Scaling | None = None) -> None:
        """Set the attributes that describe the features, and delete those of an earlier fit."""
        self.n_features_in_ = int(c.features.shape[1])
        self.classes_ = np.array([-1, 0, 1], dtype=np.int8)
        for name in ("feature_names_in_", "feature_mean_", "feature_scale_"):
            self.__dict__.pop(name, None)
        if c.feature_names is not None:
            self.feature_names_in_ = np.array(c.feature_names, dtype=object)
        if scaling is not None:
            self.feature_mean_, self.feature_scale_ = (to_device_of(values, c.features) for values in scaling)

    def _check_features(self, X: Any, names: Sequence[str] | None, what: str) -> None:
        """Raise an error unless number and, if known, names of the features are the same as in `fit`."""
        if X.shape[1] != self.n_features_in_:
            verb = "has" if what == "X" else "have"
            raise ValueError(
                f"{what} {verb} {X.shape[1]:,} features, but the model was fitted to {self.n_features_in_:,}"
            )
        learned = getattr(self, "feature_names_in_", None)
        if names is None or learned is None:
            return
        for k, (name, known) in enumerate(zip(names, learned, strict=True)):
            if name != known:
                raise ValueError(
                    f"feature {k + 1:,} of {what} is '{name}', but it was '{known}' in fit; put the features "
                    "in the order of feature_names_in_"
                )


class LinearRanking(Comparer):
    """A linear r(x) = coef_·x, for many items and many pairs.

    Only differences of r matter. If the training features are far from 0, r is shifted to 0 at their centre,
    since a large offset would use up the digits of coef_·x.
    """

    _centre: Floats | None = None

    def _ranks(self, X: Any) -> Any:
        return linear_scores(subtracted(X, self._centre), self._coef)

    def _differences(self, c: Comparisons) -> Any:
        return linear_differences(c, self._coef, self._centre)


@np.errstate(over="ignore", invalid="ignore")
def linear_differences(c: Comparisons, coef: Any, centre: Floats | None) -> Any:
    """r(x') - r(x) of every comparison, where the features are."""
    X, sides = c.features, [c.left, c.right]
    if 2 * len(c) < c.n_items:  # a few comparisons of many items
        used, place = np.unique(np.concatenate(sides), return_inverse=True)
        X, sides = rows_at(X, used), np.split(place, 2)
    r = linear_scores(subtracted(X, centre), coef)
    left, right = (rows_at(r, side) for side in sides)
    return right - left


def finite(differences: Any) -> Any:
    if (bad := ~np.isfinite(to_numpy(differences))).any():
        raise ValueError(
            f"r(x') - r(x) overflows at {row_name(first_true(bad))}; scale the features, and fit again"
        )
    return differences


def given_back(values: Any, X: Any) -> Any:
    """Values where X is, if X is on a device."""
    return to_device_of(values, X) if on_device(X) and not on_device(values) else values
