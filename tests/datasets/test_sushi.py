from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from podium.datasets.sushi import fetch_sushi


def test_sushi_has_the_pairs_of_the_paper(real_data: Path) -> None:
    c = fetch_sushi()
    assert c.outcome is not None
    assert len(c) == 25_000
    assert (c.outcome == 0).sum() == 17_832
    assert (c.outcome != 0).sum() == 7_168
    assert c.features.shape[1] == 14
    assert c.feature_names is not None
    assert c.feature_names[5] == "price"
    assert c.group is not None
    assert (np.bincount(c.group) == 5).all()


def test_sushi_is_the_derived_table_turned_round(real_data: Path) -> None:
    c = fetch_sushi()
    pairs = pd.read_csv(real_data / "sushi/pairs.csv.gz")
    items = pd.read_csv(real_data / "sushi/items.csv.gz")
    price, y = items["price"].to_numpy(), pairs["y"].to_numpy()
    sides = np.column_stack([price[pairs["item"]], price[pairs["item_prime"]]])
    assert c.outcome is not None
    found = np.column_stack([c.features[c.left, 5], c.features[c.right, 5]])
    turned = (found != sides).any(axis=1)
    np.testing.assert_array_equal(np.where(turned[:, None], sides[:, ::-1], sides), found)
    decisive = (y == 1) & (sides[:, 0] != sides[:, 1])
    np.testing.assert_array_equal(c.outcome[decisive], np.where(turned, -1, 1)[decisive])
    np.testing.assert_array_equal(c.outcome == 0, y == 0)


def test_sushi_does_not_tell_that_right_is_better(real_data: Path) -> None:
    outcome = fetch_sushi().outcome
    assert outcome is not None
    assert abs(outcome.mean()) < 0.02
    np.testing.assert_array_equal(outcome, fetch_sushi(random_state=0).outcome)
    other = fetch_sushi(random_state=1).outcome
    assert other is not None
    assert not np.array_equal(outcome, other)


def test_a_person_is_the_same_on_both_sides(real_data: Path) -> None:
    c = fetch_sushi()
    np.testing.assert_array_equal(c.features[c.left, 7:], c.features[c.right, 7:])


def test_sushi_is_not_shipped(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"scores_b\.csv\.gz"):
        fetch_sushi(data_home=tmp_path)
