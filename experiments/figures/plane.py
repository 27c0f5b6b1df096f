"""Shared by the pictures of pairs with two features."""

from typing import TYPE_CHECKING

from podium.comparisons.features import is_sparse
from podium.comparisons.table import Comparisons
from podium.plot.display import label_axes
from podium.plot.fonts import drawable
from podium.plot.style import palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def in_the_plane(c: Comparisons, what: str) -> Comparisons:
    """The pairs with dense features; an error unless there are two features and at least one pair."""
    if c.features.shape[1] != 2:
        raise ValueError(f"{what} for two features, but these pairs have {c.features.shape[1]}")
    if not len(c):
        raise ValueError("there are no pairs to draw")
    return c.with_features(c.features.toarray(), c.feature_names) if is_sparse(c.features) else c


def name_axes(ax: "Axes", c: Comparisons, difference: bool = False) -> None:
    """Label the axes with the names of the features."""
    names = c.feature_names or ("feature 1", "feature 2")
    suffix = ", right minus left" if difference else ""
    label_axes(ax, *(name + suffix for name in drawable(names)))
    ax.tick_params(colors=palette().soft, length=0, labelsize=8)
    ax.spines[:].set_color(palette().faint)
