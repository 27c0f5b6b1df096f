"""Chess: predict each season from the others, with and without White's advantage."""

import numpy as np
from sklearn.model_selection import LeaveOneGroupOut

import podium as pod

games = pod.read_comparisons(pod.datasets.shipped_file("chess_club.csv"), group="season")
for order_effect in (False, True):
    chances = np.empty((len(games), 3))
    for train, test in LeaveOneGroupOut().split(games.outcome, groups=games.group):
        model = pod.BradleyTerry(order_effect=order_effect).fit(games[train])
        chances[test] = model.predict_proba(games[test])
    happened = chances[np.arange(len(games)), games.outcome + 1]
    print(f"order_effect={order_effect!s:5}  log loss {-np.log(happened).mean():.4f}")

display = pod.CalibrationDisplay.from_predictions(games.outcome, chances, n_bins=6)
display.save("order_effect.png", dpi=120)
