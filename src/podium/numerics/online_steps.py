"""What the two online estimators share: checked step parameters, and the start of a stream."""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.utils.random import sample_without_replacement

from podium.comparisons.features import is_sparse, summed
from podium.comparisons.random_states import legacy_generator
from podium.numerics.parameters import check_positive, check_whole

if TYPE_CHECKING:
    from podium.numerics.subgradient import Examples, Stream, Table

    Walked = tuple[Stream, list[float]]  # the stream after the steps, and the loss of each epoch

Step = Literal["sqrt", "inverse"]
StepSize = float | Literal["auto"]

# Step sizes to try, divided by the mean of ‖x‖², on a sample of examples: the best is longer if there is less
# noise.
SIZES, SAMPLE = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0), 4_096
USUAL, FEW = 10.0, 100  # the size used with fewer than 100 examples, which are too few to choose by
# Shuffling many examples keeps runs of 16 together, since single rows of a large table are slow to fetch.
# Runs of 1 take 1.4 times as long on 200,000 pairs with 50 features.
MANY, RUN = 100_000, 16


class OnlineSteps:
    """Sub-gradient steps with the parameters of an estimator, over epochs or a stream."""

    C: float
    step: Step
    step_size: StepSize
    average: bool
    epochs: int
    shuffle: bool
    horizon: float | None
    random_state: Any

    def _check_steps(self) -> None:
        check_positive("C", self.C)
        if self.step not in ("sqrt", "inverse"):
            raise ValueError(f"step is 'sqrt' or 'inverse', not {self.step!r}")
        check_positive("step_size", self.step_size, unless=("auto",))
        check_whole("epochs", self.epochs)
        check_positive("horizon", self.horizon, unless=(None,))

    def _pass_over(self, table: "Table", examples: "Examples", shape: tuple[int, int]) -> "Walked":
        """Run all epochs from w = 0; return the stream and the loss of each epoch."""
        rng, n = legacy_generator(self.random_state), len(examples.right)
        order, losses = np.arange(n), []
        some = sample_without_replacement(n, min(n, SAMPLE), random_state=rng)
        stream = self._begin(table, examples, some, shape, float(n))
        for _ in range(int(self.epochs)):
            if self.shuffle:
                order = random_order(n, rng)
            stream, loss = stream.walk(table, examples, order, 1.0 / self.C, float(n))
            losses.append(loss)
        return stream, losses

    def _go_on(self, table: "Table", examples: "Examples", shape: tuple[int, int]) -> "Walked":
        """Run one pass in the given order, continuing the stream."""
        order = np.arange(len(examples.right))
        stream: Stream | None = getattr(self, "_stream", None)
        if stream is None or not stream.steps:
            stream = self._begin(table, examples, order[:SAMPLE], shape, self.horizon)
        stream, loss = stream.walk(table, examples, order, 1.0 / self.C, self.horizon)
        return stream, [loss]

    def _keep(self, stream: "Stream", losses: list[float]) -> None:
        self._stream, self.losses_ = stream, losses
        self.step_size_, self.n_steps_ = stream.size, stream.steps
        self.n_iter_ = len(losses)

    def _begin(
        self,
        table: "Table",
        examples: "Examples",
        some: NDArray[np.int64],
        shape: tuple[int, int],
        horizon: float | None,
    ) -> "Stream":
        """A stream at w = 0; ``some`` examples choose the step size if the user did not."""
        from podium.numerics.subgradient import Stream

        def begin(size: float) -> Stream:
            return Stream.begin(shape, self.step, size, self.average)

        def objective(size: float) -> float:
            T = horizon or len(some)
            tried, _ = begin(size).walk(table, examples, some, 1.0 / self.C, T)
            return tried.loss(table, examples, some) + 0.5 / (self.C * T) * float(np.sum(tried.weights**2))

        if self.step_size != "auto":
            return begin(float(self.step_size))
        if self.step == "inverse":
            if horizon is None:
                raise ValueError("step='inverse' in a stream needs a step_size, or horizon, the T of T/(λt)")
            return begin(self.C * horizon)
        square = _mean_square(table, examples, some, constant=shape[1] > table.dense.shape[1])
        unit = 1.0 / square if square else 1.0
        if not 0 < unit < np.inf:
            raise ValueError("the squares of the features overflow; scale the features")
        if len(some) < FEW:
            return begin(USUAL * unit)
        return begin(min((size * unit for size in SIZES), key=objective))


def _mean_square(table: "Table", examples: "Examples", some: NDArray[np.int64], constant: bool) -> float:
    """The mean of s‖x‖² over some examples; its inverse is the natural unit of a step."""
    X: Any = table.dense
    if len(table.indptr):
        X = csr_array((table.data, table.indices, table.indptr), (len(table.indptr) - 1, X.shape[1]))
    x = X[examples.right[some]]
    if len(examples.left):
        x = x - X[examples.left[some]]
    with np.errstate(over="ignore"):
        squares = np.asarray((x * x).sum(axis=1)) + constant
        return float(examples.scale[some] @ squares) / max(len(some), 1)


def random_order(n: int, rng: np.random.RandomState) -> NDArray[np.int64]:
    if n < MANY:
        return np.asarray(rng.permutation(n))
    start = RUN * rng.permutation(-(-n // RUN))
    order = np.add.outer(start, np.arange(RUN)).ravel()
    return np.asarray(order[order < n])


def as_table(X: Any) -> "Table":
    """Views of the features for the solver; all are read-only, so that it is compiled only once."""
    from podium.numerics.subgradient import Table

    if is_sparse(X):
        X = summed(X)  # the solver has no room for repeated columns
        dense = np.empty((0, X.shape[1]))
        parts = [dense, X.data, X.indices.astype(np.int32, copy=False), X.indptr.astype(np.int64, copy=False)]
    else:
        parts = [np.ascontiguousarray(X), *(np.empty(0, kind) for kind in (np.float64, np.int32, np.int64))]
    views = [part.view() for part in parts]
    for view in views:
        view.flags.writeable = False
    return Table(*views)
