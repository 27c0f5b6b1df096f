"""Votes on language models: the votes of one judge are not independent, so resample whole judges."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

import podium as pod

rcParams.update(pod.plot.style())
votes = pod.read_comparisons(
    pod.datasets.shipped_file("model_votes.csv"),
    left="model_a",
    right="model_b",
    outcome="winner",
    group="judge",
)
model = pod.BradleyTerry().fit(votes)
by_row = model.bootstrap(500, random_state=0)
by_judge = model.bootstrap(500, random_state=0, groups=True)
print(model.leaderboard(bootstrap=by_judge))

order = np.argsort(model.log_skill_)
figure = Figure(figsize=(7, 3.6), layout="constrained")
ax = figure.add_subplot()
for shift, bootstrap, colour, name in (
    (0.15, by_row, "C0", "votes resampled"),
    (-0.15, by_judge, "C1", "judges resampled"),
):
    low, high = np.quantile(bootstrap.samples[:, order], [0.025, 0.975], axis=0)
    ax.hlines(np.arange(len(order)) + shift, low, high, colors=colour, linewidth=3, label=name)
ax.plot(model.log_skill_[order], range(len(order)), "o", color=pod.plot.palette().ink, markersize=4)
ax.set_yticks(range(len(order)), model.items_[order])
ax.set_xlabel("log-skill, 95 % intervals")
ax.legend(loc="lower right")
pod.plot.save_figure(figure, "model_votes.png", dpi=120)
