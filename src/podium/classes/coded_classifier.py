"""CodedClassifier: many classes, with probabilities, from any binary classifier and any code."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import check_cv
from sklearn.utils import Bunch, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, indexable

from podium.arrays.devices.boundary import from_device, in_numpy, to_device_of, validate_in_numpy
from podium.classes.codes import CodeName, make_code
from podium.classes.coupling.couple import Method, checked_code, couple, most_probable
from podium.comparisons.arrays import Floats
from podium.comparisons.checks import check_present, check_unmasked
from podium.comparisons.inputs import row_weights
from podium.comparisons.messages import quoted
from podium.numerics.all_or_nothing import all_or_nothing
from podium.numerics.estimators import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from podium.numerics.tasks import run_tasks


@dataclass(eq=False, repr=False)
class CodedClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier of many classes, with probabilities, from any binary classifier and any code.

    Each problem of the code sets some classes against some others and leaves the rest out. A binary
    classifier is fitted to each problem, and the generalized Bradley–Terry model turns their probabilities
    into probabilities of the classes, whatever the code [GeneralizedBT, §5].

    Use one-vs-rest first: it is the cheapest, and its log loss is seldom far from the best. Sparse codes are
    slower to train and sometimes better. A dense code never sets a single class against others, so a class
    may get almost no probability, which log loss punishes. With two classes there is one problem, and the
    probabilities of the estimator are not changed.

    Parameters
    ----------
    estimator : classifier of scikit-learn
        The binary classifier. If it has no ``predict_proba``, a sigmoid is fitted to its held-out decisions
        (`sklearn.calibration.CalibratedClassifierCV`).
    code : {"one-vs-rest", "one-vs-one", "dense", "sparse"} or array, default="one-vs-rest"
        ``"one-vs-rest"``: k problems. ``"one-vs-one"``: k (k - 1) / 2 small problems. ``"dense"`` and
        ``"sparse"``: round(10 log₂ k) and round(15 log₂ k) random problems, the best of 100 draws. An array
        is a code as in `couple`, with columns in the order of ``classes_``.
    method : {"generalized-bt", "pairwise", "wu-lin-weng"}, default="generalized-bt"
        How probabilities are coupled, as in `couple`. All problems have the same weight, as in the
        experiments of [GeneralizedBT].
    cv : int or splitter of scikit-learn, default=5
        The folds for the sigmoid. A number is the number of folds of a problem's rows, which is lowered if a
        side has fewer rows. A splitter splits all rows.
    n_jobs : int or None, default=None
        The number of problems that are fitted and predicted at a time, as in scikit-learn: in processes, or
        on the backend of ``joblib.parallel_config`` (see "Many fits on a cluster" in the documentation).
    random_state : int, RandomState, Generator or None, default=None
        The seed of a random code.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The classes, sorted.
    code_ : array of shape (n_problems, n_classes)
        The code: 1 and -1 for the two sides of a problem, 0 for classes that it leaves out.
    estimators_ : list of classifiers
        One per problem, with classes 0 and 1 for its negative and positive side.
    n_features_in_ : int
        The number of features, if the estimators have it.
    feature_names_in_ : array of str
        Their names, if the estimators have them.
    n_iter_ : int
        1: each problem is fitted once. Each of ``estimators_`` knows its own iterations.

    See Also
    --------
    couple : probabilities of classes from those of binary problems
    PreferenceGame : rankings of labels

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CodedClassifier(LogisticRegression(max_iter=1000), code="one-vs-one").fit(X, y)
    >>> model.predict_proba(X[50:51]).round(2), round(model.score(X, y), 2)
    (array([[0.01, 0.84, 0.15]]), 0.98)
    """

    estimator: Any
    _: KW_ONLY
    code: CodeName | Any = "one-vs-rest"
    method: Method = "generalized-bt"
    cv: Any = 5
    n_jobs: int | None = None
    random_state: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit one classifier per problem, each to the rows of its classes.

        Parameters
        ----------
        X : array, sparse matrix, frame or list of n rows
            Whatever the estimator takes.
        y : array of shape (n,)
            The class of each row.
        sample_weight : array of shape (n,), optional
            Passed to the estimator, which must accept it.
        **fit_params : dict
            With metadata routing, passed where it sends them; otherwise, passed to the estimator. Of a value
            with n entries, each problem gets the entries of its rows.

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            check_present(y, "y")
            check_unmasked(X=X)
            X, y = in_numpy(X, "CodedClassifier"), validate_in_numpy(self, X="no_validation", y=y)
            check_classification_targets(y)
            X, y = indexable(X, y)
            if not len(y):
                raise ValueError(
                    "there are 0 rows; a classifier needs at least one row of each of two classes"
                )
            if sample_weight is not None:
                sample_weight = from_device(sample_weight)
                row_weights(sample_weight, len(y))
            params = self._fit_params(sample_weight, fit_params)
            self.classes_, target = np.unique(y, return_inverse=True)
            self.code_ = self._code(len(self.classes_))
            folds = int(self.cv) if isinstance(self.cv, Integral) else list(check_cv(self.cv).split(X, y))
            shared = (self.estimator, folds, X, target, params, self.classes_)
            self.estimators_ = list(run_tasks(_fit_problem, shared, self.code_, self.n_jobs))
            first = self.estimators_[0]
            for name in ("n_features_in_", "feature_names_in_"):
                if hasattr(first, name):
                    setattr(self, name, getattr(first, name))
            self.n_iter_ = 1
        return self

    def _fit_params(self, sample_weight: Any, fit_params: dict[str, Any]) -> dict[str, Any]:
        if sample_weight is not None:
            fit_params = {**fit_params, "sample_weight": sample_weight}
        if get_config()["enable_metadata_routing"]:
            routed: Bunch = process_routing(self, "fit", **fit_params)
            return dict(routed.estimator.fit)
        if sample_weight is not None and not has_fit_parameter(self.estimator, "sample_weight"):
            raise ValueError(
                f"{type(self.estimator).__name__} takes no sample_weight; fit without it, or choose another "
                "estimator"
            )
        return fit_params

    def _code(self, k: int) -> NDArray[np.int8]:
        if k < 2:
            raise ValueError(f"y has one class, {quoted(self.classes_[0])}; a classifier needs at least two")
        if isinstance(self.code, str):
            return make_code(self.code, k, self.random_state)  # type: ignore[arg-type]
        code = checked_code(self.code)
        if code.shape[1] != k:
            raise ValueError(
                f"code has {code.shape[1]} columns, but y has {k} classes; give one column per class"
            )
        _, first, same = np.unique(code, axis=1, return_index=True, return_inverse=True)
        if len(first) < k:
            twin = next(s for s in range(k) if first[same.ravel()[s]] != s)
            names = (quoted(self.classes_[first[same.ravel()[twin]]]), quoted(self.classes_[twin]))
            raise ValueError(
                f"no problem of the code tells class {names[0]} from class {names[1]}; add one that does"
            )
        return code

    # ------------------------------------------------------------------------------------ predictions

    def predict_proba(self, X: Any) -> Any:
        """The probabilities of the classes, an array of shape (n, n_classes); columns as in ``classes_``."""
        check_is_fitted(self)
        return to_device_of(couple(self.code_, self._of_problems(X), method=self.method), X)

    def binary_probabilities(self, X: Any) -> Any:
        """The probability of the positive side of each problem: an array of shape (n, n_problems)."""
        check_is_fitted(self)
        return to_device_of(self._of_problems(X), X)

    def _of_problems(self, X: Any) -> Floats:
        columns = run_tasks(_positive, in_numpy(X, "CodedClassifier"), self.estimators_, self.n_jobs)
        return np.clip(np.column_stack(list(columns)), 0.0, 1.0)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class."""
        check_is_fitted(self)
        best = most_probable(self.code_, self._of_problems(X), self.method)
        return np.asarray(self.classes_[best])

    # ------------------------------------------------------------------------------------ scikit-learn

    def get_metadata_routing(self) -> MetadataRouter:
        """The arguments of `fit` go to the estimator."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=mapping)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        return tags


