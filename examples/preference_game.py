"""The value of the sampled preference game by sample size; the exact game is a lower bound."""

from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

import podium as pod
from podium.game.grid import game_grid

X, y = load_iris(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
X, X_test, y, y_test = train_test_split(X, y, random_state=0, stratify=y)
game = pod.PreferenceGame(kernel="rbf", gamma=0.5, ridge=0.0, n_games=100, random_state=0)
grid = game_grid(game, X, y, X_test, y_test, feedbacks=[0.0, 0.01, 0.1])
print(f"exact game: value {grid.exact_value:.2e}, accuracy {grid.exact_accuracy:.2f}")
for size, uniform, optimal in zip(
    grid.sample_sizes, grid.uniform_value[:, 1], grid.optimal_value[:, 1], strict=True
):
    print(f"samples of {size:4.0%}: {uniform:.2e} combined equally, {optimal:.2e} by eq. (4)")

display = pod.GameValueDisplay.from_grid(grid)
display.save("preference_game.png", dpi=120)
