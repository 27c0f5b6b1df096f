"""Shared by the experiments of [SVMcompare] §§4.1 and 4.2: four patterns, three models, the picture."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

from experiments.experiment import Cell, Experiment, Report
from podium import Comparisons, SVMCompare, SVMRank, datasets
from podium.metrics import comparison_error

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
NORMS: dict[str, Literal[1, 2, "inf"]] = {"norm 1": 1, "norm 2": 2, "norm inf": "inf"}
PATTERNS = (*NORMS, "sushi")
TITLES = {"norm 1": "‖x‖₁²", "norm 2": "‖x‖₂²", "norm inf": "‖x‖∞²", "sushi": "sushi"}
MODELS = {"rank": SVMRank(ties="ignore"), "rank2": SVMRank(ties="both"), "compare": SVMCompare()}
COLOURS = {"rank": "#8a8a8a", "rank2": "#2a6f97", "compare": "#c1440e", "truth": "#222222"}


def pattern_cells(settings: list[Cell], repetitions: int) -> list[Cell]:
    """Every model on every pattern in every setting; for sushi the true function is unknown."""
    return [
        {"pattern": pattern, "model": model, **setting, "seed": seed}
        for setting in settings
        for pattern in PATTERNS
        for seed in range(repetitions)
        for model in (*MODELS, "truth")
        if not (pattern == "sushi" and model == "truth")
    ]


def pattern_experiment(
    name: str,
    title: str,
    cells: Callable[[bool], list[Cell]],
    compute: Callable[..., dict[str, float]],
    sentence: Callable[[pd.DataFrame], str],
    **axes: Any,
) -> Experiment:
    """A figure made from `pattern_cells`: a sentence, a table of means, and curves along the given axes."""

    def report(frame: pd.DataFrame) -> Report:
        table = mean_and_sd(frame, ["pattern", axes["x"]], axes["y"])
        return Report(sentence(frame), table, curves(frame, **axes))

    return Experiment(
        name,
        "Venuto, Hocking, Spanurattana and Sugiyama (2014): Support vector comparison machines",
        title,
        cells,
        compute,
        report,
        needs=lambda cell: "sushi" if cell["pattern"] == "sushi" else None,
    )


def draw_sets(pattern: str, n: int, tie_share: float, seed: int) -> list[Comparisons]:
    """Training, validation and test sets of n pairs each, all with the same share of ties."""
    if pattern != "sushi":
        make = datasets.make_norm_comparisons
        return [make(n, norm=NORMS[pattern], tie_share=tie_share, random_state=[seed, k]) for k in range(3)]
    pairs = datasets.fetch_sushi(random_state=seed)
    outcome = np.asarray(pairs.outcome)
    rng = np.random.default_rng(seed)
    ties, decided = (rng.permutation(np.flatnonzero(which)) for which in (outcome == 0, outcome != 0))
    n_ties = round(tie_share * n)
    blocks = zip(np.split(ties[: 3 * n_ties], 3), np.split(decided[: 3 * (n - n_ties)], 3), strict=True)
    return standardised([pairs[np.concatenate(block)] for block in blocks])


def standardised(sets: list[Comparisons]) -> list[Comparisons]:
    """Standardise the features on the first set, because one γ cannot suit both a gender and a longitude."""
    scaler = StandardScaler().fit(sets[0].features)
    scaled = [(scaler.transform(c.features), c) for c in sets]
    return [Comparisons.from_features(X[c.left], X[c.right], c.outcome) for X, c in scaled]


def true_difference(test: Comparisons, pattern: str) -> Floats:
    """r(right) - r(left) for the ranking function that generated the data."""
    r = np.linalg.norm(test.features, ord=float(NORMS[pattern]), axis=1) ** 2
    return np.asarray(r[test.right] - r[test.left])


def test_error_of_truth(test: Comparisons, pattern: str) -> float:
    """The zero-one loss of the true function: the error that is due to noise."""
    difference = true_difference(test, pattern)
    predicted = np.where(np.abs(difference) <= 1, 0, np.sign(difference))
    return comparison_error(np.asarray(test.outcome), predicted)


def mean_and_sd(frame: pd.DataFrame, by: list[str], value: str) -> pd.DataFrame:
    """Mean ± standard deviation over the repetitions: one row per setting, one column per model."""
    groups = frame.groupby([*by, "model"], sort=False)[value]
    mean, sd = (numbers.map("{:.3f}".format) for numbers in (groups.mean(), groups.std()))
    words = (mean + " ± " + sd).unstack("model", "")  # noqa: PD010
    models = [model for model in COLOURS if model in words.columns]
    return words.reindex(columns=models).reset_index().replace({"pattern": TITLES})


def curves(frame: pd.DataFrame, x: str, y: str, labels: tuple[str, str], log: bool = False) -> "Figure":
    """One panel per pattern, one line per model with a band of one standard deviation."""
    from matplotlib.figure import Figure

    patterns = list(dict.fromkeys(frame["pattern"]))
    figure = Figure(figsize=(3.1 * len(patterns), 3.2), layout="constrained")
    panels = figure.subplots(1, len(patterns), sharey=False, squeeze=False)[0]
    for panel, pattern in zip(panels, patterns, strict=True):
        for model, colour in COLOURS.items():
            chosen = frame[(frame["pattern"] == pattern) & (frame["model"] == model)]
            if chosen.empty:
                continue
            groups = chosen.groupby(x)[y]
            mean, sd = groups.mean(), groups.std()
            panel.plot(mean.index, mean, color=colour, label=model, marker="o", markersize=3)
            panel.fill_between(mean.index, mean - sd, mean + sd, color=colour, alpha=0.15, linewidth=0)
        panel.set_title(TITLES[pattern])
        panel.set_xlabel(labels[0])
        if log:
            panel.set_xscale("log", base=2)
            panel.set_xticks(sorted(set(frame[x])), [str(value) for value in sorted(set(frame[x]))])
    panels[0].set_ylabel(labels[1])
    panels[0].legend(frameon=False)
    return figure
