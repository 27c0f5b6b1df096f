"""Figures 1 and 2 of [GeneralizedBT]: class probabilities from noisy binary probabilities, for four codes.

    python -m experiments.generalized_bt_figures12 [--quick]

The setting is that of §6.1: the class probabilities of cases (a), (b) and (c), k = 4, 8, ..., 64 classes, and
500 replicates, each with ten per cent of noise on its binary probabilities. Accuracy is how often the first
class, which is truly the most probable, gets the largest probability. The MSE is eq. (10). There are ten
random codes with 50 replicates each.
"""

from typing import TYPE_CHECKING

import pandas as pd

from experiments.experiment import Cell, Experiment, Report
from experiments.run import main
from podium import couple, datasets
from podium.classes.codes import CodeName, make_code
from podium.datasets.simulated import Case

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CODES = {"one-vs-one": "#2a6f97", "one-vs-rest": "#c1440e", "dense": "#6a994e", "sparse": "#8a5a9e"}
CASES = ("a", "b", "c")
REPLICATES = 50  # for each random code


def cells(quick: bool) -> list[Cell]:
    sizes, draws = ((4, 8, 16), 1) if quick else ((4, 8, 16, 32, 64), 10)
    return [
        {"case": case, "k": k, "code": code, "draw": draw}
        for k in sizes
        for case in CASES
        for code in CODES
        for draw in range(draws)
    ]


def compute(case: Case, k: int, code: CodeName, draw: int) -> dict[str, float]:
    table = make_code(code, k, random_state=draw)
    r, p = datasets.make_coded_probabilities(table, case, REPLICATES, random_state=draw)
    found = couple(table, r)
    error = ((found - p) ** 2).sum(axis=1) / (p**2).sum()
    return {"accuracy": (found.argmax(axis=1) == 0).mean(), "mse": error.mean()}


def report(frame: pd.DataFrame) -> Report:
    mean = frame.groupby(["case", "k", "code"], sort=False)[["accuracy", "mse"]].mean()
    table = mean["accuracy"].map("{:.3f}".format) + ", " + mean["mse"].map("{:.4f}".format)
    table = table.unstack("code")[list(CODES)].reset_index()  # noqa: PD010
    largest = mean.xs(frame["k"].max(), level="k")["accuracy"].unstack("code")  # noqa: PD010
    orders = "; ".join(
        f"({case}) " + " > ".join(row.sort_values(ascending=False).index) for case, row in largest.iterrows()
    )
    sentence = (
        f"Order by accuracy with {frame['k'].max()} classes: {orders}. The paper finds one-vs-one good in "
        "(a) and (b) and worse in (c), one-vs-rest competitive in all three, dense and sparse less so in (a) "
        "and (b) when k is large. It also finds that all four have a small MSE in (a); here the largest MSE "
        f"in (a) is {mean.loc['a']['mse'].max():.2f} ({mean.loc['a']['mse'].idxmax()[1]} code, "
        f"{mean.loc['a']['mse'].idxmax()[0]} classes). The table shows accuracy, MSE."
    )
    return Report(sentence, table, picture(mean.reset_index()))


def picture(mean: pd.DataFrame) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 6), layout="constrained")
    panels = figure.subplots(2, len(CASES), sharex=True)
    for (row, key), (column, case) in (
        (a, b) for a in enumerate(("accuracy", "mse")) for b in enumerate(CASES)
    ):
        panel = panels[row, column]
        for code, colour in CODES.items():
            line = mean[(mean["case"] == case) & (mean["code"] == code)]
            panel.plot(line["k"], line[key], color=colour, label=code, marker="o", markersize=3)
        panel.set_xscale("log", base=2)
        panel.set_title(f"({case})" if row == 0 else "")
    panels[0, 0].set_ylabel("accuracy (Figure 1)")
    panels[1, 0].set_ylabel("MSE (Figure 2)")
    panels[1, 1].set_xlabel("classes")
    panels[0, 0].legend(frameon=False, fontsize=8)
    return figure


EXPERIMENT = Experiment(
    name="generalized_bt_figures12",
    paper="Huang, Lin and Weng (2004): A generalized Bradley–Terry model",
    title="Figures 1 and 2: four codes on simulated probabilities",
    cells=cells,
    compute=compute,
    report=report,
)

if __name__ == "__main__":
    main(EXPERIMENT)
