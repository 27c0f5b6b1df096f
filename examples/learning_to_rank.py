"""Learning to rank: people use the rating scale differently, so compare only ratings of the same person."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

import podium as pod

rcParams.update(pod.plot.style())
rng = np.random.default_rng(0)
n_people, n_each, w = 60, 20, np.array([1.0, -0.5, 0.25, 0.0])
person = np.repeat(np.arange(n_people), n_each)
habit = rng.normal(scale=3.0, size=n_people)[person]  # a generous person rates everything higher
X = rng.normal(size=(len(person), 4))
X[:, 3] += habit / 2  # and also chooses different items
rating = np.round(X @ w + habit + rng.normal(scale=0.5, size=len(person)))
train = person < 40

pooled = pod.SwappedPairsSVM(random_state=0).fit(X[train], rating[train])
within = pod.SwappedPairsSVM(random_state=0).fit(X[train], rating[train], qid=person[train])
test = (X[~train], rating[~train], person[~train])
for name, model in (("pooled", pooled), ("within a person", within)):
    print(f"{name:16} {100 * (1 - model.score(*test)):.1f} % of the pairs of a new person swapped")

figure = Figure(figsize=(6.5, 3.2), layout="constrained")
ax = figure.add_subplot()
place = np.arange(4)
for shift, model, name in ((-0.25, pooled, "pooled"), (0.0, within, "qid=person")):
    ax.bar(place + shift, model.coef_ / np.abs(model.coef_).sum(), 0.23, label=name)
ax.bar(place + 0.25, w / np.abs(w).sum(), 0.23, color=pod.plot.palette().ink, label="truth")
ax.axhline(0, color=pod.plot.palette().soft, linewidth=0.8)
ax.set_xticks(place, [f"feature {number}" for number in place + 1])
ax.set_ylabel("weight, sum of sizes 1")
ax.legend()
pod.plot.save_figure(figure, "learning_to_rank.png", dpi=120)
