"""Figure 2 of [SVMcompare]: the largest margin by the linear program (7) and by the quadratic program (9).

    python -m experiments.svmcompare_figure2 [--quick]

The data are separable pairs with two features of different scales. Both programs give a linear ranking
function. The margin is measured in values of that function, with the boundary at 1. The paper observes that
the two agree once the features are scaled.
"""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from experiments.experiment import Cell, Experiment, Report
from experiments.figures.margin import MarginDisplay
from experiments.run import main
from experiments.svmcompare import standardised
from podium import Comparisons, SVMCompare, SVMCompareLP

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HARD = 1e7  # no multiplier of these problems reaches this C


def cells(quick: bool) -> list[Cell]:
    return [
        {"seed": seed, "scaled": scaled} for seed in range(10 if quick else 100) for scaled in (False, True)
    ]


def separable_pairs(seed: int, n: int = 40) -> Comparisons:
    """Pairs compared by r(x) = w·x, none with a difference near 1; feature two has three times the scale."""
    rng = np.random.default_rng(seed)
    left, right = rng.uniform(-1.5, 1.5, size=(2, 20 * n, 2))
    w = rng.normal(size=2)
    rank = (right - left) @ (w / np.linalg.norm(w))
    kept = np.flatnonzero(np.abs(np.abs(rank) - 1) > 0.1)[:n]
    outcome = np.where(np.abs(rank) <= 1, 0, np.sign(rank))[kept].astype(np.int8)
    return Comparisons.from_features(left[kept] * [1, 3], right[kept] * [1, 3], outcome)


def fitted(seed: int, scaled: bool) -> tuple[Comparisons, SVMCompareLP, SVMCompare]:
    pairs = separable_pairs(seed)
    if scaled:
        (pairs,) = standardised([pairs])
    linear = SVMCompareLP().fit(pairs)
    return pairs, linear, SVMCompare(kernel="linear", C=HARD, tol=1e-6, max_iter=1_000_000).fit(pairs)


def compute(seed: int, scaled: bool) -> dict[str, float]:
    _, linear, quadratic = fitted(seed, scaled)
    return {"linear": linear.margin_, "quadratic": quadratic.margin_}


def report(frame: pd.DataFrame) -> Report:
    frame = frame.assign(ratio=frame["quadratic"] / frame["linear"])
    by = frame.groupby("scaled")["ratio"]
    table = pd.DataFrame(
        {
            "features": ["unscaled", "scaled"],
            "equal margins (to 1 %)": [
                f"{100 * (by.get_group(s) > 0.99).mean():.0f} %" for s in (False, True)
            ],
            "mean of μ̂ / μ": [f"{by.get_group(s).mean():.3f}" for s in (False, True)],
            "smallest": [f"{by.get_group(s).min():.3f}" for s in (False, True)],
        }
    )
    apart = int((by.get_group(True) <= 0.99).sum())
    sentence = (
        f"Lemma 1 {'holds' if frame['ratio'].max() < 1 + 1e-5 else 'fails'}: the largest ratio of the "
        f"quadratic program's margin to the linear one's is {frame['ratio'].max():.5f}. The paper observed "
        f"on its example that scaling makes the margins equal; here {apart} of "
        f"{len(by.get_group(True))} scaled data sets differ by more than 1 %."
    )
    return Report(sentence, table, picture(frame))


def picture(frame: pd.DataFrame) -> "Figure":
    """The linear program, and the quadratic program on the flipped pairs, unscaled and scaled."""
    from matplotlib.figure import Figure

    unscaled = frame[~frame["scaled"]]
    seed = int(unscaled.loc[unscaled["ratio"].idxmin(), "seed"])
    pairs, linear, quadratic = fitted(seed, False)
    scaled_pairs, _, scaled_quadratic = fitted(seed, True)
    figure = Figure(figsize=(13, 4.6), layout="constrained")
    panels = figure.subplots(1, 3)
    MarginDisplay.from_estimator(linear, pairs, ax=panels[0])
    MarginDisplay.from_estimator(quadratic, pairs, flipped=True, ax=panels[1])
    MarginDisplay.from_estimator(scaled_quadratic, scaled_pairs, flipped=True, ax=panels[2])
    for panel, title in zip(panels, ("LP (7)", "QP (9), as they are", "QP (9), scaled"), strict=True):
        panel.set_title(title, pad=22)
    return figure


EXPERIMENT = Experiment(
    name="svmcompare_figure2",
    paper="Venuto, Hocking, Spanurattana and Sugiyama (2014): Support vector comparison machines",
    title="Figure 2: the linear and the quadratic program on separable pairs",
    cells=cells,
    compute=compute,
    report=report,
)

if __name__ == "__main__":
    main(EXPERIMENT)
