"""Displays that only the papers need are in experiments; podium says so."""

import pytest

import podium


@pytest.mark.parametrize("name", podium.plot.PAPERS)
def test_podium_says_where_they_are(name: str) -> None:
    for module in (podium, podium.plot):
        with pytest.raises(AttributeError, match=f"{name} draws .* in experiments/figures/"):
            getattr(module, name)
