"""podium next: the pairs of next_pairs, for files as podium rank reads them."""

import json
from pathlib import Path

import pandas as pd
import pytest

from podium import BradleyTerry, PlackettLuce, read_comparisons, read_rankings
from podium.cli.next import goal_of
from tests.cli.runs import CHESS, done, sentence, write_races


def test_pairs_are_those_of_next_pairs(tmp_path: Path) -> None:
    out, picture = tmp_path / "pairs.csv", tmp_path / "gains.png"
    said = done("next", CHESS, "-n", 12, "--goal", "top-5", "--seed", 1, "--out", out, "--plot", picture)
    expected = BradleyTerry().fit(read_comparisons(CHESS)).next_pairs(12, "top-5", random_state=1)
    pd.testing.assert_frame_equal(pd.read_csv(out), expected.astype({"left": "str", "right": "str"}))
    assert "12 pairs for top-5; gain: what a vote takes off the expected size of wrong orders" in said
    assert f"{expected['gain'][0]:.3g}" in said
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_options_of_the_model_are_those_of_rank(tmp_path: Path) -> None:
    out = tmp_path / "pairs.json"
    how = ["--order-effect", "--ties", "rao-kupper", "--set", "prior=1", "--where", "season > 2022"]
    done("next", CHESS, *how, "--explore", 0, "--seed", 0, "--out", out)
    model = BradleyTerry(order_effect=True, ties="rao-kupper", prior=1)
    expected = model.fit(read_comparisons(CHESS, where="season > 2022")).next_pairs(explore=0, random_state=0)
    assert [row["gain"] for row in json.loads(out.read_text())] == pytest.approx(expected["gain"].tolist())


def test_rankings_are_recognised(tmp_path: Path) -> None:
    races, out = write_races(tmp_path), tmp_path / "pairs.parquet"
    done("next", races, "-n", 5, "--seed", 0, "--out", out)
    expected = PlackettLuce().fit(read_rankings(races)).next_pairs(5, random_state=0)
    assert pd.read_parquet(out)["left"].tolist() == expected["left"].tolist()


def test_the_items_say_where_a_goal_is_split() -> None:
    labels = {name: name for name in ("a", "c", "b, c", "a vs b", "b vs c")} | {"7": 7}
    assert goal_of("a vs b, c", labels) == ("a", "b, c")
    assert goal_of("b, c vs a vs b", labels) == ("b, c", "a vs b")
    assert goal_of("7 vs a", labels) == (7, "a")
    with pytest.raises(ValueError, match="'a vs b vs c' could be two pairs"):
        goal_of("a vs b vs c", labels)


def test_a_pair_as_the_goal() -> None:
    said = done("next", CHESS, "--goal", "Ada vs Boris", "--explore", 0, "-n", 1)
    assert "1 pair for Ada vs Boris; gain: what a vote takes off the variance of their difference" in said
    votes = BradleyTerry().fit(read_comparisons(CHESS)).votes_needed("Ada", "Boris")
    assert f"to separate Ada and Boris: about {votes:,.0f} more votes" in said
    assert "Ada and Nils are separated" in done("next", CHESS, "--goal", "Ada vs Nils", "-n", 1)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("some.txt", "Ada\n\n Boris \nNils\n"),
        ("some.csv", "item\nAda\nBoris\nNils\n"),
        ("some.csv", "rank,item\n1,Ada\n2,Boris\n3,Nils\n"),
        ("some.csv", "left,right,gain\nAda,Boris,1\nNils,Boris,1\nNils,Ada,1\n"),
    ],
)
def test_candidates_from_a_file(tmp_path: Path, name: str, text: str) -> None:
    file, out = tmp_path / name, tmp_path / "pairs.csv"
    file.write_text(text)
    done("next", CHESS, "--candidates", file, "--out", out)
    found = pd.read_csv(out)
    assert len(found) == 3
    assert set(found["left"]) | set(found["right"]) == {"Ada", "Boris", "Nils"}


def test_new_items_need_a_normal_prior(tmp_path: Path) -> None:
    file = tmp_path / "some.txt"
    file.write_text("Ada\nZoe, the new one\n")
    asked = ("next", CHESS, "--candidates", file)
    assert "1 pair for Ada vs Zoe, the new one" in done(
        *asked, "--prior", "normal", "--goal", "Ada vs Zoe, the new one"
    )
    assert sentence(*asked).endswith(
        "not in the comparisons: 'Zoe, the new one'; new items in --candidates need --prior normal"
    )


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (["--goal", "Ada,Boris"], "two items as 'A vs B'; 'Ada,Boris' names no two items"),
        (["--goal", "top-14"], "only 1 to 13 of 14 items can be at the top"),
        (["--model", "glicko"], "use bradley-terry, plackett-luce or dynamic-bradley-terry"),
        (["--out", "pairs.xyz"], ".csv"),
        (["--plot", "gains.gif"], ".png"),
        (["-n", "0"], "-n"),
        (["--candidates", "nowhere.txt"], "there is no file 'nowhere.txt'"),
    ],
)
def test_what_cannot_be_done_is_said(how: list[str], said: str) -> None:
    assert said in sentence("next", CHESS, *how)


def test_files_without_candidates_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "some.csv"
    file.write_text("player,points\nAda,3\n")
    assert "needs a column 'item', or the columns 'left' and 'right'" in sentence(
        "next", CHESS, "--candidates", file
    )
    file.write_text("item,points\nAda,3\n,4\nBoris,5\n")
    assert "column 'item'" in sentence("next", CHESS, "--candidates", file)
    assert "written over a file that is read" in sentence("next", CHESS, "--candidates", file, "--out", file)
