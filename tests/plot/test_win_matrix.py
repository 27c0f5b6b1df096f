import re
from typing import Any

import numpy as np
import pytest

from podium import PlackettLuce, Rankings
from podium.plot import WinMatrixDisplay
from tests.plot.drawing import chances, drawn, names, texts

pytest.importorskip("matplotlib")


def test_matrix_writes_known_chances_off_the_diagonal() -> None:
    matrix = chances(4)
    matrix[0, 2] = np.nan
    display = WinMatrixDisplay.from_matrix(["a", "b", "c", "d"], matrix)
    assert names(display.ax_.xaxis) == names(display.ax_.yaxis) == ["a", "b", "c", "d"]
    assert texts(display) == [
        f"{matrix[i, j]:.2f}" for i in range(4) for j in range(4) if i != j and not np.isnan(matrix[i, j])
    ]
    image: Any = display.ax_.images[0]
    shown: Any = np.ma
    rgba = image.cmap(image.norm(shown.masked_invalid(image.get_array())))
    assert rgba[1, 1].tolist() == [1, 1, 1, 1]
    red, green, blue, _ = rgba[0, 2]
    assert max(red, green, blue) - min(red, green, blue) < 0.05
    assert rgba[0, 3][2] > rgba[0, 3][0]  # a likely winner is blue, a likely loser red
    assert rgba[3, 0][2] < rgba[3, 0][0]
    assert image.norm(0.5) == 0.5


@pytest.mark.parametrize(("n", "numbers"), [(1, 0), (15, 15 * 14), (16, 0)])
def test_matrix_has_numbers_if_there_is_room(n: int, numbers: int) -> None:
    display = WinMatrixDisplay.from_matrix(range(n), chances(n))
    assert len(texts(display)) == numbers
    assert drawn(display)


def test_matrix_says_what_it_leaves_out() -> None:
    display = WinMatrixDisplay.from_matrix(range(35), chances(35))
    assert len(names(display.ax_.yaxis)) == 30
    assert display.ax_.get_xlabel() == "… and 5 more"
    assert display.matrix.shape == (35, 35)


@pytest.mark.parametrize(
    ("items", "matrix", "sentence"),
    [
        (["a"], np.zeros((2, 2)), "the matrix has the shape (2, 2) for 1 items"),
        ([], np.zeros((0, 0)), "the matrix has no items"),
        (["a", "b\n"], [[0, 1.5], [0, 0]], "the chance 1.5 that 'a' beats 'b\\n' is not between 0 and 1"),
    ],
)
def test_matrix_refuses(items: Any, matrix: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        WinMatrixDisplay.from_matrix(items, matrix)


def test_matrix_of_rankings_has_the_chances_of_pairs() -> None:
    rankings = Rankings.from_lists([["a", "b", "c"], ["b", ("a", "c")], ["c", "a", "b"], [("a", "b")]])
    model = PlackettLuce().fit(rankings)
    matrix = model.win_matrix()
    pairs = [[one, other] for one in "abc" for other in "abc" if one != other]
    np.testing.assert_allclose(matrix[~np.eye(3, dtype=bool)], [p[0] for p in model.predict_proba(pairs)])
    display = WinMatrixDisplay.from_matrix(model.items_.tolist(), matrix)
    assert texts(display) == [f"{matrix[i, j]:.2f}" for i in range(3) for j in range(3) if i != j]
