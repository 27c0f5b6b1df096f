"""The history of the scores in a report: a picture, the highest scores ever and the biggest movers.

The picture is not drawn with matplotlib, so it follows the light or dark colours of the page and needs no
extra package.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Floats
from podium.leaderboard.axes import Span, time_ticks
from podium.leaderboard.board import SCORE_FORMATS
from podium.leaderboard.effects import rounded
from podium.leaderboard.history import biggest_movers, highest_ever, scale_text, time_text
from podium.leaderboard.paths import Paths, SkillPath, apart, elapsed
from podium.web.table import Column, cell, intervals, names, numbers, sortable_table
from podium.web.text import name, shown, tick_texts
from podium.writing.label_text import label_text, short_names, visible

if TYPE_CHECKING:
    import pandas as pd

LINES = 8  # as many as there are colours
DASHES = ("", "8 3", "2 2", "8 3 2 3", "14 3", "4 3", "8 2 2 2 2 2", "14 3 2 3")  # one per line, for print
ROWS = 20  # of each table
LEFT, TOP, WIDTH, HEIGHT, NAMES = 44, 10, 560, 300, 190  # position and size of the frame, room for the names
EDGE = 12  # room for the first half of a long date
LINE_HEIGHT = 15
LONGEST = 24  # columns of text of a name in the picture


def history_section(history: "pd.DataFrame", items: Sequence[Any] | None = None) -> str:
    """The section of a report; the picture shows the given items, or those that are best at the end."""
    paths = Paths.of(history)
    drawn = paths.drawn(items, LINES)
    said = f"Scores through time ({scale_text(history)}), estimated from all games, later ones included."
    if left_out := len(paths) - len(drawn):
        which = "the items that are best at the end" if items is None else "the items that were asked for"
        said += f" The picture shows {which}; {left_out:,} more are left out."
    said += " The band is the interval of one item; choose another one by its name."
    return f"<p>{shown(said)}</p>{history_picture(drawn)}{_highest_table(history)}{_movers_table(history)}"


# ------------------------------------------------------------------------------------ picture


@dataclass(frozen=True)
class Frame:
    """Where times and scores are in the picture."""

    first: Any
    last: Any
    scores: Span

    def x(self, time: NDArray[Any]) -> Floats:
        share = elapsed(time, self.first) / np.maximum(elapsed(self.last, self.first), 1e-9)
        return np.asarray(LEFT + WIDTH * share)

    def y(self, score: Floats) -> Floats:
        return TOP + HEIGHT * (1 - self.scores.share(score))


def history_picture(paths: Sequence[SkillPath]) -> str:
    """One line per item with its interval as a band, and its name at the end."""
    time = np.concatenate([path.time for path in paths])
    frame = Frame(time.min(), time.max(), Span.of(*(column for path in paths for column in path[2:])))
    places = apart(frame.y(np.array([path.score[-1] for path in paths])), LINE_HEIGHT)
    names = short_names([visible(label_text(path.item)) for path in paths], LONGEST)
    lines = "".join(_line(path, names[k], k, frame, places[k]) for k, path in enumerate(paths))
    box = f"{-EDGE} 0 {EDGE + LEFT + WIDTH + NAMES} {TOP + HEIGHT + 26}"
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="History">'
        f'<svg class="history" viewBox="{box}" role="img" '
        f'aria-label="Scores through time; tables with numbers follow">{_axes(frame)}{lines}</svg></div>'
        f'<ul class="legend lines">{"".join(map(_sample, range(len(paths)), paths))}</ul>'
    )


def _sample(k: int, path: SkillPath) -> str:
    """A button with the line and the name of an item, which shows its band."""
    line = f'<path class="line" stroke-dasharray="{DASHES[k]}" d="M0 4h24"/>'
    sample = f'<svg viewBox="0 0 24 8" style="color:var(--line{k})" aria-hidden="true">{line}</svg>'
    return f'<li><button type="button" data-line="{k}">{sample}{name(path.item)}</button></li>'


def _axes(frame: Frame) -> str:
    scores, times = frame.scores.ticks(), time_ticks(frame.first, frame.last)
    heights, places = frame.y(np.array(list(scores))), frame.x(np.array(list(times)))
    grid = "".join(f"M{LEFT} {y:.1f}h{WIDTH}" for y in heights)
    up = dict(zip(heights, scores.values(), strict=True))
    across = dict(zip(places, times.values(), strict=True))
    return f'<path class="grid" d="{grid}"/>{tick_texts(LEFT, up, TOP + HEIGHT + 20, across)}'


def _line(path: SkillPath, text: str, k: int, frame: Frame, place: float) -> str:
    """The line and the band of an item, and its name at the height ``place``, to which a thin line leads."""
    x, y = frame.x(path.time), frame.y(path.score)
    band = _points(np.append(x, x[::-1]), np.append(frame.y(path.high), frame.y(path.low)[::-1]))
    return (
        f'<g data-line="{k}" class="{"" if k else "on"}" style="color:var(--line{k})">'
        f'<path class="band" d="M{band}z"/>'
        f'<path class="line" d="M{_points(x, y)}" stroke-dasharray="{DASHES[k]}"/>'
        f'<path class="lead" d="M{x[-1]:.1f} {y[-1]:.1f}L{LEFT + WIDTH + 12} {place:.1f}"/>'
        f'<circle cx="{x[-1]:.1f}" cy="{y[-1]:.1f}" r="3"/>'
        f'<text x="{LEFT + WIDTH + 15}" y="{place:.1f}" dy=".35em">{shown(text)}</text></g>'
    )


def _points(x: Floats, y: Floats) -> str:
    return "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(x, y, strict=True) if np.isfinite(b))


# ------------------------------------------------------------------------------------ tables


def _highest_table(history: "pd.DataFrame") -> str:
    highest, written = highest_ever(history)[:ROWS], partial(rounded, spec=_spec(history))
    columns = [
        names("item", map(name, highest["item"])),
        numbers("highest ever", highest["score"], written),
        intervals("interval", highest["low"], highest["high"], written),
        _times("when", highest["time"]),
    ]
    return f"<p>The highest scores ever.</p>{sortable_table('Highest ever', columns, by=-1)}"


def _movers_table(history: "pd.DataFrame") -> str:
    spec = _spec(history)
    written = partial(rounded, spec=spec)
    moves = biggest_movers(history)
    moves = moves[[written(change).strip("-0.") != "" for change in moves["change"]]][:ROWS]
    if not len(moves):
        return "<p>No score has moved lately.</p>"
    columns = [
        names("item", map(name, moves["item"])),
        numbers("change", moves["change"], partial(rounded, spec=f"+{spec}")),
        numbers("before", moves["before"], written),
        numbers("after", moves["after"], written),
        _times("from", moves["begin"]),
        _times("to", moves["end"]),
    ]
    said = f"The biggest movers since {time_text(moves['begin'].min())}."
    return f"<p>{shown(said)}</p>{sortable_table('Biggest movers', columns, by=-1)}"


def _spec(history: "pd.DataFrame") -> str:
    return SCORE_FORMATS[history.attrs["scale"]]


def _times(title: str, times: "pd.Series[Any]") -> Column:
    """A column of dates or numbers, sorted by time."""
    order = times.map(lambda time: time.timestamp()) if times.dtype.kind == "M" else times
    return Column(title, list(map(cell, order, map(time_text, times))))
