"""Codes: which classes are on the two sides of each binary problem."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.random_states import generator

CodeName = Literal["one-vs-one", "one-vs-rest", "dense", "sparse"]
CODES: tuple[CodeName, ...] = ("one-vs-one", "one-vs-rest", "dense", "sparse")

Code = NDArray[np.int8]

CANDIDATES = 100  # random codes to choose from, as in the paper


def make_code(name: CodeName, n_classes: int, random_state: Any = None) -> Code:
    """The codes of §6.1 of [GeneralizedBT]: one row per problem, one column per class, entries as in
    `couple`.

    - ``"one-vs-one"``: one problem per pair of classes.
    - ``"one-vs-rest"``: one problem per class.
    - ``"dense"``: round(10 log₂ k) random splits of all classes into halves.
    - ``"sparse"``: round(15 log₂ k) problems in which a class is on either side with probability ¼ each.

    A dense or sparse code is the best of 100 random ones: the one whose closest two classes are farthest
    apart. The distance of two classes is Σ_i (1 - c_is c_it) / 2 [Allwein, Schapire and Singer 2001]. (The
    paper writes "smallest distance"; the method that it follows takes the largest.) With two classes, every
    code has one problem.

    >>> make_code("one-vs-one", 3)
    array([[ 1, -1,  0],
           [ 1,  0, -1],
           [ 0,  1, -1]], dtype=int8)
    >>> make_code("dense", 26, random_state=0).shape, make_code("sparse", 26, random_state=0).shape
    ((47, 26), (71, 26))
    """
    if name not in CODES:
        raise ValueError(f"code must be one of {', '.join(CODES)}, or a matrix, not {name!r}")
    if n_classes < 2:
        raise ValueError(f"a code needs at least two classes, not {n_classes}")
    k = n_classes
    single = np.eye(k, dtype=np.int8)
    if name == "one-vs-one" or k == 2:
        a, b = np.triu_indices(k, 1)
        return single[a] - single[b]
    if name == "one-vs-rest":
        return 2 * single - 1
    rng = generator(random_state)
    draw = _dense if name == "dense" else _sparse
    return max((draw(rng, k) for _ in range(CANDIDATES)), key=least_distance)


def least_distance(code: Code) -> float:
    """The distance of the closest two classes; below 0 if they have the same code."""
    words = code.T.astype(np.float64)
    distance = (len(code) - words @ words.T) / 2
    # Zeros add to the distance even of two classes with the same code.
    distance[(words[:, None] == words).all(axis=2)] = -1.0
    return float(distance[np.triu_indices(len(words), 1)].min())


def _dense(rng: np.random.Generator, k: int) -> Code:
    half = np.where(np.arange(k) < k // 2, 1, -1).astype(np.int8)
    return rng.permuted(np.tile(half, (round(10 * np.log2(k)), 1)), axis=1)


def _sparse(rng: np.random.Generator, k: int) -> Code:
    wanted = round(15 * np.log2(k))
    drawn = rng.choice(np.array([-1, 0, 0, 1], dtype=np.int8), size=(8 * wanted + 64, k))
    two_sided = (drawn > 0).any(axis=1) & (drawn < 0).any(axis=1)
    return drawn[two_sided][:wanted]
