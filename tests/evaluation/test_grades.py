"""Models with and without grades are scored on the same three-way question."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium as pod
from podium.evaluation.scoring import judge
from podium.metrics import log_loss
from tests.bradley_terry.test_grades import simulated
from tests.cli.runs import done


def test_the_log_loss_of_a_graded_model_is_that_of_its_outcomes() -> None:
    c, _ = simulated(900)
    early, late = c[:600], c[600:]
    for model in (
        pod.BradleyTerry().fit(early),
        pod.BradleyTerry("rao-kupper").fit(early),
        pod.Elo().fit(early),
    ):
        scores = judge(model, late).judged.scores
        rows = np.arange(len(late))
        assert scores["log loss"](rows) == pytest.approx(
            log_loss(np.asarray(late.outcome), model.predict_proba(late))
        )
        again = judge(model, replace(late, grade=None)).judged.scores
        assert {name: of(rows) for name, of in again.items()} == {
            name: of(rows) for name, of in scores.items()
        }


def test_commands_compare_models_with_and_without_grades(tmp_path: Path) -> None:
    c, _ = simulated(600, seed=3)
    frame = c.to_frame().assign(left="item " + c.to_frame().left.astype(str))
    frame["right"] = "item " + frame["right"].astype(str)
    path, saved = tmp_path / "votes.csv", tmp_path / "model.skops"
    frame.drop(columns="weight").to_csv(path, index=False)
    how = ["--outcome", "grade", "--outcome-format", "grades"]
    said = done("compare", path, *how, "--model", "bradley-terry", "--model", "elo")
    assert "grade (grades -2 to 2)" in said
    assert "log loss" in said
    done("fit", path, *how, "--model", "bradley-terry", "--save", saved)
    model: Any = pod.load(saved)
    assert model.grades_.tolist() == [-2, -1, 0, 1, 2]
    p = model.predict_grades(pod.Comparisons.from_arrays(["item 0"], ["item 3"]))
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert "log loss" in done("evaluate", saved, path)
    assert "item 3" in done("rank", path, *how)
