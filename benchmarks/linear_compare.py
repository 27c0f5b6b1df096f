"""LinearCompare compared with scikit-learn on the flipped differences (8), C = 1.

    python benchmarks/linear_compare.py [--case PATTERN] [--full]

podium stops by its own certificate, the duality gap. The scikit-learn models have no certificate, so each of
them is run with 4, 8, ... up to 128 iterations, and the first run that is close enough counts: within 1e-3
of a lower bound of the optimum, which podium proves to 1e-4 in a longer run. *Equal gradient* runs both until
the gradient is 1e-4 of that at 0. The differences are formed before the clock starts; podium starts from
`Comparisons`. LinearSVC penalises the bias slightly; at this C the effect is far below the tolerance.
*Sparse* features have 15 words per item, hashed to 2²⁰ columns; some are much more frequent.
"""

from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any

import numpy as np

from measuring.cases import Case, Contestant
from measuring.turns import main
from podium import Comparisons

GAP, GRADIENT, BOUND = 1e-3, 1e-4, 1e-4
PAIRS, FEATURES = 1_000_000, 50
FEWER_PAIRS = 100_000
HASHED, WORDS = 2**20, 15
TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10, 1e-12)
ROUNDS = (4, 8, 12, 16, 32, 64, 128)


class Problem:
    """Comparisons, and the objective of (15) with C = 1, computed pair by pair."""

    def __init__(self, c: Comparisons, loss: Any) -> None:
        self.c, self.loss = c, loss

    @cached_property
    def bound(self) -> float:
        """A lower bound on the optimum."""
        from podium import LinearCompare

        return float(LinearCompare(self.loss, tol=BOUND, random_state=0).fit(self.c).result_.details["dual"])

    @cached_property
    def flipped(self) -> tuple[Any, Any]:
        """The flipped differences (8), which a user of scikit-learn has to build; wins before ties."""
        y: Any = self.c.outcome
        D = self.c.features[self.c.right] - self.c.features[self.c.left]
        win, tie = D[y != 0], D[y == 0]
        if isinstance(D, np.ndarray):
            X = np.concatenate([win * y[y != 0, None], tie, -tie])
        else:
            from scipy.sparse import diags_array, vstack

            X = vstack([diags_array(y[y != 0].astype(float)) @ win, tie, -tie], format="csr")
            X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # for LinearSVC
        return X, np.repeat([1, -1], [win.shape[0], 2 * tie.shape[0]])

    def margins(self, u: Any, bias: float) -> Any:
        utility = self.c.features @ u
        d, y = utility[self.c.right] - utility[self.c.left], self.c.outcome
        return np.concatenate([bias + (d * y)[y != 0], -bias - d[y == 0], -bias + d[y == 0]])

    def value(self, u: Any, bias: float) -> float:
        margins = self.margins(u, bias)
        losses = np.maximum(0, 1 - margins) if self.loss == "hinge" else np.logaddexp(0, -margins)
        return float(0.5 * u @ u + losses.sum())

    def gradient(self, u: Any, bias: float) -> float:
        """The norm of the gradient of the logistic objective."""
        X, label = self.flipped
        slope = -label / (1 + np.exp(self.margins(u, bias)))
        return float(np.hypot(np.linalg.norm(u + X.T @ slope), slope.sum()))


def dense(n: int, n_items: int | None, loss: str) -> Problem:
    """Normal features, a linear utility with as much noise as signal, and about a third of ties."""
    rng = np.random.default_rng(0)
    k = 2 * n if n_items is None else n_items
    X, w = rng.normal(size=(k, FEATURES)), rng.normal(size=FEATURES) / np.sqrt(FEATURES)
    left = np.arange(n) if n_items is None else rng.integers(0, k, n)
    right = left + n if n_items is None else (left + rng.integers(1, k, n)) % k
    return compared(X, X @ w, left, right, rng, loss)


