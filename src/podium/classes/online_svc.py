"""OnlineSVC: the support vector machine of [Lecture] §2 and §2.2, one row at a time."""

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from podium.arrays.devices.boundary import to_device_of
from podium.comparisons.arrays import Floats
from podium.comparisons.checks import check_present
from podium.comparisons.inputs import row_weights
from podium.comparisons.messages import first_true, listed, quoted, row_name
from podium.numerics.all_or_nothing import all_or_nothing
from podium.numerics.estimators import ClassifierMixin, RowEstimator
from podium.numerics.online_steps import OnlineSteps, Step, StepSize, as_table

if TYPE_CHECKING:
    from podium.numerics.subgradient import Examples, Stream


MOST_REPLICAS = 100_000_000  # limits the memory: a replica takes about 50 bytes


@dataclass(eq=False, repr=False)
class OnlineSVC(OnlineSteps, ClassifierMixin, RowEstimator):
    """A linear support vector classifier for streams of rows, by sub-gradient steps.

    Use it if rows arrive one by one, or if there are so many that you can read each only once. With λ = 1/C
    it minimises, for two classes (§2 of [Lecture], the same as ``LinearSVC(loss="hinge", C=C)``) and for k
    classes (§2.2):

        min_w  (λ/2) ‖w‖² + Σ_i ξ_i                     where  y_i w·x_i ≥ 1 - ξ_i,              ξ_i ≥ 0
        min_w  (λ/2) Σ_l ‖w_l‖² + Σ_i Σ_{l≠y_i} ξ_il    where  w_y·x_i ≥ w_l·x_i + 1 - ξ_il,   ξ_il ≥ 0.

    The second problem has one slack for each of the k - 1 constraints of a row [Weston and Watkins 1999]. The
    class with the largest w_l·x is predicted.

    Parameters
    ----------
    C : float, default=1.0
        1/λ, the cost of a unit of slack.
    weighting : {"slack", "replicas", "margin"}, default="slack"
        The effect of a sample weight s, §2.1. ``"slack"``: the slack costs s times as much, Σ s_i ξ_i.
        ``"replicas"``: s steps instead of one; s must be whole, and the optimum is the same. ``"margin"``: a
        margin of s, y_i w·x_i ≥ s_i - ξ_i. A row of weight 0 is left out.
    fit_intercept : bool, default=True
        Append a constant feature of 1, which is penalised like any other feature (as in LinearSVC).
    step : {"sqrt", "inverse"}, default="sqrt"
        Step lengths α_t = a/√t, or a/t, which needs far more passes if C is large.
    step_size : "auto" or float, default="auto"
        The length a, as in `OnlineSVMRank`.
    average : bool, default=True
        Use a weighted average of all w, in which later ones have more weight, instead of the last w.
    epochs : int, default=5
        Passes of `fit` over the data.
    shuffle : bool, default=True
        Take each pass in a new random order. From 100,000 steps on, runs of 16 stay together.
    horizon : float or None, default=None
        The number T of rows of a stream. None takes the steps so far, as if these were all the data.
    random_state : int, RandomState, Generator or None, default=None
        The seed of the random orders.

    Attributes
    ----------
    coef_ : array of shape (n_classes, n_features), or (1, n_features) with two classes
        The coefficients w.
    intercept_ : array of shape (n_classes,), or (1,) with two classes
        The coefficient of the constant feature; 0 without one.
    classes_ : array of shape (n_classes,)
        The classes, sorted.
    step_size_ : float
        The length a that was used.
    n_steps_ : int
        Steps taken so far.
    losses_ : list of float
        For each epoch, or for the last call of `partial_fit`, the mean slack of a row just before its step.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : array of str
        Their names, if X had any.
    n_iter_ : int
        Passes over the data of the last call: ``epochs``, or 1 after `partial_fit`.

    See Also
    --------
    OnlineSVMRank : one pair at a time

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]], ["no", "no", "yes", "yes"]
    >>> OnlineSVC(C=10.0, epochs=50, random_state=0).fit(X, y).predict([[0.5], [6.0]])
    array(['no', 'yes'], dtype='<U3')
    >>> OnlineSVC().partial_fit(X[:1], y[:1], classes=["no", "yes"]).n_steps_
    1
    """

    C: float = 1.0
    _: KW_ONLY
    weighting: Literal["slack", "replicas", "margin"] = "slack"
    fit_intercept: bool = True
    step: Step = "sqrt"
    step_size: StepSize = "auto"
    average: bool = True
    epochs: int = 5
    shuffle: bool = True
    horizon: float | None = None
    random_state: Any = None

    # ------------------------------------------------------------------------------------ fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows and their classes in ``epochs`` passes.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Features.
        y : array of shape (n,)
            The class of each row.
        sample_weight : array of shape (n,), optional
            The weight of each row; ``weighting`` says what it does.

        Returns
        -------
        self
        """
        with all_or_nothing(self):
            X, y = self._read(X, y, reset=True)
            weight = self._weights(sample_weight, X)
            classes = check_two(np.unique(y[weight > 0]))
            codes = np.searchsorted(classes, y[weight > 0])
            examples = self._examples(np.flatnonzero(weight), codes, weight, len(classes))
            return self._adopt(classes, *self._pass_over(as_table(X), examples, self._shape(len(classes))))

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Take one step per row, in the given order; continue where the last call or `fit` ended.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            Features.
        y : array of shape (n,)
            The class of each row.
        classes : array, optional
            All classes that may ever occur; the first call needs them.
        sample_weight : array of shape (n,), optional
            The weight of each row.

        Returns
        -------
        self
        """
        first = not hasattr(self, "classes_")
        if first and classes is None:
            raise ValueError(
                "classes must be passed on the first call to partial_fit: all classes that may ever occur"
            )
        with all_or_nothing(self):
            X, y = self._read(X, y, reset=first)
            weight = self._weights(sample_weight, X)
            known = self._known_classes(classes)
            row, codes = np.flatnonzero(weight), _codes(y, known)
            examples = self._examples(row, codes[row], weight, len(known))
            return self._adopt(known, *self._go_on(as_table(X), examples, self._shape(len(known))))

    def _known_classes(self, classes: Any) -> NDArray[Any]:
        """The classes of the first call; later calls must not change them."""
        check_present(classes, "classes")
        if not hasattr(self, "classes_"):
            return check_two(np.unique(classes))
        if classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(
                f"classes are {listed(np.unique(classes))}, but the first call had {listed(self.classes_)}"
            )
        return self.classes_

    def _read(self, X: Any, y: Any, reset: bool) -> tuple[Any, NDArray[Any]]:
        self._check_steps()
        if self.weighting not in ("slack", "replicas", "margin"):
            raise ValueError(f"weighting must be 'slack', 'replicas' or 'margin', not {self.weighting!r}")
        X, y = self._rows_and_labels(X, y, order="C", reset=reset)
        check_classification_targets(y)
        return X, y

    def _weights(self, sample_weight: Any, X: Any) -> Floats:
        weight = row_weights(sample_weight, X.shape[0])
        if self.weighting == "replicas" and (bad := weight != np.floor(weight)).any():
            row = first_true(bad)
            raise ValueError(
                f"weighting='replicas' needs whole weights, but the weight at {row_name(row)} is "
                f"{weight[row]}; use 'slack', which has the same optimum"
            )
        if self.weighting == "replicas" and weight.sum() > MOST_REPLICAS:
            raise ValueError(
                f"weighting='replicas' needs {weight.sum():.3g} steps per pass with these weights, but at "
                f"most {MOST_REPLICAS:,} are possible; use 'slack', which has the same optimum"
            )
        return weight

    def _examples(
        self, row: NDArray[np.int64], codes: NDArray[np.int64], weight: Floats, n_classes: int
    ) -> "Examples":
        """Examples in which a weight s means s copies, a slack that costs s, or a margin of s (§2.1)."""
        from podium.numerics.subgradient import Examples

        weight = weight[row]
        if self.weighting == "replicas":
            copies = weight.astype(np.int64)
            row, codes, weight = np.repeat(row, copies), np.repeat(codes, copies), np.ones(copies.sum())
        label = (2 * codes - 1 if n_classes == 2 else codes).astype(np.float64)
        one = np.ones(len(row))
        scale, margin = (one, weight) if self.weighting == "margin" else (weight, one)
        return Examples(np.empty(0, dtype=np.int32), row.astype(np.int32), label, scale, margin)

    def _shape(self, n_classes: int) -> tuple[int, int]:
        return (1 if n_classes == 2 else n_classes), self.n_features_in_ + bool(self.fit_intercept)

    def _adopt(self, classes: NDArray[Any], stream: "Stream", losses: list[float]) -> Self:
        self._keep(stream, losses)
        w = stream.weights
        self.classes_ = classes
        self.coef_ = w[:, : self.n_features_in_]
        self.intercept_ = w[:, self.n_features_in_ :].sum(axis=1)  # one column, or none
        return self

    # ------------------------------------------------------------------------------------ predictions

    def decision_function(self, X: Any) -> Any:
        """The scores w_l·x, one column per class; with two classes w·x, above 0 for the second."""
        return to_device_of(self._scores(X), X)

    def _scores(self, X: Any) -> Floats:
        score: Floats = np.asarray(self._rows(X) @ self.coef_.T) + self.intercept_
        return score[:, 0] if len(self.classes_) == 2 else score

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of every row."""
        score = self._scores(X)
        code = (score > 0).astype(np.intp) if score.ndim == 1 else np.argmax(score, axis=1)
        return np.asarray(self.classes_[code])


def check_two(classes: NDArray[Any]) -> NDArray[Any]:
    if len(classes) < 2:
        which = f"only one class, {quoted(classes[0])}" if len(classes) else "no class"
        raise ValueError(f"there is {which}, but a classifier needs at least two")
    return classes


def _codes(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.int64]:
    """The position of each label among the classes."""
    if (strange := ~np.isin(y, classes)).any():
        row = first_true(strange)
        raise ValueError(
            f"the label {quoted(y[row])} at {row_name(row)} is none of the classes {listed(classes)}; "
            "name all classes on the first call of partial_fit"
        )
    return np.searchsorted(classes, y)
