"""The chart is valid, has a text alternative and needs no script or style."""

from xml.etree import ElementTree as ET

import numpy as np
import pytest

from podium.vote.pages.drawing import HEIGHT, over_time_chart
from podium.vote.tally import VotesOverTime

START = np.datetime64("2026-03-01T22:00", "s")


def over_time(counts: list[int], step: int) -> VotesOverTime:
    times = START + np.arange(len(counts)) * np.timedelta64(step, "s")
    return VotesOverTime(times, np.array(counts, dtype=np.int64), step)


def test_it_says_in_words_what_it_shows() -> None:
    svg = ET.fromstring(over_time_chart(over_time([3, 0, 12, 1], 3600)))
    assert svg.get("role") == "img"
    assert svg.get("aria-label") == (
        "Votes per hour: 16 since 2026-03-01 22:00, at most 12, from 2026-03-02 00:00 on"
    )


def test_one_bar_per_stretch_with_votes() -> None:
    svg = ET.fromstring(over_time_chart(over_time([3, 0, 12, 1], 3600)))
    (bars,) = [path for path in svg.iter() if path.get("class") == "bars"]
    drawn = (bars.get("d") or "").split("z")[:-1]
    assert len(drawn) == 3
    assert f"v-{HEIGHT}.0h" in drawn[1]


def test_times_below_are_short_and_midnight_is_a_date() -> None:
    chart = over_time_chart(over_time([3, 0, 12, 1], 3600))
    assert ">23:00<" in chart
    assert ">2026-03-02<" in chart


@pytest.mark.parametrize("step", [60, 900, 3 * 3600, 86_400, 364 * 86_400, 1234])
@pytest.mark.parametrize("counts", [[1], [5, 0, 0, 1], [1] * 60])
def test_any_step_gives_a_chart(counts: list[int], step: int) -> None:
    svg = ET.fromstring(over_time_chart(over_time(counts, step)))
    assert not any(element.get("style") or "script" in element.tag for element in svg.iter())
