"""The progress bar of the search, and its errors; its results are tested with the models."""

from typing import Any

import numpy as np
import pytest

from podium.comparers.grid import compare_grid
from podium.comparers.svm_compare import SVMCompare
from podium.datasets import make_norm_comparisons


@pytest.mark.filterwarnings("ignore:.*fitted with β = 0")
def test_a_bar_goes_to_the_error_stream(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # makes rich treat it as a terminal
    train, validation = (make_norm_comparisons(30, random_state=seed) for seed in range(2))
    shown = compare_grid(SVMCompare(), train, validation, C=[1, 10], gamma=[0.1, 1], progress=True)
    out, err = capsys.readouterr()
    assert not out
    assert "fitting the grid" in err
    assert "4 of 4" in err
    quiet = compare_grid(SVMCompare(), train, validation, C=[1, 10], gamma=[0.1, 1])
    assert capsys.readouterr() == ("", "")
    assert (shown.validation_error == quiet.validation_error).all()


def test_an_empty_grid_is_named() -> None:
    c = make_norm_comparisons(30, random_state=0)
    with pytest.raises(ValueError, match="the grid is empty"):
        compare_grid(SVMCompare(), c, c, gamma=[])


@pytest.mark.parametrize(
    ("grid", "sentence"),
    [
        ({"C": [1.0, np.nan]}, "C is a number above 0, not nan"),
        ({"C": [-1.0, 1.0]}, "C is a number above 0, not -1.0"),
        ({"gamma": [0.1, np.nan]}, "gamma is a positive finite number, not nan"),
        ({"gamma": [0.0]}, "gamma is a positive finite number, not 0.0"),
    ],
)
def test_every_value_of_the_grid_is_checked_before_the_first_fit(grid: dict[str, Any], sentence: str) -> None:
    c = make_norm_comparisons(30, random_state=0)
    done: list[int] = []
    with pytest.raises(ValueError, match=sentence):
        compare_grid(SVMCompare(), c, c, **grid, progress=lambda cells, all_cells: done.append(cells))
    assert not done


def test_the_validation_set_has_outcomes_and_the_same_features() -> None:
    c = make_norm_comparisons(30, random_state=0)
    named, other = (c.with_features(c.features, names) for names in (["a", "b"], ["b", "a"]))
    with pytest.raises(ValueError, match="no outcome to choose by"):
        compare_grid(SVMCompare(), c, c.features[c.left][:, None].repeat(2, axis=1))
    with pytest.raises(ValueError, match="feature 1 of the validation pairs is 'b', but it was 'a' in fit"):
        compare_grid(SVMCompare(), named, other, C=[1.0], gamma=[0.1])
    with pytest.raises(ValueError, match=r"the validation pairs have 1 features, but .* fitted to 2"):
        compare_grid(SVMCompare(), c, c.with_features(c.features[:, :1]), C=[1.0], gamma=[0.1])