def _fit_problem(shared: tuple[Any, ...], problem: NDArray[np.int8]) -> Any:
    """The classifier of one problem, fitted to the rows of its classes."""
    estimator, folds, X, target, params, classes = shared
    side = problem[target]
    rows = np.flatnonzero(side)
    positive = (side[rows] > 0).astype(np.int64)
    model = clone(estimator)
    if not hasattr(model, "predict_proba"):
        cv = _inner_folds(folds, rows, positive, classes[problem > 0], classes[problem < 0])
        model = CalibratedClassifierCV(model, method="sigmoid", cv=cv, ensemble=False)
    params = {name: _cut(value, rows, len(target)) for name, value in params.items()}
    return model.fit(_rows_of(X, rows), positive, **params)


def _cut(value: Any, rows: NDArray[np.intp], n: int) -> Any:
    """The entries of these rows, if a parameter has n entries; otherwise the parameter itself."""
    shape = (len(value),) if isinstance(value, list | tuple) else getattr(value, "shape", ())
    return _rows_of(indexable(value)[0], rows) if shape[:1] == (n,) else value


def _rows_of(table: Any, rows: NDArray[np.intp]) -> Any:
    """Rows of an array, a sparse matrix, a list, or a frame of pandas or polars."""
    if isinstance(table, list | tuple):
        return [table[row] for row in rows]
    return table.iloc[rows] if hasattr(table, "iloc") else table[rows]


def _inner_folds(
    folds: Any, rows: NDArray[np.intp], positive: NDArray[np.int64], plus: NDArray[Any], minus: NDArray[Any]
) -> Any:
    """A number of folds that leaves rows of both sides in each, or the given folds for these rows only."""
    if not isinstance(folds, int):
        return [tuple(np.flatnonzero(np.isin(rows, part)) for part in fold) for fold in folds]
    fewest = int(np.bincount(positive, minlength=2).min())
    if fewest < 2 <= folds:
        rare = plus if positive.sum() < 2 else minus
        raise ValueError(
            f"class {quoted(rare[0])} has one row, but a sigmoid needs decisions on held-out rows; "
            f"use an estimator with predict_proba, or add rows of this class"
        )
    return min(folds, fewest)


def _positive(X: Any, model: Any) -> Floats:
    return np.asarray(model.predict_proba(X)[:, 1])
