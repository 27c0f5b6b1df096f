"""Equal rows are merged into one preference."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from podium.game.game import make_game
from podium.game.preferences import Preferences
from podium.numerics.kernels.kernel import Kernel


@pytest.mark.parametrize("thin", [False, True])
def test_equal_instances_and_equal_preferences_are_one(thin: bool) -> None:
    X: Any = np.array([[1.0, 0.0], [2.0, 0.0], [1.0, -0.0], [7.0, 7.0]])
    if thin:
        X = sparse.csr_array(X)
    rows = [(0, "a", "b"), (2, "a", "b"), (1, "a", "b"), (3, "b", "a")]
    preferences = Preferences.from_table(rows, 4, [1.0, 3.0, 1.0, 0.0])
    game = make_game(lambda _: Kernel("linear"), X, preferences, 2.0, precomputed=False)
    assert len(game.kernel) == 2
    assert game.kernel.items.shape == (2, 2)
    np.testing.assert_array_equal(game.kind, [0, 0, 1, -1])
    np.testing.assert_allclose(game.kernel.ridge, [0.5, 2.0])
    np.testing.assert_allclose(game.spread(np.array([0.4, 0.6])), [0.1, 0.3, 0.6, 0.0])
