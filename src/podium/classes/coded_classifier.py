"""CodedClassifier: a classifier of many classes, with probabilities, from any binary one and any code."""

from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import check_cv
from sklearn.utils import Bunch, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, indexable, validate_data

from podium.classes.codes import CodeName, make_code
from podium.classes.coupling.couple import Method, checked_code, couple
from podium.comparisons.arrays import Floats
from podium.comparisons.checks import check_present, check_unmasked
from podium.comparisons.inputs import row_weights
from podium.comparisons.messages import quoted
from podium.numerics.all_or_nothing import all_or_nothing


class CodedClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fit a binary classifier to every problem of a code, and couple their probabilities.

    A problem sets some classes against some others and leaves the rest out; the generalized Bradley–Terry
    model turns the probabilities of all problems into those of the classes, whatever the code [GeneralizedBT,
    §5].

    ``estimator`` is any binary classifier of scikit-learn's kind. Its ``predict_proba`` is used; if it has
    only a ``decision_function``, a sigmoid is fitted to held-out decisions
    (`sklearn.calibration.CalibratedClassifierCV`): of ``cv`` folds of the problem's rows, fewer where a side
    has fewer rows, or of a splitter's folds of all rows.

    ``code`` is ``"one-vs-rest"`` (k problems), ``"one-vs-one"`` (k (k - 1) / 2 small ones), ``"dense"`` or
    ``"sparse"`` (round(10 log₂ k) and round(15 log₂ k) random ones, the best of 100 draws), or a matrix as in
    `couple` with a column a class, in the order of ``classes_``. One-vs-rest is the cheapest, and its log
    loss is seldom far from the best; sparse is slower to train and sometimes better. Dense sets no class
    alone against others, so that it may leave one next to no probability, which log loss punishes. With two
    classes there is one problem, and the probabilities are those of the estimator. ``method`` is that of
    `couple`; the problems weigh the same, as in the experiments of [GeneralizedBT]. ``n_jobs`` fits and
    predicts problems in parallel.

    Fitted attributes: ``classes_``; ``code_``, a row a problem; ``estimators_``, one for each row, with the
    classes 0 and 1 for its negative and positive side; ``n_features_in_`` and ``feature_names_in_`` if they
    have them.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CodedClassifier(LogisticRegression(max_iter=1000), code="one-vs-one").fit(X, y)
    >>> model.predict_proba(X[50:51]).round(2), round(model.score(X, y), 2)
    (array([[0.01, 0.84, 0.15]]), 0.98)
    """

    def __init__(
        self,
        estimator: Any,
        code: CodeName | Any = "one-vs-rest",
        method: Method = "generalized-bt",
        cv: Any = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.code = code
        self.method = method
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit one classifier a problem, each to the rows of its classes.

        ``sample_weight`` goes to the estimator, which must take it. Other ``fit_params`` go where metadata
        routing sends them; without it they go to the estimator. Those of the length of X are cut to the rows.
        """
        with all_or_nothing(self):
            check_present(y, "y")
            check_unmasked(X=X)
            y = validate_data(self, X="no_validation", y=y)
            check_classification_targets(y)
            X, y = indexable(X, y)
            if not len(y):
                raise ValueError("there are 0 rows; a classifier needs at least one of each of two classes")
            if sample_weight is not None:
                row_weights(sample_weight, len(y))
            params = self._fit_params(sample_weight, fit_params)
            self.classes_, target = np.unique(y, return_inverse=True)
            self.code_ = self._code(len(self.classes_))
            folds = int(self.cv) if isinstance(self.cv, Integral) else list(check_cv(self.cv).split(X, y))
            self.estimators_ = Parallel(n_jobs=self.n_jobs)(
                delayed(_fit_problem)(self.estimator, folds, X, target, problem, params, self.classes_)
                for problem in self.code_
            )
            first = self.estimators_[0]
            for name in ("n_features_in_", "feature_names_in_"):
                if hasattr(first, name):
                    setattr(self, name, getattr(first, name))
        return self

    def _fit_params(self, sample_weight: Any, fit_params: dict[str, Any]) -> dict[str, Any]:
        if sample_weight is not None:
            fit_params = {**fit_params, "sample_weight": sample_weight}
        if get_config()["enable_metadata_routing"]:
            routed: Bunch = process_routing(self, "fit", **fit_params)
            return dict(routed.estimator.fit)
        if sample_weight is not None and not has_fit_parameter(self.estimator, "sample_weight"):
            raise ValueError(
                f"{type(self.estimator).__name__} takes no sample_weight; fit without, or choose another"
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
                f"code has {code.shape[1]} columns, and y has {k} classes; a column stands for a class"
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

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes: a row an instance, a column a class, as in ``classes_``."""
        check_is_fitted(self)
        return couple(self.code_, self.binary_probabilities(X), method=self.method)

    def binary_probabilities(self, X: Any) -> Floats:
        """The probability of the positive side of every problem: a row an instance, a column a problem."""
        check_is_fitted(self)
        columns = Parallel(n_jobs=self.n_jobs)(delayed(_positive)(e, X) for e in self.estimators_)
        return np.clip(np.column_stack(columns), 0.0, 1.0)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class."""
        table = self.predict_proba(X)
        return np.asarray(self.classes_[np.argmax(table, axis=1)])

    # ------------------------------------------------------------------------------------ scikit-learn

    def get_metadata_routing(self) -> MetadataRouter:
        """Where the arguments of ``fit`` go: to the estimator."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=mapping)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        return tags


def _fit_problem(
    estimator: Any,
    folds: Any,
    X: Any,
    target: NDArray[np.intp],
    problem: NDArray[np.int8],
    params: dict[str, Any],
    classes: NDArray[Any],
) -> Any:
    """The classifier of one problem, fitted to the rows of its classes."""
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
    """Of a parameter with something for each of n rows, what these rows have; others as they are."""
    shape = (len(value),) if isinstance(value, list | tuple) else getattr(value, "shape", ())
    return _rows_of(indexable(value)[0], rows) if shape[:1] == (n,) else value


def _rows_of(table: Any, rows: NDArray[np.intp]) -> Any:
    """Of an array, a sparse table, a list or a frame of pandas or polars."""
    if isinstance(table, list | tuple):
        return [table[row] for row in rows]
    return table.iloc[rows] if hasattr(table, "iloc") else table[rows]


def _inner_folds(
    folds: Any, rows: NDArray[np.intp], positive: NDArray[np.int64], plus: NDArray[Any], minus: NDArray[Any]
) -> Any:
    """A number of folds that both sides have rows for, or the part of given folds that is in the problem."""
    if not isinstance(folds, int):
        return [tuple(np.flatnonzero(np.isin(rows, part)) for part in fold) for fold in folds]
    fewest = int(np.bincount(positive, minlength=2).min())
    if fewest < 2 <= folds:
        rare = plus if positive.sum() < 2 else minus
        raise ValueError(
            f"class {quoted(rare[0])} has one row, and a sigmoid needs decisions on held-out rows; "
            f"take an estimator with predict_proba or give the class more rows"
        )
    return min(folds, fewest)


def _positive(model: Any, X: Any) -> Floats:
    return np.asarray(model.predict_proba(X)[:, 1])
