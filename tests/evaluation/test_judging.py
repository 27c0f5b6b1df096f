import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score

import podium as pod
from podium.evaluation.judging import judge_table

pytestmark = pytest.mark.filterwarnings("ignore")  # of the fit: four judges are few


def jury(n: int = 60, seed: int = 0) -> pd.DataFrame:
    """Every judge sees a pair on every prompt in both orders; "left" always prefers the left side."""
    rng, skill, rows = np.random.default_rng(seed), np.array([0.0, 0.7, 1.4, 2.1]), []
    for prompt in range(n):
        a, b = rng.permutation(4)[:2]
        better = 1 if rng.logistic() < skill[b] - skill[a] else -1
        for judge in ("ann", "bob", "coin", "left"):
            for left, right, sign in ((a, b, 1), (b, a, -1)):
                said = {"left": -1, "coin": rng.choice([-1, 1])}
                right_one = sign * (better if rng.random() < 0.9 else -better)
                rows.append((judge, prompt, f"m{left}", f"m{right}", said.get(judge, right_one)))
    return pd.DataFrame(rows, columns=["judge", "prompt", "left", "right", "outcome"])


def read(frame: pd.DataFrame, **more: Any) -> pod.Comparisons:
    return pod.read_comparisons(frame, outcome_format="sign", category="prompt", group="judge", **more)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    frame = jury().assign(kind=lambda f: np.where(f["judge"] == "ann", "human", "ai"))
    return judge_table(read(frame, judge_kind="kind"), 0.95).set_index("judge")


def test_flips_are_those_counted_by_hand(table: pd.DataFrame) -> None:
    frame = jury()
    for judge, votes in frame.groupby("judge"):
        pairs = votes["outcome"].to_numpy().reshape(-1, 2)
        flips = int((pairs[:, 0] == pairs[:, 1]).sum())  # the same side both times is another winner
        row = table.loc[judge]
        assert (row["both_orders"], row["flips"]) == (60, pytest.approx(flips / 60))
        ends = binomtest(flips, 60).proportion_ci()
        assert [row["flips_low"], row["flips_high"]] == pytest.approx([ends.low, ends.high])


def test_kappas_are_those_of_scikit_learn(table: pd.DataFrame) -> None:
    frame = jury()
    frame["vote"] = np.where(frame["left"] < frame["right"], frame["outcome"], -frame["outcome"])
    people = frame[frame["judge"] == "ann"].groupby("prompt")["vote"].sum()
    total = frame.groupby("prompt")["vote"].sum()

    def kappa(one: Any, other: Any) -> float:
        return float(cohen_kappa_score(np.append(one, -one), np.append(other, -other)))

    for judge, votes in frame.groupby("judge"):
        own = votes.groupby("prompt")["vote"].sum()
        others = np.sign((total - own)[votes["prompt"]].to_numpy())
        assert table.loc[judge, "kappa"] == pytest.approx(kappa(votes["vote"].to_numpy(), others))
        if judge != "ann":
            rest = np.sign(people[votes["prompt"]].to_numpy())
            assert table.loc[judge, "kappa_people"] == pytest.approx(kappa(votes["vote"].to_numpy(), rest))
    assert np.isnan(table.loc["ann", "kappa_people"])  # there is no other person


def test_verdicts_say_what_to_do(table: pd.DataFrame) -> None:
    assert table.loc["left", "verdict"] == "do not use: 100 % of the verdicts change with the order"
    assert table.loc["coin", "verdict"].split(":")[0] in ("do not use", "calibrate")
    assert table.loc["ann", "verdict"].split(":")[0] in ("use", "calibrate")
    assert {"sharpness", "tie_habit", "side", "p_value", "agreement"} <= set(table.columns)
    assert -1 <= table.attrs["krippendorff_alpha"] <= 1


def test_one_judge_alone_is_told_by_both_orders() -> None:
    frame = jury()
    columns: Any
    for columns in ({}, {"group": "judge"}):
        votes = frame[frame["judge"] == "bob"]
        c = pod.read_comparisons(
            votes.drop(columns=[] if columns else "judge"),
            outcome_format="sign",
            category="prompt",
            **columns,
        )
        [row] = judge_table(c, 0.95).to_dict("records")
        assert (row["votes"], row["both_orders"]) == (120, 60)
        assert row["judge"] == ("bob" if columns else "all")


def test_nobody_saw_both_orders() -> None:
    frame = jury().iloc[::2]
    table = judge_table(read(frame), 0.95)
    assert table["flips"].isna().all()
    assert table["verdict"].str.match("use|calibrate|do not use").all()


def test_gpt_4_changes_its_mind_with_the_order() -> None:
    path = Path(os.environ.get("PODIUM_DATA", "")) / "llm_votes/qlora_gpt4_judge.csv.gz"
    if "PODIUM_DATA" not in os.environ or not path.exists():
        pytest.skip("set PODIUM_DATA to the folder with the data")
    c = pod.read_comparisons(path, left="model_a", right="model_b", outcome="y", category="question")
    [row] = judge_table(c, 0.95).to_dict("records")
    assert row["votes"] == 43_011
    assert row["both_orders"] > 20_000
    assert row["flips"] == pytest.approx(0.29, abs=0.01)
    assert row["verdict"].startswith("calibrate: 29 % of the verdicts change with the order")


def test_without_prompts_nothing_is_said_about_orders() -> None:
    c = pod.read_comparisons(jury(), outcome_format="sign", group="judge")
    assert judge_table(c, 0.95)[["both_orders", "flips", "flips_low"]].isna().all(axis=None)


def test_a_judge_who_only_calls_ties_has_no_side() -> None:
    c = pod.Comparisons.from_arrays(["a", "b"], ["b", "a"], [0, 0], category=["x", "x"])
    [row] = judge_table(c, 0.95).to_dict("records")
    assert (row["ties"], row["both_orders"], row["flips"]) == (1, 1, 0)
    assert np.isnan(row["left"])
