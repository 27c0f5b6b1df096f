"""The standing of a vote as HTML: the board, head to head, and votes over time as a bar chart in SVG."""

from datetime import datetime
from functools import lru_cache
from typing import Any

import numpy as np
from markupsafe import Markup

from podium.leaderboard.axes import MOST, number_ticks, time_ticks
from podium.vote.standing import Standing
from podium.vote.tally import DAY, HOUR, MINUTE, VotesOverTime
from podium.web.board import ENOUGH, board_caption, board_table
from podium.web.head_to_head import matrix_table, matrix_text
from podium.web.text import tick_texts

LEFT, TOP, WIDTH, HEIGHT, BELOW = 52, 10, 600, 120, 24  # position and size of the frame, room for the times
GAP = 0.15  # between two bars, as a share of their distance
UNITS = {DAY: "day", HOUR: "hour", MINUTE: "minute", 1: "second"}


@lru_cache(maxsize=2)  # a standing never changes, and everybody who follows the board gets the same
def drawn(standing: Standing) -> dict[str, Any]:
    """The parts of the board's page, and the local time of the votes behind them, if there are any."""
    if standing.board is None or standing.head_to_head is None or standing.over_time is None:
        raise ValueError("without votes there is nothing to draw")
    return {
        "caption": Markup(board_caption(standing.board)),
        # Without a filter box, which updates would empty.
        "board": Markup(board_table(standing.board, filtered=False, enough=ENOUGH)),
        "how_to_read": matrix_text(standing.head_to_head),
        "head_to_head": Markup(matrix_table(standing.head_to_head)),
        "over_time": over_time_chart(standing.over_time),
        "step": step_text(standing.over_time.step),
        "made": datetime.fromtimestamp(standing.made).astimezone(),
    }


# ------------------------------------------------------------------------------------ votes over time


def over_time_chart(votes: VotesOverTime) -> Markup:
    """One bar per stretch of time, with a text alternative."""
    n, most = len(votes.counts), int(votes.counts.max())
    width = WIDTH / n
    bars = "".join(
        f"M{LEFT + (k + GAP / 2) * width:.1f} {TOP + HEIGHT}v{-HEIGHT * count / most:.1f}"
        f"h{(1 - GAP) * width:.1f}V{TOP + HEIGHT}z"
        for k, count in enumerate(votes.counts)
        if count
    )
    return Markup(
        '<svg class="over-time" viewBox="0 0 {} {}" font-size="11" role="img" aria-label="{}">{}'
        '<path class="bars" fill="currentColor" d="{}"/></svg>'
    ).format(LEFT + WIDTH + LEFT, TOP + HEIGHT + BELOW, _described(votes), _axes(votes, most), bars)


def _described(votes: VotesOverTime) -> str:
    """What the chart shows, in words."""
    busiest = int(votes.counts.argmax())
    total, most = int(votes.counts.sum()), int(votes.counts[busiest])
    return (
        f"Votes per {step_text(votes.step)}: {total:,} since {_moment(votes.times[0])}, "
        f"at most {most:,}, from {_moment(votes.times[busiest])} on"
    )


def step_text(step: int) -> str:
    """The length of a bar in words.

    >>> step_text(60), step_text(3 * 3600)
    ('minute', '3 hours')
    """
    seconds = next(seconds for seconds in UNITS if step % seconds == 0)
    number, unit = step // seconds, UNITS[seconds]
    return unit if number == 1 else f"{number} {unit}s"


def _moment(time: np.datetime64) -> str:
    return str(time.astype("datetime64[m]")).replace("T", " ")


def _axes(votes: VotesOverTime, most: int) -> Markup:
    """Lines at round numbers of votes, and round times below."""
    first, last = votes.times[0], votes.times[-1] + np.timedelta64(votes.step, "s")
    up = {TOP + HEIGHT * (1 - n / most): f"{n:,.0f}" for n in number_ticks(0, most) if n == int(n)}
    across = {
        LEFT + WIDTH * float((time - first) / (last - first)): _short(time)
        for time in time_ticks(first, last, MOST)  # the text is short
    }
    grid = "".join(f"M{LEFT} {y:.1f}h{WIDTH}" for y in up)
    lines = f'<path class="grid" fill="none" stroke="currentColor" stroke-opacity=".2" d="{grid}"/>'
    return Markup(lines + tick_texts(LEFT, up, TOP + HEIGHT + BELOW - 6, across))


def _short(time: np.datetime64) -> str:
    """A time below the axis: the hour, or the date at midnight."""
    if np.datetime_data(time.dtype)[0] not in ("m", "h"):
        return str(time)
    date, hour = _moment(time).split(" ")
    return date if hour == "00:00" else hour
