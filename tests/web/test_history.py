import re

import numpy as np

from podium.leaderboard.history import highlights
from podium.web.history import history_section
from podium.web.report import page_of
from tests.leaderboard.histories import by_hand, history
from tests.web.parsed import Parsed
from tests.web.reports import ODD_NAMES, SCRIPT, odd_comparisons, report_on


def test_a_picture_and_two_tables() -> None:
    frame = history(12)
    section = history_section(frame)
    page = Parsed(section)
    assert page.tags["svg"] == 1 + 8  # the picture, and a sample of each line
    assert page.tags["table"] == 2
    assert section.count('class="band"') == 8
    assert section.count('class="on"') == 1  # one band at a time
    drawn = re.findall(r'<path class="line" d="[^"]*" stroke-dasharray="([^"]*)"', section)
    assert len(drawn) == len(set(drawn)) == 8  # no two lines look alike, even without colours
    assert drawn == re.findall(r'<path class="line" stroke-dasharray="([^"]*)"', section)
    assert "Elo scale, 95 % intervals" in section
    assert "4 more are left out" in section
    highest = frame["score"].max()
    assert f'data-value="{highest:.12g}">{highest:.0f}' in section
    assert "The biggest movers since 202" in section


def test_the_picture_has_its_points_inside_and_names_apart() -> None:
    section = history_section(history(12, 2000, dates=False))
    for path in re.findall(r'class="(?:band|line|lead)" d="([^"]*)"', section):
        points = np.array([word.split(" ") for word in re.split("[MLz]", path) if word], dtype=float)
        assert (points >= [44 - 0.1, 10 - 0.1]).all()
        assert (points <= [44 + 560 + 12.1, 310.1]).all()
    heights = [float(y) for y in re.findall(r'<text x="619" y="([^"]*)"', section)]
    assert len(heights) == 8
    assert np.diff(np.sort(heights)).min() >= 15 - 0.11
    assert len(section) < 200_000


def test_the_items_that_are_asked_for_are_drawn_with_their_whole_names() -> None:
    long = "a name that is far too long to stand at the end of a line of a picture"
    frame = by_hand([(1, "a", 1500.0), (2, "a", 1510.0), (1, long, 1400.0), (2, "b", 1600.0)])
    frame.attrs |= {"scale": "elo", "level": 0.9}
    section = history_section(frame, [long, "a"])
    assert "The picture shows the items that were asked for; 1 more are left out." in section
    names = re.findall(r'data-line="\d"><svg.*?</svg><bdi class="name">(.*?)</bdi>', section)
    assert names == [long, "a"]


def test_odd_names_are_harmless() -> None:
    rows = [(t, item, 1500.0 + 5 * k + t) for k, item in enumerate(ODD_NAMES) for t in (1, 2)]
    frame = by_hand(rows)
    frame.attrs |= {"scale": "log", "level": 0.9}
    section = history_section(frame)
    Parsed(section)
    assert SCRIPT not in section
    assert "<img" not in section


def test_a_name_in_the_picture_is_written_as_in_the_tables() -> None:
    frame = by_hand([(1, "\N{MAN}\u200d\N{GIRL}\ttwo", 1500.0), (2, "\N{MAN}\u200d\N{GIRL}\ttwo", 1510.0)])
    frame.attrs |= {"scale": "elo", "level": 0.9}
    assert history_section(frame).count("\N{MAN}\u200d\N{GIRL}\ttwo") == 4


def test_one_moment_has_a_picture_too() -> None:
    frame = by_hand([(3, "a", 1500.0)])
    frame.attrs |= {"scale": "elo", "level": 0.9}
    section = history_section(frame)
    Parsed(section)
    assert section.count('<svg class="history"') == 1
    assert "nan" not in section


def test_scores_that_do_not_move_have_no_movers() -> None:
    frame = by_hand([(t, item, 1500.0 + 1e-9 * t) for item in "ab" for t in (1, 2)])
    frame.attrs |= {"scale": "elo", "level": 0.9}
    section = history_section(frame)
    assert "No score has moved lately." in section
    assert "+0" not in section
    assert len(highlights(frame)) == 1


def test_the_movers_begin_where_the_history_does() -> None:
    days = [np.datetime64(day, "D") for day in ("2026-09-01", "2026-09-25")]
    frame = by_hand([(days[0], "a", 1500.0), (days[1], "a", 1510.0)])
    frame.attrs |= {"scale": "elo", "level": 0.95}
    section = history_section(frame)
    assert "The biggest movers since 2026-09-01." in section
    assert "biggest mover since 2026-09-01" in highlights(frame)[1]
    assert section.count('<text class="long"') > 1  # on a phone, there is room for every second date


def test_the_report_has_a_section() -> None:
    c = odd_comparisons()
    assert "History" not in page_of(report_on(c)).sections
    page = page_of(report_on(c, history=history()))
    assert list(page.sections)[:2] == ["Leaderboard", "History"]
    Parsed(page.html())
