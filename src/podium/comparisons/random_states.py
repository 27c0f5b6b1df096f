"""One meaning of ``random_state``."""

from typing import Any

import numpy as np


def generator(random_state: Any) -> np.random.Generator:
    """A generator from whatever scikit-learn takes for a random state: None, a seed, or a source of numbers.

    >>> generator(0).integers(100), generator(np.random.RandomState(0)).integers(100)
    (np.int64(85), np.int64(36))
    >>> generator(-1)
    Traceback (most recent call last):
    ValueError: random_state is None, a whole number of at least 0, or a generator, not -1
    """
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**32, size=4, dtype=np.uint64))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        what = "None, a whole number of at least 0, or a generator"
        raise ValueError(f"random_state is {what}, not {random_state!r}") from None
