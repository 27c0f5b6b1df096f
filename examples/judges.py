"""Judges in the model: how sharp each judge is, and how readily each calls a tie."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

import podium as pod

rcParams.update(pod.plot.style())
rng = np.random.default_rng(3)
skill, judge = np.linspace(-1.5, 1.5, 8), np.repeat(np.arange(30), 80)
sharpness, ties = np.exp(rng.normal(0, 0.6, 30)), np.exp(rng.normal(0, 1.2, 30))
left = rng.integers(0, 8, len(judge))
right = (left + rng.integers(1, 8, len(judge))) % 8
lead = sharpness[judge] * (skill[right] - skill[left])
odds = np.column_stack([np.exp(-lead / 2), 0.7 * ties[judge], np.exp(lead / 2)])
drawn = rng.random(len(judge)) * odds.sum(axis=1)
outcome = (odds.cumsum(axis=1) < drawn[:, None]).sum(axis=1) - 1
votes = pod.Comparisons.from_arrays(left, right, outcome, group=judge)

model = pod.BradleyTerry(judge_effects=("sharpness", "ties")).fit(votes)
found = model.judge_effects_
print({name: round(spread, 1) for name, spread in model.judge_spread_.items()})
for name, truth in (("sharpness", sharpness), ("ties", ties)):
    print(f"{name}: correlation with the truth {np.corrcoef(np.log(found[name]), np.log(truth))[0, 1]:.2f}")

figure = Figure(figsize=(7, 4.2), layout="constrained")
ax = figure.add_subplot()
ax.set(xscale="log", yscale="log", xlabel="sharpness", ylabel="tie habit")
ax.hlines(found.ties, found.sharpness_low, found.sharpness_high, colors="C0", alpha=0.3)
ax.vlines(found.sharpness, found.ties_low, found.ties_high, colors="C0", alpha=0.3)
ax.plot(found.sharpness, found.ties, "o", color="C0", label="judges, 95 % intervals")
ax.plot(sharpness, ties, "x", color=pod.plot.palette().ink, label="truth")
for axis in (ax.xaxis, ax.yaxis):
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter("")
ax.legend(loc="upper left")
pod.plot.save_figure(figure, "judges.png", dpi=120)
