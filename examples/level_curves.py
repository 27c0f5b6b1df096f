"""Level curves of SVMCompare and SVMRank, learned from the same pairs, half of them ties."""

import numpy as np
from matplotlib.figure import Figure

import podium as pod

train = pod.datasets.make_norm_comparisons(200, norm=1, random_state=0)
test = pod.datasets.make_norm_comparisons(2000, norm=1, random_state=1)
machines = {
    "SVMCompare": pod.SVMCompare(C=10, gamma=0.5),
    "SVMRank, ties ignored": pod.SVMRank(C=10, gamma=0.5),
}
figure = Figure(figsize=(11, 4), layout="constrained")
axes = figure.subplots(1, 3)
pod.LevelCurvesDisplay.from_utility(
    lambda X: np.abs(X).sum(axis=1) ** 2, train[:30], threshold=1.0, title="the truth, ‖x‖₁²", ax=axes[0]
)
for ax, (name, machine) in zip(axes[1:], machines.items(), strict=True):
    error = pod.metrics.comparison_error(test.outcome, machine.fit(train).predict(test))
    print(f"{name:22} {100 * error:.1f} % of new pairs wrong")
    pod.LevelCurvesDisplay.from_estimator(machine, train[:30], title=name, ax=ax)
pod.plot.save_figure(figure, "level_curves.png", dpi=100)
