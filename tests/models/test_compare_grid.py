"""The bar of the search; what the search finds is tested beside the models."""

import pytest

from podium.datasets import make_norm_comparisons
from podium.models.compare_grid import compare_grid
from podium.models.svm_compare import SVMCompare


@pytest.mark.filterwarnings("ignore:.*fitted again with β = 0")
def test_a_bar_goes_to_the_error_stream(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # what rich takes for a terminal
    train, validation = (make_norm_comparisons(30, random_state=seed) for seed in range(2))
    shown = compare_grid(SVMCompare(), train, validation, C=[1, 10], gamma=[0.1, 1], progress=True)
    out, err = capsys.readouterr()
    assert not out
    assert "fitting the grid" in err
    assert "4/4" in err
    quiet = compare_grid(SVMCompare(), train, validation, C=[1, 10], gamma=[0.1, 1])
    assert capsys.readouterr() == ("", "")
    assert (shown.validation_error == quiet.validation_error).all()


def test_an_empty_grid_is_named() -> None:
    c = make_norm_comparisons(30, random_state=0)
    with pytest.raises(ValueError, match="the grid is empty"):
        compare_grid(SVMCompare(), c, c, gamma=[])
