"""The problem of [SwappedPairs] with all pairs formed explicitly: the oracle of the tests."""

from typing import Any

import numpy as np
from sklearn.svm import SVC


def all_pairs(y: Any, qid: Any = None, weight: Any = None) -> tuple[Any, Any, Any]:
    """i and j of the pairs with y_i > y_j, and their weights."""
    y = np.asarray(y)
    qid = np.zeros(len(y)) if qid is None else np.asarray(qid)
    weight = np.ones(len(y)) if weight is None else np.asarray(weight)
    i, j = np.nonzero((y[:, None] > y[None, :]) & (qid[:, None] == qid[None, :]))
    return i, j, weight[i] * weight[j]


def objective(X: Any, w: Any, C: float, pairs: tuple[Any, Any, Any]) -> float:
    """½‖w‖² + C ξ, computed pair by pair."""
    i, j, weight = pairs
    hinge = np.maximum(0, 1 - 2 * (X[i] - X[j]) @ w)
    return float(0.5 * w @ w + 100 * C * weight @ hinge / weight.sum())


def libsvm_solution(X: Any, C: float, pairs: tuple[Any, Any, Any]) -> Any:
    """libsvm's w on the differences and their mirror images, which make the bias zero."""
    i, j, weight = pairs
    d = 2 * (X[i] - X[j])
    cost = 50 * C * weight / weight.sum()
    svc = SVC(kernel="linear", C=1.0, tol=1e-8)
    label = np.repeat([1, -1], len(d))
    return svc.fit(np.vstack([d, -d]), label, sample_weight=np.tile(cost, 2)).coef_[0]


def graded(n: int, d: int, levels: int | None, seed: int = 0, noise: float = 1.0) -> tuple[Any, Any]:
    """Normal features and a noisy linear utility, cut into levels of equal size or uncut."""
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(n, d)), rng.normal(size=d) / np.sqrt(d)
    y = X @ w + noise * rng.normal(size=n)
    if levels is not None:
        y = np.searchsorted(np.quantile(y, np.arange(1, levels) / levels), y).astype(float)
    return X, y
