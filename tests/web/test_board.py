import re
from dataclasses import replace

import numpy as np

from podium import Leaderboard
from podium.leaderboard.board import RANKS
from podium.leaderboard.boards import Boards
from podium.web.board import MOST_ROWS, board_caption, board_table, ranks_section
from podium.web.table import FEWEST
from tests.web.parsed import Parsed


def board(n: int, **columns: object) -> Leaderboard:
    score = 1600.0 - np.arange(n)
    usual = {
        "rank": np.arange(1, n + 1),
        "item": [f"item {k}" for k in range(n)],
        "score": score,
        "low": score - 50,
        "high": score + 50,
        "component": np.zeros(n),
    }
    counts = dict.fromkeys(("games", "wins", "ties", "losses"), np.full(n, 3.0))
    return Leaderboard(**(usual | counts | columns))  # type: ignore[arg-type]


def bars(board: Leaderboard) -> list[list[float]]:
    styles = re.findall(r"--low:(.*?)%;--dot:(.*?)%;--high:(.*?)%", board_table(board))
    return [[float(number) for number in style] for style in styles]


def headings(board: Leaderboard) -> list[str]:
    return re.findall(r"<button[^>]*><span>(.*?)</span>", board_table(board))


def test_bars_share_one_scale() -> None:
    assert bars(board(2, score=[20, 10], low=[15, 0], high=[25, 20])) == [[60, 80, 100], [0, 40, 80]]


def test_a_bar_without_an_end_runs_to_the_edge() -> None:
    assert bars(board(2, score=[20, 10], low=[0, -np.inf], high=[np.inf, 20])) == [
        [0, 100, 100],
        [0, 50, 100],
    ]


def test_an_endless_bar_has_no_end_mark() -> None:
    table = board_table(board(3, score=[3, 2, 1], low=[0, -np.inf, 0], high=[9, 9, np.inf]))
    assert re.findall('class="(bar[^"]*)"', table) == ["bar", "bar left", "bar right"]


def test_the_axis_has_round_numbers_where_the_bars_have_them() -> None:
    table = board_table(board(2, score=[1500, 1300], low=[1400, 1200], high=[1600, 1400]))
    ticks = re.findall(r'<span style="left:(.*?)%">(.*?)</span>', table)
    assert ticks == [("0.0", "1200"), ("25.0", "1300"), ("50.0", "1400"), ("75.0", "1500"), ("100.0", "1600")]
    assert "--first:0.00%;--step:25.00%" in table


def test_long_tables_have_a_filter() -> None:
    assert "<input" not in board_table(board(FEWEST - 1))
    assert Parsed(board_table(board(FEWEST))).values("aria-label")[0] == "Filter: Leaderboard"
    assert "<input" not in board_table(board(FEWEST), filtered=False)


def test_equal_scores_do_not_divide_by_zero() -> None:
    assert bars(board(1, score=[5], low=[5], high=[5])) == [[0, 0, 0]]


def test_an_unknown_interval_has_no_bar_and_sorts_last() -> None:
    one = board(2, low=[np.nan, 0], high=[np.nan, 9])
    assert len(bars(one)) == 1
    assert '<td role="cell" class="number interval" data-value="">' in board_table(one)


def test_an_unknown_score_is_a_dash() -> None:
    assert "nan" not in board_table(board(2, score=[1500, np.nan], low=[0, np.nan], high=[9, np.nan]))


def test_columns_that_say_nothing_are_left_out() -> None:
    usual = ["rank", "item", "score", "interval", "games", "won", "tied", "lost"]
    assert headings(board(3)) == usual  # as of Elo
    assert headings(board(3, ranks="simultaneous")) == [
        "rank",
        "range",
        *usual[1:],
    ]  # the columns of a live board stay
    assert headings(board(3, component=[0, 0, 1]))[-1] == "group"
    unknown = np.full(3, np.nan)
    assert "interval" not in headings(board(3, low=unknown, high=unknown))


def test_long_boards_are_cut_and_say_so() -> None:
    table = board_table(board(MOST_ROWS + 7))
    assert Parsed(table).tags["tr"] == 1 + MOST_ROWS
    assert "and 7 more" in table
    assert "more" not in board_table(board(5))


def test_the_caption_says_how_to_read_it() -> None:
    assert "95\N{NO-BREAK SPACE}% intervals" in board_caption(board(2))
    ranged = {"rank_low": [1, 1], "rank_high": [2, 2]}
    together, by_pairs = (board_caption(board(2, **ranged, ranks=ranks)) for ranks in RANKS)
    assert "too high or too low; all ranges hold together, at 95" in together
    assert "too high or too low; pairs are tested one by one, at 95" in by_pairs
    assert "range" not in board_caption(board(2))
    assert "cannot be compared" in board_caption(board(2, component=[0, 1]))
    effect = "Advantage of the left side: 35 (20 to 50)."
    assert effect in board_caption(board(2, order_effect=(35.4, 20, 50)))


def test_the_caption_keeps_the_names_of_items() -> None:
    columns = {"rank_low": [1, 1], "rank_high": [2, 2], "ranks": RANKS[0]}
    assert board_caption(board(2, item=["gpt", "b"], **columns)).startswith("gpt leads; ")
    assert board_caption(board(2, component=[0, 1], **columns)).startswith("Nobody leads: ")


def test_long_numbers_on_the_axis_have_room() -> None:
    axis = board_table(board(2, score=[1e7, 5], low=[1.0, 1.0], high=[1.6e7, 10], scale="skill"))
    ticks = re.findall(r'<span style="left:.*?">(\d+)</span>', axis)
    assert sum(map(len, ticks)) <= 20


def test_categories_show_rank_score_and_games_the_largest_first() -> None:
    whole = board(3, score=[1530.4, 1500, -0.2], games=[12_345, 20, 20])
    small = board(2, score=[1520.0, 1480], games=[9, 10])
    section = ranks_section(
        Boards(whole, {"few": small, "many": replace(whole, games=np.array([90.0, 80, 70]))}), "task"
    )
    assert re.findall("<span>(.*?)</span>", section) == ["item", "overall", "many", "few"]
    assert "overall and by task, the one with the most games first" in section
    cells = re.findall(r'class="(number[^"]*)" data-value="(.*?)">(.*?)</td>', section)
    assert cells[0] == ("number", "1", "1<small>1530<br>12k</small>")
    assert cells[2] == ("number few", "1", "1<small>1520<br>9</small>")  # fewer than 10 games
    assert cells[5] == ("number", "2", "2<small>1480<br>10</small>")
    assert cells[6][2].startswith("3<small>0<br>")  # not -0
    assert cells[8] == ("number", "", "–")  # it is not in this category


def test_categories_with_long_titles_are_upright_and_fit_on_paper() -> None:
    def tables(titles: list[str]) -> list[str]:
        one = board(2)
        return ranks_section(Boards(one, dict.fromkeys(titles, one))).split("<table")[1:]

    assert len(tables([f"category {k}" for k in range(20)])) == 1
    long = tables([f"category {k} with a title that takes two lines" for k in range(20)])
    assert len(long) == 2
    assert (
        'class="board sortable places upright"'
        in tables(["one title that is far too long for a column " * 2])[0]
    )
    assert 'class="board sortable places"' in tables(["short", "titles"])[0]
