"""The online algorithm of the lecture: how close steps of 1/t and 1/√t come to the optimum, pass by pass.

    python -m experiments.lecture_convergence [--quick]

The data are 10,000 comparisons by a linear ranking function; a tenth of them are wrong, and λ/T = 1e-3. The
optimum comes from SVMRank with the linear kernel, which certifies it. [Lecture] §1.3 calls 1/t the faster
rate. That is a statement about the limit; here we look at the first fifty passes.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from experiments.experiment import Cell, Experiment, Report
from experiments.run import main
from podium import OnlineSVMRank, SVMRank

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LAMBDA_OVER_T = 1e-3
# The rule for steps, their size (chosen by default), and whether the iterates are averaged.
RULES: dict[str, dict[str, Any]] = {
    "1/t": {"step": "inverse", "step_size": 1.0, "average": False},
    "T/(λt)": {"step": "inverse", "average": False},
    "T/(λt), averaged": {"step": "inverse", "average": True},
    "1/√t": {"step": "sqrt", "step_size": 1.0, "average": False},
    "1/√t, averaged": {"step": "sqrt", "step_size": 1.0, "average": True},
    "podium's default": {"step": "sqrt", "average": True},
}
PASSES = (1, 2, 5, 10, 20, 50)


def cells(quick: bool) -> list[Cell]:
    size, passes, seeds = (1_000, PASSES[:3], 2) if quick else (10_000, PASSES, 5)
    return [
        {"n": size, "rule": rule, "passes": p, "seed": seed}
        for seed in range(seeds)
        for rule in RULES
        for p in passes
    ]


def noisy_comparisons(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs with ten features, and which side is better; a tenth of the answers are wrong."""
    rng = np.random.default_rng(seed)
    pairs = rng.normal(size=(n, 2, 10))
    outcome = np.sign((pairs[:, 1] - pairs[:, 0]) @ rng.normal(size=10))
    return pairs, np.where(rng.random(n) < 0.1, -outcome, outcome).astype(np.int8)


def objective(w: np.ndarray, pairs: np.ndarray, outcome: np.ndarray, C: float) -> float:
    """Eq. (3): half the squared norm plus C times the slack."""
    slack = np.maximum(0, 1 - outcome * ((pairs[:, 1] - pairs[:, 0]) @ w))
    return float(w @ w / 2 + C * slack.sum())


def compute(n: int, rule: str, passes: int, seed: int) -> dict[str, float]:
    pairs, outcome = noisy_comparisons(n, seed)
    C = 1 / (LAMBDA_OVER_T * n)
    exact = SVMRank(kernel="linear", C=C, tol=1e-5).fit(pairs, outcome)
    online = OnlineSVMRank(C=C, epochs=passes, random_state=seed, **RULES[rule]).fit(pairs, outcome)
    best = objective(exact.coef_, pairs, outcome, C)
    return {"ratio": objective(online.coef_, pairs, outcome, C) / best}


def report(frame: pd.DataFrame) -> Report:
    mean = frame.pivot_table(index="rule", columns="passes", values="ratio", sort=False)
    table = (
        mean.map("{:.3f}".format)
        .rename(columns=lambda n: f"after {n} pass{'es' if n > 1 else ''}")
        .reset_index()
    )
    last = frame["passes"].max()
    nearer = int((mean.loc["1/√t"] < mean.loc["T/(λt)"]).sum())
    sentence = (
        f"The numbers are objective / optimum. After one pass 1/t is at {mean.loc['1/t', 1]:.2f}, T/(λt) at "
        f"{mean.loc['T/(λt)', 1]:.2f}, 1/√t at {mean.loc['1/√t', 1]:.2f} and averaged 1/√t at "
        f"{mean.loc['1/√t, averaged', 1]:.2f}. After {last} passes 1/t is at {mean.loc['1/t', last]:.3f} and "
        f"podium's default (1/√t with averaging and a chosen size) at {mean.loc[list(RULES)[-1], last]:.3f}. "
        "The notes call 1/t the faster rate, because the problem is strongly convex. Without averaging, 1/√t "
        f"is closer to the optimum than T/(λt) in {nearer} of these {len(mean.columns)} columns."
    )
    return Report(sentence, table, picture(mean))


def picture(mean: pd.DataFrame) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.5, 4), layout="constrained")
    panel = figure.subplots()
    for rule in RULES:
        panel.loglog(mean.columns, mean.loc[rule] - 1, marker="o", markersize=3, label=rule)
    panel.set_xlabel("passes over the comparisons")
    panel.set_ylabel("objective over its optimum, less 1")
    panel.legend(frameon=False, fontsize=8)
    return figure


EXPERIMENT = Experiment(
    name="lecture_convergence",
    paper="Bagnell and Wu (lecture notes, undated): Learning by constraints and SVMs (2)",
    title="§1.4: steps of 1/t and 1/√t against the exact optimum",
    cells=cells,
    compute=compute,
    report=report,
)

if __name__ == "__main__":
    main(EXPERIMENT)
