"""Style control: a board before and after control for how long and how structured the answers are."""

import numpy as np
from matplotlib import rcParams
from matplotlib.figure import Figure

import podium as pod

rcParams.update(pod.plot.style())
votes = pod.datasets.fetch_llm_votes("vicuna")  # real votes, but without the answers: those are simulated
rng = np.random.default_rng(3)
words, points = rng.normal(250, 60, len(votes.items)), rng.uniform(0, 6, len(votes.items))  # models' habits


def simulated_answers(model: np.ndarray, won: np.ndarray) -> list[str]:
    """Answers in the model's style. Those that won are 16 words longer than those that lost."""
    n_words = rng.normal(words[model] + 8 * won, 60).clip(20).astype(int)
    n_points = rng.poisson(points[model])
    return ["word " * n + "\n- point" * k for n, k in zip(n_words, n_points, strict=True)]


answers_a = simulated_answers(votes.left, -votes.outcome)
answers_b = simulated_answers(votes.right, votes.outcome)
style = pod.text.style(answers_b) - pod.text.style(answers_a)
style = style[["length", "lists"]] / [1000, 1]  # effects per 1,000 characters and per list item

before = pod.BradleyTerry().fit(votes)
after = pod.BradleyTerry().fit(votes.with_covariates(style))
boards = {"before control": before.leaderboard(), "at equal style": after.leaderboard()}
for title, board in boards.items():
    print(f"{title}\n{board}\n")
effects = zip(after.covariate_names_, after.covariate_effect_, after.covariate_error_, strict=True)
for name, effect, error in effects:
    print(f"{name:<8}{effect:6.3f} ± {1.96 * error:.3f}")

figure = Figure(figsize=(7, 3.6), layout="constrained")
ax = figure.add_subplot()
places = [{item: place for place, item in enumerate(board.item)} for board in boards.values()]
for item in votes.items:
    start, end = (place[item] for place in places)
    colour = "C0" if end < start else "C1" if end > start else pod.plot.palette().rule
    ax.plot([0, 1], [start, end], "o-", color=colour, linewidth=2)
for side, align, board in zip((0, 1), ("right", "left"), boards.values(), strict=True):
    for place, (item, score) in enumerate(zip(board.item, board.score, strict=True)):
        text = f"{item}  {score:.0f}" if side == 0 else f"{score:.0f}  {item}"
        ax.text(side + (0.03 if side else -0.03), place, text, ha=align, va="center")
ax.set_xticks([0, 1], list(boards))
ax.set(xlim=(-0.6, 1.6), ylim=(len(votes.items) - 0.5, -0.5), yticks=[])
ax.set_title("Real votes, simulated answers: score before and after control", fontsize=10)
ax.spines[:].set_visible(False)
ax.grid(visible=False)
pod.plot.save_figure(figure, "style_control.png", dpi=120)
