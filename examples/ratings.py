"""Glicko ratings season by season, with their uncertainty."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

import podium as pod

rcParams.update(pod.plot.style())
games = pod.read_comparisons(pod.datasets.shipped_file("chess_club.csv"), time="season")
shown = ["Ada", "Elif", "Nils"]
glicko = pod.Glicko(growth=30.0)
seasons = np.unique(games.time)
course = []
for season in seasons:
    glicko.update(games[games.time == season])
    place = {name: number for number, name in enumerate(glicko.items_)}
    course.append([(glicko.rating_[place[name]], glicko.deviation_[place[name]]) for name in shown])
rating, deviation = np.array(course).transpose(2, 1, 0)
for name, r, rd in zip(shown, rating, deviation, strict=True):
    print(f"{name:5} {'  '.join(f'{a:.0f}±{1.96 * b:.0f}' for a, b in zip(r, rd, strict=True))}")

figure = Figure(figsize=(6.5, 3.6), layout="constrained")
ax = figure.add_subplot()
for name, r, rd in zip(shown, rating, deviation, strict=True):
    ax.plot(seasons, r, marker="o", label=name)
    ax.fill_between(seasons, r - 1.96 * rd, r + 1.96 * rd, alpha=0.15, linewidth=0)
ax.set_xticks(seasons)
ax.set_ylabel("Glicko rating, 95 % intervals")
ax.legend()
pod.plot.save_figure(figure, "ratings.png", dpi=120)
