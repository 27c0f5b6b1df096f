"""What works together: every cell of the table is tried, and the page prints the table.

A new row or column of `podium.bradley_terry.together` needs a recipe here: parameters, other comparisons, or
what is asked of the fitted model.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium as pod
from podium.bradley_terry.together import ACTIONS, MODELS, TOGETHER, USED
from tests.bradley_terry.votes import make_votes

PAGE = Path(__file__).parents[2] / "docs/models/bradley_terry.md"
COLUMNS = (*USED, *(name for name in (*ACTIONS, *MODELS) if name not in USED))
CELLS = [(row, column) for row in TOGETHER for column in COLUMNS if column != row]


@dataclass
class Case:
    """A fit, and what is asked of it."""

    c: pod.Comparisons
    how: dict[str, Any] = field(default_factory=dict)
    asks: list[Callable[[pod.BradleyTerry], Any]] = field(default_factory=list)
    board: dict[str, Any] = field(default_factory=dict)

    def run(self) -> None:
        model = pod.BradleyTerry(**self.how).fit(self.c)
        for ask in self.asks:
            ask(model)
        board = model.leaderboard(**self.board)
        assert np.isfinite(getattr(board, "overall", board).score).all()


def votes() -> pod.Comparisons:
    c = make_votes(400, n_items=4, n_judges=25)
    return replace(c, covariates=None, covariate_names=(), neutral=None)


def teams(case: Case) -> None:
    c = case.c
    sides = (
        [(item, f"{side}{k % 3}") for k, item in enumerate(one.tolist())]
        for side, one in zip("lr", (c.left, c.right), strict=True)
    )
    left, right = ([tuple(map(str, team)) for team in side] for side in sides)
    case.c = pod.Comparisons.from_arrays(left, right, c.outcome, group=c.group)


def fitted(name: str, case: Case) -> Any:
    """Another model, with the parameters of the case."""
    rankings = pod.Rankings.from_lists([[0, 1, 2], [1, 0, 3], [3, 2, 1], [2, 3, 0]] * 10)
    data: Any = replace(case.c, time=np.arange(float(N))) if name == "DynamicBradleyTerry" else rankings
    return getattr(pod, name)(**case.how).fit(data)


def saved(model: pod.BradleyTerry, tmp: list[Path]) -> None:
    pod.save(model, tmp[0] / "model.skops")
    assert np.array_equal(pod.load(tmp[0] / "model.skops").log_skill_, model.log_skill_)


def columns(**more: Any) -> Callable[[Case], None]:
    return lambda case: setattr(case, "c", replace(case.c, **more))


N = 400
GRADES = (1 + np.arange(N) % 2).astype(np.int8)
FOLDER: list[Path] = []
RECIPES: dict[str, Callable[[Case], Any]] = {
    "judge effects": lambda case: case.how.update(judge_effects=("sharpness",)),
    "anytime": lambda case: case.board.update(anytime=True),
    "teams": teams,
    "covariates": columns(covariates=np.sin(np.arange(N))[:, None], covariate_names=("length",)),
    "order effect": lambda case: case.how.update(order_effect=True),
    "neutral ground": columns(neutral=np.arange(N) % 3 == 0),
    "prior=0": lambda case: case.how.update(prior=0),
    "prior=0.1": lambda case: case.how.update(prior=0.1),
    "prior='auto'": lambda case: case.how.update(prior="auto"),
    "prior='normal'": lambda case: case.how.update(prior="normal"),
    "prior='normal' with features": lambda case: (
        case.how.update(prior="normal"),
        columns(features=np.arange(4.0)[:, None] ** 2)(case),
    ),
    "ties='rao-kupper'": lambda case: case.how.update(ties="rao-kupper"),
    "ties='half'": lambda case: case.how.update(ties="half"),
    "ties='ignore'": lambda case: case.how.update(ties="ignore"),
    "fixed skills": lambda case: case.how.update(fixed={1: 0.3}),
    "grades": lambda case: columns(grade=np.asarray(case.c.outcome) * GRADES)(case),
    "half-life": lambda case: (case.how.update(half_life=100), columns(time=np.arange(float(N)))(case)),
    "covariance='robust'": lambda case: case.how.update(covariance="robust"),
    "covariance='cluster'": lambda case: case.how.update(covariance="cluster"),
    "several groups": columns(
        other_group=np.arange(N, dtype=np.int32)[:, None] % 7,
        other_groups=(np.arange(7),),
        group_names=("judge", "prompt"),
    ),
    "counts": columns(count=1.0 + np.arange(N) % 2),
    "weights": columns(weight=1.0 + np.arange(N) % 2 / 2),
    "kinds of judges": lambda case: (
        case.how.update(judge_kind="human"),
        columns(judge_kind=np.arange(N, dtype=np.int32) % 4 // 3, judge_kinds=np.array(["ai", "human"]))(
            case
        ),
    ),
    "bootstrap": lambda case: case.board.update(bootstrap=5, random_state=0),
    "boards by category": lambda case: case.board.update(by=np.arange(N) % 2),
    "fragility": lambda case: case.asks.append(lambda model: model.fragility()),
    "influence": lambda case: case.asks.append(lambda model: model.influence("votes")),
    "goodness of fit": lambda case: case.asks.append(lambda model: model.goodness_of_fit()),
    "judges": lambda case: case.asks.append(lambda model: model.judges()),
    "saving": lambda case: case.asks.append(lambda model: saved(model, FOLDER)),
}


def test_every_name_of_the_table_is_known() -> None:
    assert RECIPES.keys() == (TOGETHER.keys() | set(COLUMNS)) - {"update", *MODELS}
    for row, cells in TOGETHER.items():
        assert cells.keys() <= set(COLUMNS) | TOGETHER.keys(), row
        assert all(sentence and not sentence.endswith(".") for sentence in cells.values()), row


def refused(row: str, column: str) -> bool:
    return column in TOGETHER[row] or row in TOGETHER.get(column, {})


@pytest.mark.parametrize(("row", "column"), CELLS, ids=lambda name: name)
@pytest.mark.filterwarnings("ignore")
def test_every_cell_works_or_is_refused_in_a_sentence(row: str, column: str, tmp_path: Path) -> None:
    FOLDER[:] = [tmp_path]
    if column == "update":  # of no Bradley-Terry model
        assert column in TOGETHER[row]
        assert not hasattr(pod.BradleyTerry, "update")
    elif column in MODELS:
        case = Case(votes())
        RECIPES[row](case)
        if column in TOGETHER[row]:
            with pytest.raises((TypeError, ValueError)):  # it has no such parameter
                fitted(column, case).leaderboard(**case.board)
        else:
            fitted(column, case).leaderboard(**case.board)
    else:
        case = Case(votes())
        for name in (column, row):
            RECIPES[name](case)
        if refused(row, column):
            with pytest.raises(ValueError, match=r"^\S.{20,300}$"):
                case.run()
        else:
            case.run()


def as_markdown() -> str:
    """The table as the page prints it."""
    lines = [f"| | {' | '.join(TOGETHER)} |", "|---|" + "---|" * len(TOGETHER)]
    for column in (*TOGETHER, *(name for name in COLUMNS if name not in TOGETHER)):
        cells = ["" if row == column else "no" if refused(row, column) else "yes" for row in TOGETHER]
        lines.append(f"| {column} | {' | '.join(cells)} |")
    why = {f"- {row} and {column}: {said}." for row in TOGETHER for column, said in TOGETHER[row].items()}
    return "\n".join([*lines, "", *sorted(why)])


def test_the_page_prints_the_table() -> None:
    found = re.search(r"## What works together\n.*?\n(\|.*?)\n\n(?=## )", PAGE.read_text("utf-8"), re.DOTALL)
    assert found, "docs/models/bradley_terry.md has no section 'What works together'"
    assert found[1] == as_markdown(), as_markdown()
