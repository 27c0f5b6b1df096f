"""Rating systems follow games in parts as they follow them in one piece."""

from typing import Any

import numpy as np
import pytest

from podium import Comparisons, DynamicBradleyTerry, Elo, Glicko, Glicko2, read_chunks

SYSTEMS = [
    Elo(),
    Elo(k="fide", period="week"),
    Elo(regression=0.3, season="year"),
    Glicko(period="month"),
    Glicko2(period="week"),
]


def games(n: int = 400) -> Comparisons:
    rng = np.random.default_rng(0)
    left = rng.integers(0, 20, n)
    right = (left + rng.integers(1, 20, n)) % 20
    time = np.datetime64("2020-01-01") + np.sort(rng.integers(0, 600, n)).astype("timedelta64[D]")
    return Comparisons.from_arrays(left, right, rng.integers(-1, 2, n), time=time)


def parts_of(c: Comparisons, size: int) -> list[Comparisons]:
    return [c[first : first + size] for first in range(0, len(c), size)]


@pytest.mark.parametrize("system", SYSTEMS, ids=str)
def test_parts_give_the_same_ratings_to_the_bit(system: Any) -> None:
    c = games()
    whole = system.fit(c)
    expected = {name: value.copy() for name, value in vars(whole).items() if isinstance(value, np.ndarray)}
    system.fit(part for part in parts_of(c, 37))
    for name, value in expected.items():
        np.testing.assert_array_equal(getattr(system, name), value)


def test_chunks_of_a_table_in_any_order() -> None:
    c = games()
    order = np.random.default_rng(1).permutation(len(c))
    frame = c[order].to_frame()
    elo = Elo().fit(read_chunks(frame, rows=50))
    assert np.array_equal(elo.rating_, Elo().fit(c[order]).rating_)
    assert np.array_equal(elo.games_, Elo().fit(c[order]).games_)


def test_update_takes_parts_too() -> None:
    c = games()
    elo = Elo().fit(c[:100]).update(parts_of(c[100:], 90))
    assert np.array_equal(elo.rating_, Elo().fit(c).rating_)


def test_a_part_that_fails_changes_nothing() -> None:
    c = games()
    elo = Elo().fit(c)
    before = elo.rating_.copy()
    with pytest.raises(ValueError, match="goes back"):
        elo.fit([c[200:], c[:200]])
    assert np.array_equal(elo.rating_, before)
    with pytest.raises(ValueError, match="no comparisons to learn from"):
        elo.fit([])
    with pytest.raises(ValueError, match="in one piece"):
        elo.fit([c], sample_weight=np.ones(len(c)))


def test_the_dynamic_filter_predicts_parts_as_it_predicts_all() -> None:
    c = games()
    model = DynamicBradleyTerry(spread=1.0, drift=0.5, reversion=0.0).fit(c[:100])
    assert c.time is not None
    later = c[c.time > c.time[99]]
    cuts = np.flatnonzero(np.diff(np.asarray(later.time).astype(np.int64)))[::40] + 1
    parts = [later[rows] for rows in np.split(np.arange(len(later)), cuts)]
    table = np.concatenate(list(model.before(iter(parts))))
    np.testing.assert_allclose(table, model.before(later), rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match="goes back"):
        list(model.before([parts[1], parts[0]]))
