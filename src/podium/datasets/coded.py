"""Simulated binary probabilities whose class probabilities are known: §6.1 of [GeneralizedBT]."""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.comparisons.random_states import generator

Case = Literal["a", "b", "c"]
EDGE = 1e-7  # r stays this far from 0 and 1


def make_class_probabilities(n_classes: int = 26, case: Case = "a") -> NDArray[np.float64]:
    """The class probabilities of the three cases of §6.1 of [GeneralizedBT], the largest first.

    Parameters
    ----------
    n_classes : int, default=26
        The number of classes, at least 3.
    case : {"a", "b", "c"}, default="a"
        ``"a"``: nearly balanced; the first class is 1.5 times as probable as the average. ``"b"``: half of
        the classes have 95 % of the probability. ``"c"``: two classes have 95 %.

    Returns
    -------
    ndarray of shape (n_classes,)

    Examples
    --------
    >>> make_class_probabilities(4, "c").round(4)
    array([0.7125, 0.2375, 0.025 , 0.025 ])
    """
    if case not in ("a", "b", "c"):
        raise ValueError(f"case must be 'a', 'b' or 'c', not {case!r}")
    k = n_classes
    if k < 3:
        raise ValueError(f"n_classes must be at least 3, not {k}")
    size = {"a": k, "b": (k + 1) // 2, "c": 2}[case]  # classes in the dominant group
    mass = 1.0 if case == "a" else 0.95
    first = mass * 1.5 / size
    p = np.full(k, (1 - mass) / max(k - size, 1))
    p[0], p[1:size] = first, (mass - first) / (size - 1)
    return p


def make_coded_probabilities(
    code: ArrayLike,
    case: Case = "a",
    n_samples: int = 500,
    *,
    noise: float = 0.1,
    random_state: Any = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Noisy probabilities r of the binary problems of a code, as in §6.1 of [GeneralizedBT].

    r_i = min(max(ε, q_i⁺/q_i (1 + noise · N(0, 1))), 1 - ε) with ε = 1e-7.

    Parameters
    ----------
    code : array-like of shape (n_problems, n_classes)
        The code, as in `podium.couple`.
    case : {"a", "b", "c"}, default="a"
        The class probabilities, as in `make_class_probabilities`.
    n_samples : int, default=500
        The number of samples.
    noise : float, default=0.1
        The standard deviation of the relative noise.
    random_state : int, RandomState, Generator or None, default=None
        The seed of the noise.

    Returns
    -------
    r : ndarray of shape (n_samples, n_problems)
        Noisy probabilities of the problems.
    p : ndarray of shape (n_classes,)
        The true class probabilities.

    Examples
    --------
    >>> r, p = make_coded_probabilities([[1, -1, 0], [0, 1, -1], [1, 0, -1]], "c", 2, noise=0.0)
    >>> r.round(3), p.round(4)
    (array([[0.75 , 0.826, 0.934],
           [0.75 , 0.826, 0.934]]), array([0.7125, 0.2375, 0.05  ]))
    """
    table = np.asarray(code)
    if table.ndim != 2 or not ((table > 0).any(axis=1) & (table < 0).any(axis=1)).all():
        raise ValueError("code must be a matrix with one row per problem, and every row needs a 1 and a -1")
    if n_samples < 0 or noise < 0:
        raise ValueError(f"n_samples and noise must be at least 0, not {n_samples} and {noise}")
    p = make_class_probabilities(table.shape[1], case)
    plus, minus = (table > 0) @ p, (table < 0) @ p
    wobble = generator(random_state).normal(size=(n_samples, len(table)))
    return np.clip(plus / (plus + minus) * (1 + noise * wobble), EDGE, 1 - EDGE), p