def sparse(n: int, loss: str) -> Problem:
    """Two new items per pair, with some words each."""
    from scipy.sparse import csr_array

    rng = np.random.default_rng(0)
    words = (HASHED * rng.random((2 * n, WORDS), dtype=np.float32) ** 3).astype(np.int32)
    start = np.arange(0, words.size + 1, WORDS, dtype=np.int64)
    X = csr_array((np.ones(words.size), words.ravel(), start), shape=(2 * n, HASHED))
    X.sum_duplicates()
    utility = X @ (rng.normal(size=HASHED) / np.sqrt(WORDS))
    return compared(X, utility, np.arange(n), np.arange(n, 2 * n), rng, loss)


def compared(X: Any, utility: Any, left: Any, right: Any, rng: np.random.Generator, loss: str) -> Problem:
    d = utility[right] - utility[left] + rng.normal(size=len(left))
    outcome = np.where(np.abs(d) <= 0.8, 0, np.sign(d)).astype(np.int8)
    items = np.arange(X.shape[0])
    return Problem(Comparisons.from_codes(items, left, right, outcome).with_features(X), loss)


def gap(problem: Problem, solution: Any) -> dict[str, float]:
    value = problem.value(solution[:-1], solution[-1])
    return {"gap": (value - problem.bound) / value}


def gradient(problem: Problem, solution: Any) -> dict[str, float]:
    start = problem.gradient(np.zeros(len(solution) - 1), 0.0)
    return {"gradient": problem.gradient(solution[:-1], solution[-1]) / start}


# ------------------------------------------------------------------------------------ contestants


def podium(problem: Problem, tol: float = GAP) -> Any:
    from podium import LinearCompare

    result = LinearCompare(problem.loss, tol=tol, random_state=0).fit(problem.c).result_
    assert result.converged
    return result.solution


def with_differences(problem: Problem) -> Problem:
    assert problem.flipped
    return problem


def linear_svc(problem: Problem, rounds: int) -> Any:
    from sklearn.svm import LinearSVC

    model = LinearSVC(loss="hinge", C=1.0, tol=1e-12, max_iter=rounds, random_state=0).fit(*problem.flipped)
    return np.append(model.coef_[0], model.intercept_)


def logistic_regression(problem: Problem, rounds: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=1.0, tol=1e-12, max_iter=rounds).fit(*problem.flipped)
    return np.append(model.coef_[0], model.intercept_)


def peer(run: Callable[[Problem, int], Any]) -> Contestant:
    return Contestant(run, "scikit-learn", with_differences, ROUNDS)


HINGE = {"podium": Contestant(podium), "LinearSVC": peer(linear_svc)}
LOGISTIC = {"podium": Contestant(podium), "LogisticRegression": peer(logistic_regression)}
EQUAL = LOGISTIC | {"podium": Contestant(podium, efforts=TOLERANCES)}


def cases_of(name: str, make: Callable[[int, str], Problem], n: int = PAIRS) -> Iterator[Case]:
    """Both losses to a gap, and the logistic loss to a gradient."""
    for loss, who, check, goal in (
        ("hinge", HINGE, gap, GAP),
        ("logistic", LOGISTIC, gap, GAP),
        ("logistic, equal gradient", EQUAL, gradient, GRADIENT),
    ):
        kind = loss.split(",")[0]
        full, small = partial(make, n, kind), partial(make, 1_000, kind)
        yield Case(f"{name}, {loss}", full, who, small, check, [*who][1], goal)


if __name__ == "__main__":
    main(
        [
            *cases_of("1M pairs, 50 features", lambda n, loss: dense(n, None, loss)),
            *cases_of("1M pairs of 20,000 items, 50 features", lambda n, loss: dense(n, 20_000, loss)),
            *cases_of("100,000 pairs, 2²⁰ sparse features", sparse, FEWER_PAIRS),
        ],
        [*cases_of("1M pairs, 2²⁰ sparse features", sparse)],
    )
