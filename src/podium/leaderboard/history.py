"""What people ask about a history: who was highest ever, and who has moved most.

A history is a frame with one row per item and moment at which it played: time, item, score, low and high.
Times are dates or numbers. Its ``attrs`` have the scale of the scores and the level of the intervals.
"""

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.leaderboard.board import ELO_UNIT, SCALES, SCORE_FORMATS
from podium.leaderboard.effects import rounded
from podium.leaderboard.paths import COLUMNS, Paths
from podium.writing.label_text import one_line

if TYPE_CHECKING:
    import pandas as pd


def highest_ever(history: "pd.DataFrame") -> "pd.DataFrame":
    """The highest score of each item, when it was reached first, and its interval; the highest come first.

    Parameters
    ----------
    history : DataFrame
        The history: time, item, score, low and high.

    Returns
    -------
    DataFrame
        One row of the history per item.

    See Also
    --------
    biggest_movers : the items that rose or fell most
    DynamicBradleyTerry : skills that move through time
    HistoryDisplay : skills through time

    Examples
    --------
    >>> import pandas as pd
    >>> history = pd.DataFrame({
    ...     "time": [1, 2, 1, 3], "item": ["ann", "ann", "bob", "bob"],
    ...     "score": [1500.0, 1520, 1600, 1400], "low": 0.0, "high": 3000.0,
    ... })
    >>> highest_ever(history)[["time", "item", "score"]]
       time item   score
    0     1  bob  1600.0
    1     2  ann  1520.0
    """
    import pandas as pd

    paths = Paths.of(history)
    owner = np.repeat(np.arange(len(paths)), np.diff(paths.bounds))
    row = np.lexsort((-paths.score, owner))[paths.bounds[:-1]]
    row, item = row[best := np.argsort(-paths.score[row], kind="stable")], paths.items[best]
    columns = {name: item if name == "item" else getattr(paths, name)[row] for name in COLUMNS}
    return pd.DataFrame(columns)


def biggest_movers(history: "pd.DataFrame", since: Any = None) -> "pd.DataFrame":
    """How much the scores of the items have changed recently; the largest changes come first.

    Between two moments of an item, its score is on the line that connects them.

    Parameters
    ----------
    history : DataFrame
        The history: time, item, score, low and high.
    since : date or number, default=None
        When the change begins; newer items begin at their first moment. By default it is a year before the
        last day. If times are numbers, the change is that of the last tenth of the time span, or of the last
        unit of time if that is longer.

    Returns
    -------
    DataFrame
        One row per item that has played since then: item, begin and end of the change, the scores before and
        after it, and the change.

    See Also
    --------
    highest_ever : the best items of all times
    DynamicBradleyTerry : skills that move through time
    HistoryDisplay : skills through time

    Examples
    --------
    >>> import pandas as pd
    >>> history = pd.DataFrame({
    ...     "time": [1, 2, 1, 3], "item": ["ann", "ann", "bob", "bob"],
    ...     "score": [1500.0, 1520, 1600, 1400], "low": 0.0, "high": 3000.0,
    ... })
    >>> biggest_movers(history, since=2)[["item", "before", "after", "change"]]
      item  before   after  change
    0  bob  1500.0  1400.0  -100.0
    1  ann  1520.0  1520.0     0.0
    """
    import pandas as pd

    paths = Paths.of(history)
    begin = paths.recent if since is None else paths.moment(since)
    played = paths.time[paths.last] >= begin
    first, last = paths.bounds[:-1][played], paths.last[played]
    before, after = paths.score_at(begin)[played], paths.score[last]
    moves = pd.DataFrame(
        {
            "item": paths.items[played],
            "begin": np.maximum(paths.time[first], begin),
            "end": paths.time[last],
            "before": before,
            "after": after,
            "change": after - before,
        }
    )
    return moves.sort_values("change", key=np.abs, ascending=False, kind="stable", ignore_index=True)


def highlights(history: "pd.DataFrame", since: Any = None) -> list[str]:
    """The highest score ever and the biggest mover, as sentences."""
    spec = SCORE_FORMATS[history.attrs.get("scale", "elo")]
    top = highest_ever(history).iloc[0]
    score, low, high = (rounded(top[name], spec) for name in ("score", "low", "high"))
    when = f"{'on' if history['time'].dtype.kind == 'M' else 'at'} {time_text(top['time'])}"
    said = [f"highest ever: {one_line(top['item'])} {when}, {score} ({low} to {high})"]
    moves = biggest_movers(history, since)
    move = moves.iloc[0] if len(moves) else None
    if move is not None and rounded(move["before"], spec) != rounded(move["after"], spec):
        course = f"from {rounded(move['before'], spec)} to {rounded(move['after'], spec)}"
        said.append(f"biggest mover since {time_text(move['begin'])}: {one_line(move['item'])}, {course}")
    return said


def motion_text(spread: float, drift: float, reversion: float, scale: str, *, dates: bool) -> str:
    """How far skills are apart and how fast they move, as a sentence.

    Parameters
    ----------
    spread, drift, reversion : float
        The parameters of the log-skills, as `DynamicBradleyTerry` estimates them.
    scale : {"elo", "log"}
        The scale of the numbers in the sentence.
    dates : bool
        Whether times are dates, so that drift and reversion are per year; otherwise per unit of the times.

    Examples
    --------
    >>> motion_text(0.5, 0.3, 0.0, "elo", dates=True)
    'new items differ by 87 (standard deviation), and skills move by 52 in a year'
    >>> print(motion_text(0.5, 0.3, 0.2, "log", dates=False).partition("; ")[2])
    half of a difference is gone after 3.5 units
    >>> print(motion_text(0.5, 0.3, 11.0, "log", dates=True).partition("; ")[2])
    half of a difference is gone after 23 days
    """
    unit = ELO_UNIT if scale == "elo" else 1.0
    apart, moved = (format(unit * number, SCORE_FORMATS[scale]) for number in (spread, drift))
    said = f"new items differ by {apart} (standard deviation), and skills "
    said += f"move by {moved} in {'a year' if dates else 'one unit of time'}" if drift else "do not move"
    if reversion > 0:
        half, unit = np.log(2) / reversion, "years" if dates else "units"
        if dates and half < 1:
            half, unit = 365.25 * half, "days"
        said += f"; half of a difference is gone after {rounded(half, '#.2g')} {unit}"
    return said


def scale_text(history: "pd.DataFrame") -> str:
    """The scale of the scores and the level of their intervals, if the history says so."""
    if not {"scale", "level"} <= set(history.attrs):
        return "score"
    return f"{SCALES[history.attrs['scale']]}, {100 * history.attrs['level']:g} % intervals"


def time_text(time: Any) -> str:
    """A time as text, without the zeros at its end: midnight, no seconds, or no fraction.

    >>> time_text(np.datetime64("2020-01-31T00:00:00")), time_text(np.datetime64("2020-01-31T18:30:00"))
    ('2020-01-31', '2020-01-31 18:30')
    >>> time_text(3.0)
    '3'
    """
    if hasattr(time, "to_datetime64"):  # of pandas
        time = time.to_datetime64()
    if isinstance(time, np.datetime64):
        return re.sub(r"(T00:00:00|:00)?(\.0+)?$", "", str(time)).replace("T", " ")
    return f"{time:.10g}"
