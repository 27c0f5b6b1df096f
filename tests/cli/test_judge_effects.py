"""Judges in the model, on the command line."""

from pathlib import Path

import pandas as pd
import pytest

from podium import BradleyTerry, read_comparisons
from tests.bradley_terry.judge_effects.simulated import judged_votes
from tests.cli.runs import done


@pytest.mark.parametrize("said", ["sharpness,ties", "auto"])
def test_the_board_says_how_much_judges_differ(said: str, tmp_path: Path) -> None:
    file, out, judges = tmp_path / "votes.csv", tmp_path / "board.csv", tmp_path / "judges.csv"
    c, *_ = judged_votes(30, 30, (0.8, 1.0, 0.8))
    c.to_frame().drop(columns="weight").rename(columns={"group": "worker"}).to_csv(file, index=False)
    told = done(
        *("rank", file, "--group", "worker", "--outcome-format", "sign", "--judge-effects", said),
        *("--out", out, "--judges-out", judges),
    )
    effects = "auto" if said == "auto" else ("sharpness", "ties")
    again = read_comparisons(file, group="worker", outcome_format="sign")
    model = BradleyTerry(judge_effects=effects).fit(again)
    assert pd.read_csv(out).score.tolist() == pytest.approx(model.leaderboard().score.tolist())
    spreads = ", ".join(f"{name} {spread:.2f}" for name, spread in model.judge_spread_.items() if spread)
    assert f"judge effects (spreads: {spreads})" in " ".join(told.split())
    saved = pd.read_csv(judges, dtype={"judge": str}).set_index("judge")
    known = model.judge_effects_.set_index("judge")
    assert saved.tie_habit_high.to_dict() == pytest.approx(known.ties_high.to_dict())
