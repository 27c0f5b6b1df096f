"""The value of the sampled preference game by sample size; the exact game is a lower bound."""

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

import podium as pod

X, y = load_iris(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
X, X_test, y, y_test = train_test_split(X, y, random_state=0, stratify=y)
sizes, rates, ways = (0.05, 0.1, 0.15, 0.2), (0.0, 0.01, 0.1), ("uniform", "optimal")
settings = {"kernel": "rbf", "gamma": 0.5, "ridge": 0.0}
exact = pod.PreferenceGame(**settings).fit(X, y)
print(f"exact game: value {exact.value_:.2e}, accuracy {exact.score(X_test, y_test):.2f}")


def value(size: float, rate: float, how: str) -> float:
    game = pod.PreferenceGame(
        **settings,
        solver="sampled",
        sample_size=size,
        feedback=rate,
        combine=how,
        n_games=100,
        random_state=0,
    )
    return game.fit(X, y).value_


values = np.array([[[value(size, rate, how) for size in sizes] for rate in rates] for how in ways])
for size, uniform, optimal in zip(sizes, *values[:, 1], strict=True):
    print(f"samples of {size:4.0%}: {uniform:.2e} combined equally, {optimal:.2e} by eq. (4)")

mpl.rcParams |= pod.plot.style()
figure = Figure(figsize=(6.4, 3.8), layout="constrained")
ax = figure.subplots()
ax.axhline(exact.value_, color=mpl.rcParams["text.color"], label="exact game")
for rate, equally, by_equation in zip(rates, *values, strict=True):
    (line,) = ax.plot(sizes, by_equation, "o-", label=f"λ = {rate:g}, by eq. (4)")
    ax.plot(sizes, equally, "o--", color=line.get_color(), label=f"λ = {rate:g}, equally")
ax.set(yscale="log", xlabel="preferences in a sub-game", ylabel="value of the game")
ax.set_xticks(sizes, [f"{size:.0%}" for size in sizes])
figure.legend(loc="outside right upper")
pod.plot.save_figure(figure, "preference_game.png", dpi=120)
