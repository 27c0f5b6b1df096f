"""The standing of a vote as HTML."""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from markupsafe import Markup

from podium.vote.board.chart import over_time_chart, step_text
from podium.vote.board.standing import ENOUGH, Standing
from podium.web.board import board_caption, board_table
from podium.web.head_to_head import matrix_table, matrix_text


@dataclass(frozen=True)
class Drawn:
    """The parts of the board's page, and the local time of the votes behind them."""

    caption: Markup
    board: Markup
    how_to_read: str
    head_to_head: Markup
    over_time: Markup
    step: str
    made: datetime


@lru_cache(maxsize=2)  # a standing never changes, and everybody who follows the board gets the same
def drawn(standing: Standing) -> Drawn:
    """Draw a standing that has votes."""
    if standing.board is None or standing.head_to_head is None or standing.over_time is None:
        raise ValueError("without votes there is nothing to draw")
    return Drawn(
        caption=Markup(board_caption(standing.board, shares_ranks=True)),
        board=Markup(board_table(standing.board, filtered=False, enough=ENOUGH)),  # updates would empty a box
        how_to_read=matrix_text(standing.head_to_head),
        head_to_head=Markup(matrix_table(standing.head_to_head)),
        over_time=over_time_chart(standing.over_time),
        step=step_text(standing.over_time.step),
        made=datetime.fromtimestamp(standing.made).astimezone(),
    )
