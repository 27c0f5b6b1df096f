"""Figure 3 of [SVMcompare]: level curves of the functions learned from 100 pairs of r(x) = ‖x‖₁², half ties.

    python -m experiments.svmcompare_figure3 [--quick]

Kendall's τ between a learned and the true function, over a grid on the square of the data, measures how close
they are.
"""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from experiments.experiment import Cell, Experiment, Report
from experiments.figures.level_curves import LevelCurvesDisplay
from experiments.run import main
from experiments.svmcompare import MODELS, draw_sets
from podium.comparers.grid import GridResult, compare_grid

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PATTERN, PAIRS = "norm 1", 100
SHOWN = 1  # the data set in the picture


def cells(quick: bool) -> list[Cell]:
    return [{"seed": seed, "model": model} for seed in range(2 if quick else 20) for model in MODELS]


def learned(seed: int, model: str) -> GridResult:
    return compare_grid(MODELS[model], *draw_sets(PATTERN, PAIRS, 0.5, seed))


def truth(X: np.ndarray) -> np.ndarray:
    return np.asarray(np.abs(X).sum(axis=1) ** 2)


def compute(seed: int, model: str) -> dict[str, float]:
    side = np.linspace(-3, 3, 41)
    X = np.array(np.meshgrid(side, side)).reshape(2, -1).T
    found = learned(seed, model)
    return {"tau": kendalltau(found.best_estimator.utility(X), truth(X))[0], "error": found.test_error or 0.0}


def report(frame: pd.DataFrame) -> Report:
    by = frame.groupby("model", sort=False)
    mean = by.mean(numeric_only=True)
    table = pd.DataFrame({"model": mean.index, **{
        heading: [f"{by[key].mean()[m]:.3f} ± {by[key].std()[m]:.3f}" for m in mean.index]
        for heading, key in (("τ with the truth", "tau"), ("test error", "error"))
    }})  # fmt: skip
    order = " < ".join(mean["tau"].sort_values().index)
    sentence = (
        f"Kendall's τ with the true function puts the models in the order {order} "
        f"over {frame['seed'].nunique()} data sets. In the paper, rank is farthest from the truth; compare "
        "and rank2 are closer. ± is the standard deviation over the sets."
    )
    return Report(sentence, table, picture())


def picture() -> "Figure":
    from matplotlib.figure import Figure

    train = draw_sets(PATTERN, PAIRS, 0.5, SHOWN)[0]
    figure = Figure(figsize=(15, 4.4), layout="constrained")
    panels = figure.subplots(1, 4)
    LevelCurvesDisplay.from_utility(truth, train, threshold=1.0, title="truth, ‖x‖₁²", ax=panels[0])
    for panel, model in zip(panels[1:], MODELS, strict=True):
        best = learned(SHOWN, model).best_estimator
        LevelCurvesDisplay.from_estimator(best, train, title=model, ax=panel)
    return figure


EXPERIMENT = Experiment(
    name="svmcompare_figure3",
    paper="Venuto, Hocking, Spanurattana and Sugiyama (2014): Support vector comparison machines",
    title="Figure 3: level curves of learned ranking functions",
    cells=cells,
    compute=compute,
    report=report,
)

if __name__ == "__main__":
    main(EXPERIMENT)
