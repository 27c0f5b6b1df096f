"""The value of ties: the error of three models by the share of ties, which is the same in new pairs."""

import warnings

from matplotlib import rcParams
from matplotlib.figure import Figure

import podium as pod

rcParams.update(pod.plot.style())
warnings.simplefilter("ignore")  # with few ties, SVMCompare warns that it fits without a bias
shares = [0.1, 0.3, 0.5, 0.7, 0.9]
machines = {
    "compare": pod.SVMCompare(C=10, gamma=0.5),
    "rank2": pod.SVMRank(C=10, gamma=0.5, ties="both"),
    "rank": pod.SVMRank(C=10, gamma=0.5, ties="ignore"),
}
print("ties    " + "".join(f"{100 * share:6.0f} %" for share in shares))
figure = Figure(figsize=(6, 3.6), layout="constrained")
ax = figure.add_subplot()
for name, machine in machines.items():
    errors = []
    for share in shares:
        sets = [
            pod.datasets.make_norm_comparisons(300, norm=2, tie_share=share, random_state=seed)
            for seed in range(4)
        ]
        test = pod.datasets.make_norm_comparisons(2000, norm=2, tie_share=share, random_state=99)
        scores = [machine.fit(train).score(test) for train in sets]
        errors.append(100 * (1 - sum(scores) / len(scores)))
    print(f"{name:8}" + "".join(f"{error:6.1f} %" for error in errors))
    ax.plot(shares, errors, marker="o", label=name)
ax.set_xlabel("share of ties, in 300 training pairs and in new ones")
ax.set_ylabel("wrong on new pairs, %")
ax.set_ylim(bottom=0)
ax.legend()
pod.plot.save_figure(figure, "ties.png", dpi=120)
