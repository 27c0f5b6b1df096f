"""Doubles: estimate the skill of each player from the results of teams."""

import podium as pod

matches = pod.datasets.load_doubles_league()
model = pod.BradleyTerry().fit(matches)
print(matches)
print(model.leaderboard()[:6])

display = pod.LeaderboardDisplay.from_leaderboard(model.leaderboard())
display.save("doubles.png", dpi=120)
