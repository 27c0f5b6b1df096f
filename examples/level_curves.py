"""Level curves of SVMCompare and SVMRank, learned from the same pairs, half of them ties."""

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

import podium as pod

train = pod.datasets.make_norm_comparisons(200, norm=1, random_state=0)
test = pod.datasets.make_norm_comparisons(2000, norm=1, random_state=1)
machines = {
    "SVMCompare": pod.SVMCompare(C=10, gamma=0.5),
    "SVMRank, ties ignored": pod.SVMRank(C=10, gamma=0.5),
}
curves = {"the truth, ‖x‖₁²": (lambda X: np.abs(X).sum(axis=1) ** 2, 2.0)}  # and how far apart curves are
for name, machine in machines.items():
    error = pod.metrics.comparison_error(test.outcome, machine.fit(train).predict(test))
    print(f"{name:22} {100 * error:.1f} % of new pairs wrong")
    curves[name] = machine.utility, machine.threshold_

side = np.linspace(-3.2, 3.2, 200)
square = np.array(np.meshgrid(side, side)).reshape(2, -1).T
some = train[:30]
left, right = some.features[some.left], some.features[some.right]
ties, sign = some.outcome == 0, some.outcome[:, None]
worse, step = np.where(sign > 0, left, right)[~ties], (sign * (right - left))[~ties]
mpl.rcParams |= pod.plot.style()
blue, _, _, gold, *_ = mpl.rcParams["axes.prop_cycle"].by_key()["color"]
ink, thin = mpl.rcParams["text.color"], {"linewidth": 0.9, "alpha": 0.75}
figure = Figure(figsize=(11, 4), layout="constrained")
for ax, (name, (utility, apart)) in zip(figure.subplots(1, 3), curves.items(), strict=True):
    r = utility(square).reshape(200, 200)
    levels = apart * np.arange(np.floor(r.min() / apart), r.max() / apart + 1)
    ax.contour(side, side, r, levels, colors=blue, linestyles="solid", linewidths=0.9, alpha=0.55)
    segments = np.stack([left[ties], right[ties]]).transpose(2, 0, 1)
    ax.plot(*segments, ".-", color=gold, **thin)
    place = {"angles": "xy", "scale_units": "xy", "scale": 1}
    ax.quiver(*worse.T, *step.T, color=ink, alpha=0.6, width=0.003, **place)
    ax.set(title=name, aspect="equal")
    ax.grid(False)
pod.plot.save_figure(figure, "level_curves.png", dpi=100)
