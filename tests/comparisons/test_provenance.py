"""What a board says of how it was made, and the hash of its rows."""

import json
import pickle
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import podium as pod
from podium.comparisons.provenance import digest
from tests.bradley_terry.votes import make_votes
from tests.cli.runs import done


def test_the_order_and_the_codes_of_rows_do_not_matter() -> None:
    c = make_votes(300, n_items=5, weight=1.0 + np.arange(300) % 3)
    rng = np.random.default_rng(0)
    same = digest(c)
    assert digest(c[rng.permutation(len(c))]) == same
    assert digest(c.with_items(np.array([9, *c.items[::-1], 8]))) == same
    assert digest(c.aggregate(by_group=True)) == same
    assert digest(pod.concat([c[200:], c[:200]])) == same
    assert re.fullmatch("[0-9a-f]{64}", same)


@pytest.mark.parametrize("column", ["outcome", "weight", "count", "covariates", "neutral", "time", "group"])
def test_every_column_matters(column: str) -> None:
    c = replace(make_votes(200, n_items=4), time=np.arange(200))
    values: Any = getattr(c, column).copy()
    changed = {
        "neutral": lambda old: ~old,
        "group": lambda old: 1 - (old > 0),
        "outcome": lambda old: 1 - abs(old),
    }
    values[7] = changed.get(column, lambda old: old + 3)(values[7])
    assert digest(replace(c, **{column: values})) != digest(c)
    named = pod.Comparisons.from_arrays(
        ["a", "b"], ["b", "c"], [1, 0], group={"judge": [1, 1], "prompt": [1, 2]}
    )
    other = pod.Comparisons.from_arrays(
        ["a", "b"], ["b", "c"], [1, 0], group={"judge": [1, 1], "prompt": [2, 1]}
    )
    assert digest(named) != digest(other)
    teams = [pod.Comparisons.from_arrays([("a", "b")], [last], [1]) for last in ("c", ("c", "d"))]
    assert digest(teams[0]) != digest(teams[1])


def test_json_and_page_say_how_a_board_was_made(tmp_path: Path) -> None:

    rows = make_votes(120, n_items=4).to_frame()[["left", "right", "outcome"]]
    hashes = []
    for seed in range(2):
        frame = rows.sample(frac=1, random_state=seed)
        frame = pd.concat([frame, pd.DataFrame({"left": [None], "right": [1], "outcome": [1]})])
        frame.to_csv(tmp_path / "votes.csv", index=False)
        files = {name: str(tmp_path / f"board.{name}") for name in ("json", "html")}
        made = ["rank", str(tmp_path / "votes.csv"), "--skip-invalid", "--ties", "half"]
        done(*made, "--out", files["json"], "--report", files["html"])
        known = json.loads(Path(files["json"]).read_text())[0]["provenance"]
        assert known["podium"] == pod.__version__
        assert "ties='half'" in known["options"]
        assert known["rows_read"] == 121
        assert known["left_out"] == ["1 with nothing in 'left'"]
        page = Path(files["html"]).read_text()
        assert all(said in page for said in (known["sha256"], known["podium"], "1 row. 1 with nothing in"))
        assert "What would change this" in page
        hashes.append(known["sha256"])
    assert hashes[0] == hashes[1]


def test_boards_keep_it_without_the_votes() -> None:
    c = make_votes(5_000, n_items=4)
    board = pod.BradleyTerry().fit(c).leaderboard()
    content = pickle.dumps(board)
    assert len(content) < 10_000
    assert pickle.loads(content).provenance == board[:2].provenance == board.provenance
    assert pickle.loads(content) == board
