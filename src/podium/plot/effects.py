"""A picture of the effects of covariates and of the left side."""

from typing import TYPE_CHECKING, Self

import numpy as np

from podium.leaderboard.board import SCALES
from podium.leaderboard.leaderboard import Leaderboard
from podium.plot.display import Display, label_axes, name_rows, plain_axes, width_of
from podium.plot.fonts import drawable
from podium.plot.style import palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ORDER = "left side"


class EffectsDisplay(Display):
    """The effects of covariates and of the left side, as dots with intervals.

    A line marks no effect: 0, or 1 on the scale "skill", where effects are factors of the odds. An infinite
    interval reaches the edge of the picture.

    Parameters
    ----------
    board : Leaderboard
        A leaderboard of a model with covariates or an order effect.

    See Also
    --------
    BradleyTerry : constant skills of items or teams
    LeaderboardDisplay : a leaderboard with intervals

    Examples
    --------
    >>> import podium as pod
    >>> model = pod.BradleyTerry(order_effect=True).fit(pod.datasets.load_chess_club())
    >>> display = EffectsDisplay.from_leaderboard(model.leaderboard())
    >>> display.save("effects.png")  # doctest: +SKIP
    """

    def __init__(self, board: Leaderboard) -> None:
        if board.order_effect is None and not board.covariate_effects:
            raise ValueError("the board has no effects to draw; fit with covariates or order_effect=True")
        self.board = board

    @classmethod
    def from_leaderboard(cls, board: Leaderboard, *, ax: "Axes | None" = None) -> Self:
        """Draw the effects of a leaderboard.

        Parameters
        ----------
        board : Leaderboard
            A leaderboard of a model with covariates or an order effect.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        EffectsDisplay
        """
        return cls(board).plot(ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw the display; a new figure is as high as the effects need.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        self
        """
        board = self.board
        covariates = board.covariate_effects
        names = drawable(effect.name for effect in covariates)
        names = [f"{name}, per {effect.per:g}" for name, effect in zip(names, covariates, strict=True)]
        rows = [effect[2:] for effect in covariates]
        if board.order_effect is not None:
            names, rows = [*names, ORDER], [*rows, board.order_effect]
        value, low, high = np.array(rows).T
        y = np.arange(len(names))
        ax = self._begin(ax, 4.6 + width_of(names), 0.95 + 0.3 * len(names))
        plain_axes(ax, "x")
        ax.axvline(1.0 if board.scale == "skill" else 0.0, color=palette().soft, linewidth=1, zorder=1)
        finite = np.concatenate([value, low[np.isfinite(low)], high[np.isfinite(high)]])
        ax.update_datalim(np.column_stack([finite, np.zeros(len(finite))]), updatey=False)
        ax.autoscale_view(scaley=False)
        left, right = (np.clip(bound, *ax.get_xlim()) for bound in (low, high))
        ax.hlines(y, left, right, colors=palette().series[0], alpha=0.35, linewidth=6)
        ax.scatter(
            value, y, color=palette().series[0], s=30, zorder=3, edgecolors=palette().paper, linewidths=0.8
        )
        ax.set_ylim(len(names) - 0.4, -0.6)
        name_rows(ax, y, names)
        unit = "factor of the odds" if board.scale == "skill" else SCALES[board.scale]
        label_axes(ax, f"{unit}, {100 * board.level:g} % intervals")
        return self._end()
