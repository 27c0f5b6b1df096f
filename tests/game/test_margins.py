"""Cached kernel rows give the same margins as no cache."""

import numpy as np
import pytest

from podium.game.margins import Margins
from podium.numerics.kernels.kernel import Kernel
from tests.game.games import game


@pytest.mark.parametrize("room", [0, 4, 12, 1000])
@pytest.mark.parametrize("kernel", [Kernel("rbf", 0.5), Kernel("poly", 1.0, 3), Kernel("linear")], ids=str)
def test_margins_are_those_without_a_store(kernel: Kernel, room: int) -> None:
    """Supports change; a small cache replaces rows, and a smaller one stores nothing."""
    g = game(80, 3, kernel, ridge=0.3)
    margins = Margins(g, most_bytes=room * 8 * len(g.asked[0]))
    rng = np.random.default_rng(0)
    for size in (3, 8, 5, 30, 2):
        support = np.sort(rng.permutation(len(g))[:size])
        p = rng.dirichlet(np.ones(size))
        np.testing.assert_allclose(margins.of(support, p), g.product(support, p), atol=1e-12)
    assert margins.cache.n_kept <= len(margins.cache.store)
