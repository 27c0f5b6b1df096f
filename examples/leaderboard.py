"""A leaderboard with intervals, from games with draws and an advantage for White."""

import podium as pod

games = pod.datasets.load_chess_club()
model = pod.BradleyTerry(order_effect=True).fit(games)
board = model.leaderboard()
print(board)
print(f"White's advantage: {model.order_effect_:.2f} in log-odds")
print(f"converged: {model.result_.converged}")

display = pod.LeaderboardDisplay.from_leaderboard(board)
display.save("leaderboard.png", dpi=120)
