import json

from podium import BradleyTerry, Comparisons, Elo, datasets
from podium.web.head_to_head import HeadToHead, opponents_list
from tests.web.parsed import Parsed


def test_the_list_of_opponents_has_those_who_met() -> None:
    n = 7
    c = Comparisons.from_arrays(range(n), [(k + 1) % n for k in range(n)], [-1] * n, weight=[1.5] * n)
    model = Elo().fit(c)
    found = HeadToHead.of(model, c, model.leaderboard(c), most=n)
    section = opponents_list(found)
    lists = json.loads(section.partition('json">')[2].partition("<")[0])
    assert sum(map(len, lists)) == 6 * n
    j, chance, *record, surprising = lists[0][:6]
    assert chance == round(1000 * found.chance[0, j])
    assert record == found.met[:, 0, j].tolist()  # type: ignore[index]
    assert surprising == 0
    assert Parsed(section).tags["option"] == n


def test_teams_have_no_list() -> None:
    model = BradleyTerry().fit(c := datasets.load_doubles_league())
    assert opponents_list(HeadToHead.of(model, c, model.leaderboard())) == ""
