"""Sushi: what people like best, from complete orders and from favourites alone, and what pairs lose."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure
from scipy.special import expit, logit

import podium as pod

rcParams.update(pod.plot.style())
names = "shrimp, sea eel, tuna, squid, sea urchin, salmon roe, egg, fatty tuna, tuna roll, cucumber roll"
sushi = np.array(names.split(", "))


def favourite(model: pod.PlackettLuce) -> np.ndarray:
    """The probability that each item comes first, with a 95 % interval: three rows."""
    p = np.exp(model.log_skill_) / np.exp(model.log_skill_).sum()
    slope = -p / (1 - p[:, None])  # of log-odds by log-skills
    np.fill_diagonal(slope, 1)
    error = np.sqrt(np.diag(slope @ model.covariance_ @ slope.T))
    return np.array([p, expit(logit(p) - 1.96 * error), expit(logit(p) + 1.96 * error)])


def loss(orders: np.ndarray, log_skill: np.ndarray) -> np.ndarray:
    """-log P(order) of every row, best first."""
    e = np.exp(log_skill)[orders]
    return -np.log(e / e[:, ::-1].cumsum(axis=1)[:, ::-1]).sum(axis=1)


print(f"{'held-out loss per order':<28}{'orders':>9}{'pairs':>9}{'pairs - orders':>18}")
for which, title in (("a", "ten sushi, the same for all"), ("b", "ten of 100 sushi")):
    ranked = pod.datasets.fetch_sushi_orders(which)
    fold, orders = np.arange(len(ranked)) % 5, ranked.entries.reshape(-1, 10)
    losses = np.empty((2, len(ranked)))
    for test in range(5):
        known = ranked[fold != test]
        models = pod.PlackettLuce().fit(known), pod.BradleyTerry().fit(known.to_comparisons())
        losses[:, fold == test] = [loss(orders[fold == test], model.log_skill_) for model in models]
    more = losses[1] - losses[0]
    error = 1.96 * more.std() / np.sqrt(len(more))
    print(f"{title:<28}{losses[0].mean():9.3f}{losses[1].mean():9.3f}{more.mean():9.3f} ± {error:.3f}")

ranked = pod.datasets.fetch_sushi_orders("a")
orders = sushi[ranked.items[ranked.entries]].reshape(-1, 10)
tables = pod.Rankings.from_lists(orders), pod.Rankings.from_choices(orders[:, 0], orders)
models = [pod.PlackettLuce(covariance="robust").fit(table) for table in tables]
by_order = np.argsort(models[0].log_skill_)
figure = Figure(figsize=(7, 4), layout="constrained")
ax = figure.add_subplot()
looks = (0.14, "C0", "complete orders"), (-0.14, "C1", "favourites alone")
for model, (shift, colour, title) in zip(models, looks, strict=True):
    p, low, high = 100 * favourite(model)[:, by_order]
    place = np.arange(10) + shift
    ax.hlines(place, low, high, color=colour, linewidth=3, alpha=0.5)
    ax.plot(p, place, "o", color=colour, label=title)
ax.set_yticks(range(10), models[0].items_[by_order])
ax.set(xlabel="probability of being the favourite of ten, in per cent", xlim=(0, None))
ax.legend(title="estimated from", loc="lower right")
pod.plot.save_figure(figure, "sushi.png", dpi=120)
