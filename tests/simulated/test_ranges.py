"""The ranges hold all true ranks in at least 95 % of boards, whether items are close or far apart."""

import pytest

from tests.covering import covering_boards

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("spread", [0.05, 0.5, 1.5])
@pytest.mark.parametrize(("n_items", "n_games"), [(6, 400), (15, 2_000)])
def test_ranges_hold_all_true_ranks(n_items: int, n_games: int, spread: float) -> None:
    assert covering_boards(400, n_items, n_games, spread) >= 0.95


def test_ranges_at_another_level() -> None:
    assert covering_boards(400, 8, 600, level=0.8) >= 0.8


def test_ranges_of_the_bootstrap() -> None:
    assert covering_boards(100, 8, 600, bootstrap=400, random_state=0) >= 0.92
