"""Simulated binary probabilities whose class probabilities are known: §6.1 of [GeneralizedBT]."""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.comparisons.random_states import generator

Case = Literal["a", "b", "c"]
EDGE = 1e-7  # r stays this far from 0 and 1


def make_class_probabilities(n_classes: int = 26, case: Case = "a") -> NDArray[np.float64]:
    """The class probabilities of the cases of §6.1, with the largest first.

    - ``"a"``: nearly balanced; the first class is half as probable again as the average.
    - ``"b"``: half of the classes hold 95 %.
    - ``"c"``: two classes hold 95 %.

    >>> make_class_probabilities(4, "c").round(4)
    array([0.7125, 0.2375, 0.025 , 0.025 ])
    """
    if case not in ("a", "b", "c"):
        raise ValueError(f"case is 'a', 'b' or 'c', not {case!r}")
    k = n_classes
    if k < 3:
        raise ValueError(f"the cases have at least three classes, not {k}")
    size = {"a": k, "b": (k + 1) // 2, "c": 2}[case]  # of the group that dominates
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
    """Noisy probabilities r of the problems of a code, a row a replicate; and the p that they come from.

    r_i = min(max(ε, q_i⁺/q_i (1 + noise · N(0, 1))), 1 - ε) with ε = 1e-7: §6.1 of [GeneralizedBT]. The code
    is a matrix as in `podium.couple`.

    >>> r, p = make_coded_probabilities([[1, -1, 0], [0, 1, -1], [1, 0, -1]], "c", 2, noise=0.0)
    >>> r.round(3), p.round(4)
    (array([[0.75 , 0.826, 0.934],
           [0.75 , 0.826, 0.934]]), array([0.7125, 0.2375, 0.05  ]))
    """
    table = np.asarray(code)
    if table.ndim != 2 or not ((table > 0).any(axis=1) & (table < 0).any(axis=1)).all():
        raise ValueError("code is a matrix with a row a problem, each with a 1 and a -1")
    if n_samples < 0 or noise < 0:
        raise ValueError(f"n_samples and noise are not negative, as {n_samples} and {noise} would be")
    p = make_class_probabilities(table.shape[1], case)
    plus, minus = (table > 0) @ p, (table < 0) @ p
    wobble = generator(random_state).normal(size=(n_samples, len(table)))
    return np.clip(plus / (plus + minus) * (1 + noise * wobble), EDGE, 1 - EDGE), p
