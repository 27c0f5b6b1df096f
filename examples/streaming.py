"""A stream of comparisons: predict each one first, then learn from it; each is seen only once."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

import podium as pod

rcParams.update(pod.plot.style())
rng = np.random.default_rng(0)
n, w = 20_000, np.array([2.0, -1.0, 0.5, 0.0, 0.0])
pairs = rng.normal(size=(n, 2, 5))
outcome = np.where((pairs[:, 1] - pairs[:, 0]) @ w + rng.logistic(size=n) > 0, 1, -1)

model = pod.OnlineSVMRank(C=0.01, threshold=0.0)
seen, wrong = [], []
for start in range(0, n, 200):
    now = slice(start, start + 200)
    if start:
        seen.append(start)
        wrong.append(100 * (1 - model.score(pairs[now], outcome[now])))
    model.partial_fit(pairs[now], outcome[now])
exact = pod.LinearCompare(C=0.01).fit(pairs, outcome)
cosine = model.coef_ @ exact.coef_ / np.linalg.norm(model.coef_) / np.linalg.norm(exact.coef_)
print(f"{model.n_steps_:,} steps; cosine with the optimum on all pairs {cosine:.4f}")

smooth = np.convolve(wrong, np.ones(10) / 10, mode="valid")
figure = Figure(figsize=(6.5, 3.2), layout="constrained")
ax = figure.add_subplot()
ax.plot(seen, wrong, color="C0", alpha=0.3, linewidth=1)
ax.plot(seen[9:], smooth, color="C0", label="OnlineSVMRank on the next 200 pairs")
ax.axhline(100 * (1 - exact.score(pairs, outcome)), color="C1", label="optimum, all pairs at once")
ax.set_xlabel("comparisons seen")
ax.set_ylabel("wrong, %")
figure.legend(loc="outside upper left", ncols=2)
pod.plot.save_figure(figure, "streaming.png", dpi=120)
