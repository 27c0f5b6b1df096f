"""Square tables of counts."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from podium import BradleyTerry, Comparisons

NAMES = ["tea", "milk", "water"]
WINS = pd.DataFrame([[np.nan, 3, 0], [1, np.nan, 2.5], [4, 0, np.nan]], index=NAMES, columns=NAMES)
TIES = pd.DataFrame([[0, 2, 0], [2, 0, 1], [0, 1, 0]], index=NAMES, columns=NAMES)


def test_rows_beat_columns() -> None:
    c = Comparisons.from_counts(WINS)
    assert c.items.tolist() == ["milk", "tea", "water"]
    assert list(c.to_frame().itertuples(index=False, name=None)) == [
        ("tea", "milk", -1, 3.0, 1.0),
        ("milk", "tea", -1, 1.0, 1.0),
        ("milk", "water", -1, 2.5, 1.0),
        ("water", "tea", -1, 4.0, 1.0),
    ]


def test_the_order_of_labels_does_not_matter() -> None:
    turned = WINS.loc[NAMES[::-1], [NAMES[1], NAMES[0], NAMES[2]]]
    whole = Comparisons.from_counts(WINS, TIES)
    other = Comparisons.from_counts(turned, TIES.loc[NAMES[::-1]])
    np.testing.assert_array_equal(whole.record(), other.record())


@pytest.mark.parametrize("ties", [TIES, np.triu(TIES), np.tril(TIES)])
def test_ties_count_once(ties: Any) -> None:
    c = Comparisons.from_counts(WINS, ties)
    assert c.outcome is not None
    assert c.count[c.outcome == 0].sum() == 3


@pytest.mark.parametrize("make", [np.array, csr_array, lambda rows: rows, pd.DataFrame])
def test_arrays_number_their_items(make: Any) -> None:
    c = Comparisons.from_counts(make([[0, 3], [1, 0]]))
    assert c.items.tolist() == [0, 1]
    assert (c.count.tolist(), c.weight.tolist(), c.mass.tolist()) == ([3, 1], [1, 1], [3, 1])


def test_a_frame_read_from_a_file_has_text_on_one_axis() -> None:
    c = Comparisons.from_counts(pd.DataFrame([[0, 3], [1, 0]], index=[7, 8], columns=["7", "8"]))
    assert c.items.tolist() == [7, 8]


def test_counts_are_fitted_like_rows() -> None:
    counted = BradleyTerry(prior=1.0).fit(Comparisons.from_counts(WINS.fillna(0).round(), TIES))
    rows = Comparisons.from_counts(WINS.fillna(0).round(), TIES)
    one_by_one = rows[np.repeat(np.arange(len(rows)), rows.count.astype(int))]
    single = Comparisons.from_codes(one_by_one.items, one_by_one.left, one_by_one.right, one_by_one.outcome)
    np.testing.assert_allclose(counted.log_skill_, BradleyTerry(prior=1.0).fit(single).log_skill_, atol=1e-8)


@pytest.mark.parametrize(
    ("wins", "ties", "said"),
    [
        ([[5, 1], [2, 0]], None, "wins has 5 in row 0 and column 0; .* diagonal"),
        ([[0, -1], [2, 0]], None, "wins has -1 in row 0 and column 1; a count is 0 or more"),
        ([[0, np.nan], [2, 0]], None, "wins has nan in row 0 and column 1"),
        ([[0, 1, 2], [2, 0, 1]], None, r"wins has the shape \(2, 3\)"),
        ([0, 1], None, r"wins has the shape \(2,\)"),
        (3, None, r"wins has the shape \(\)"),
        ([[0, 0], [0, 0]], None, "every count is 0, so nothing was compared"),
        ([["a", "b"], ["c", "d"]], None, "wins is not a table of numbers"),
        (
            WINS.rename(columns={"tea": "coffee"}),
            None,
            "wins do not have the same labels, each once; see 'tea'",
        ),
        (WINS.rename(columns={"tea": "milk"}, index={"tea": "milk"}), None, "do not have the same labels"),
        (WINS, TIES.rename(columns={"tea": "coffee"}), "ties do not have the same labels"),
        ([[0, 1], [2, 0]], [[0, 1], [2, 0]], "ties has 1 for 0 and 1, but 2 the other way round"),
    ],
)
def test_what_is_no_table_of_counts(wins: Any, ties: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        Comparisons.from_counts(wins, ties)
    assert "\n" not in str(caught.value)
