"""One meaning of ``random_state``: None, a whole number, a RandomState or a Generator.

A whole number gives the same draws on every call. A RandomState or a Generator moves on with every draw. None
draws from NumPy's global state, as in scikit-learn, so ``np.random.seed`` still works.
"""

from typing import Any

import numpy as np


def generator(random_state: Any) -> np.random.Generator:
    """A Generator for any ``random_state``.

    >>> generator(0).integers(100), generator(np.random.RandomState(0)).integers(100)
    (np.int64(85), np.int64(36))
    >>> generator(-1)
    Traceback (most recent call last):
    ValueError: random_state is None, a whole number of at least 0, a RandomState or a Generator, not -1
    """
    if random_state is None or random_state is np.random:
        random_state = np.random.mtrand._rand
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**32, size=4, dtype=np.uint64))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        what = "None, a whole number of at least 0, a RandomState or a Generator"
        raise ValueError(f"random_state is {what}, not {random_state!r}") from None


def legacy_generator(random_state: Any) -> np.random.RandomState:
    """A RandomState for any ``random_state``: what scikit-learn's functions take.

    A Generator shares its bits with the result, so that it moves on too.

    >>> legacy_generator(0).randint(100), legacy_generator(np.random.default_rng(0)).randint(100)
    (44, 95)
    """
    if random_state is None or random_state is np.random:
        return np.random.mtrand._rand
    if isinstance(random_state, np.random.RandomState):
        return random_state
    if isinstance(random_state, int | np.integer) and 0 <= random_state < 2**32:
        return np.random.RandomState(int(random_state))
    return np.random.RandomState(generator(random_state).bit_generator)
