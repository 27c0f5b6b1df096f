"""A league over eight seasons: skills that move, and how well the curves follow the truth."""

import numpy as np

import podium as pod

rng = np.random.default_rng(1)
clubs = np.array(["Albion", "Borough", "City", "Dynamo", "Eagles", "Forest", "Gunners", "Harriers"])
days = np.arange(0, 8 * 365, 5)
days = days[days % 365 < 270]  # nobody plays in summer
dates = np.datetime64("2016-08-01") + days

# The true log-skills wander; a club is drawn back to the mean within a few years.
truth = np.empty((len(days), len(clubs)))
truth[0] = rng.normal(0, 0.6, len(clubs))
for k, gap in enumerate(np.diff(days) / 365.25):
    pull = np.exp(-0.3 * gap)
    truth[k + 1] = pull * truth[k] + rng.normal(0, 0.7 * np.sqrt(gap), len(clubs))

truth -= truth.mean(axis=1, keepdims=True)  # games show only differences

# Every five days all clubs play, with an advantage of the home side and ties as in Davidson's model.
home, away = np.array([rng.permutation(len(clubs)).reshape(2, 4) for _ in days]).transpose(1, 0, 2)
edge = np.take_along_axis(truth, away, 1) - np.take_along_axis(truth, home, 1) - 0.3
chance = np.stack([np.exp(-edge / 2), np.full(edge.shape, 0.6), np.exp(edge / 2)])
chance = (chance / chance.sum(axis=0)).cumsum(axis=0)
outcome = (rng.random(edge.shape) > chance).sum(axis=0) - 1
games = pod.Comparisons.from_arrays(
    clubs[home].ravel(), clubs[away].ravel(), outcome.ravel(), time=np.repeat(dates, 4)
)

model = pod.DynamicBradleyTerry(order_effect=True).fit(games)
history = model.history(relative=True)
print(f"spread {model.spread_:.2f}, drift {model.drift_:.2f} per year, reversion {model.reversion_:.2f}")
print(pod.highest_ever(history).head(3).to_string(index=False, float_format="%.0f"))
print(pod.biggest_movers(history).head(3).to_string(index=False, float_format="%.0f"))

display = pod.HistoryDisplay.from_model(model, max_items=3)
for text, line in zip(display.ax_.texts, display.ax_.lines[::2], strict=True):
    club = clubs.tolist().index(text.get_text())
    display.ax_.plot(dates, 1500 + 400 / np.log(10) * truth[:, club], color=line.get_color(), lw=0.8, ls=":")
display.save("history.png", dpi=120)
