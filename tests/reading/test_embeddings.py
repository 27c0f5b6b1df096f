"""Embeddings: lists of numbers in columns of files and frames, and arrays that NumPy has saved."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from podium import read_comparisons, read_rows
from tests.cli.runs import done

LEFT, RIGHT = np.arange(6.0).reshape(3, 2), -np.arange(6.0).reshape(3, 2)
LISTS: dict[str, Any] = {
    "left_vector": LEFT.tolist(),
    "right_vector": RIGHT.tolist(),
    "outcome": ["left", "right", "tie"],
}
ITEMS = {"item": ["a", "b", "c"], "vector": LEFT.tolist(), "size": [1, 2, 3]}
GAMES = pd.DataFrame({"left": ["b", "a"], "right": ["a", "c"], "outcome": ["left", "tie"]})


def parquet(columns: dict[str, Any], folder: Path) -> Path:
    pq.write_table(pa.table(columns), folder / "table.parquet")
    return folder / "table.parquet"


def fixed(columns: dict[str, Any], folder: Path) -> pa.Table:
    table = pa.table(columns)
    for k, name in enumerate(table.column_names):
        if name.endswith("vector"):
            table = table.set_column(k, name, table[name].cast(pa.list_(pa.float32(), 2)))
    return table


def pandas(columns: dict[str, Any], folder: Path) -> pd.DataFrame:
    return pd.DataFrame(columns)


def polars(columns: dict[str, Any], folder: Path) -> pl.DataFrame:
    return pl.DataFrame(columns)


def json(columns: dict[str, Any], folder: Path) -> Path:
    pd.DataFrame(columns).to_json(folder / "table.json", orient="records")
    return folder / "table.json"


@pytest.mark.parametrize("make", [parquet, fixed, pandas, polars, json])
def test_lists_are_features_of_pairs_items_and_rows(make: Callable[..., Any], tmp_path: Path) -> None:
    c = read_comparisons(make(LISTS, tmp_path))
    assert c.feature_names == ("vector_0", "vector_1")
    assert c.features[c.left].tolist() == LEFT.tolist()
    assert c.features[c.right].tolist() == RIGHT.tolist()
    c = read_comparisons(GAMES, items=make(ITEMS, tmp_path))
    assert c.feature_names == ("vector_0", "vector_1", "size")
    assert c.features.tolist() == np.column_stack([LEFT, [1, 2, 3]]).tolist()
    rows = read_rows(make({**ITEMS, "item": [1, 0, 1]}, tmp_path), label="item")
    assert rows.feature_names == ("vector_0", "vector_1", "size")


@pytest.mark.parametrize("cell", [[1.0], None, [1.0, None], [1.0, np.inf]])
def test_a_list_that_is_not_like_the_others(cell: Any) -> None:
    columns = {**LISTS, "left_vector": [[0.0, 1.0], cell, [2.0, 3.0]]}
    with pytest.raises(
        ValueError,
        match=r"column 'left_vector' (is missing at row 2|has a list of length . at row 2.* 2 finite)",
    ):
        read_comparisons(pa.table(columns))
    with pytest.warns(UserWarning, match="1 of 3 rows"):
        assert len(read_comparisons(pa.table(columns), bad_rows="skip")) == 2


def test_lists_of_two_lengths_and_lists_that_are_no_features() -> None:
    with pytest.raises(ValueError, match="different lengths"):
        read_comparisons(pa.table({**LISTS, "left_vector": [[1.0]] * 3}))
    with pytest.raises(ValueError, match=r"column 'weight' has a list of length 2 at row 1.* where a number"):
        read_comparisons(GAMES.assign(weight=[[1.0, 2.0]] * 2))


def test_arrays_of_numpy(tmp_path: Path) -> None:
    np.save(tmp_path / "items.npy", LEFT.astype(np.float32))
    games = GAMES.replace({"a": "0", "b": "1", "c": "2"})
    for named in (games, games.astype({"left": int, "right": int})):
        c = read_comparisons(named, items=tmp_path / "items.npy")
        assert c.feature_names == ("embedding_0", "embedding_1")
        assert c.features.tolist() == LEFT.tolist()
    np.save(tmp_path / "pairs.npy", np.stack([LEFT, RIGHT], axis=1))
    c = read_comparisons(tmp_path / "pairs.npy", outcome=False)
    assert c.features[c.right].tolist() == RIGHT.tolist()
    kinds = [("left_x", "f4", (2,)), ("right_x", "f4", (2,)), ("outcome", "U5")]
    np.save(tmp_path / "named.npy", np.array(list(zip(LEFT, RIGHT, LISTS["outcome"], strict=True)), kinds))
    c = read_comparisons(tmp_path / "named.npy")
    assert c.outcome is not None
    assert c.outcome.tolist() == [-1, 1, 0]
    assert c.features[c.left].tolist() == LEFT.tolist()


@pytest.mark.parametrize(
    ("array", "sentence"),
    [
        (np.ones(3), r"the shape \(3,\)"),
        (np.ones((3, 3, 2)), r"the shape \(3, 3, 2\)"),
        (np.array([{}], dtype=object), "cannot be read as an array"),
    ],
)
def test_arrays_refused(array: Any, sentence: str, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", array)
    with pytest.raises(ValueError, match=sentence):
        read_comparisons(tmp_path / "x.npy")


def test_arrays_in_a_folder_or_packed(tmp_path: Path) -> None:
    GAMES.to_csv(tmp_path / "games.csv", index=False)
    np.save(tmp_path / "items.npy", LEFT)
    np.save(tmp_path / "more.npy", RIGHT)
    assert len(read_comparisons(tmp_path)) == 2
    (tmp_path / "items.npy.gz").write_bytes(b"")
    with pytest.raises(ValueError, match="is a compressed array; unpack"):
        read_comparisons(tmp_path / "items.npy.gz")
    with pytest.raises(ValueError, match="are arrays; read one at a time"):
        read_comparisons([tmp_path / "items.npy", tmp_path / "more.npy"])


def test_an_array_has_no_labels(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", LEFT)
    with pytest.raises(ValueError, match=r"a \.npy file has no labels"):
        read_rows(tmp_path / "x.npy")
    assert read_rows(tmp_path / "x.npy", label=False, features=["embedding"]).features.shape == LEFT.shape


def test_a_model_of_embeddings_on_the_command_line(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(2, 60, 3))
    outcome = np.sign(right[:, 0] - left[:, 0]).astype(int)
    pairs = {"left_vector": left.tolist(), "right_vector": right.tolist(), "outcome": outcome}
    pq.write_table(pa.table(pairs), tmp_path / "pairs.parquet")
    model = tmp_path / "model.skops"
    done("fit", tmp_path / "pairs.parquet", "--model", "linear-compare", "--save", model)
    done("predict", model, tmp_path / "pairs.parquet", "--out", tmp_path / "out.csv")
    assert len(pd.read_csv(tmp_path / "out.csv")) == 60


def test_truth_values_are_groups_and_categories() -> None:
    c = read_comparisons(GAMES.assign(rated=[True, False], group=[False, False]), category="rated")
    assert c.categories is not None
    assert c.categories.tolist() == ["false", "true"]
    assert c.groups is not None
    assert c.groups.tolist() == ["false"]
