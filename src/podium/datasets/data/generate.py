"""Write the four invented data sets that podium ships; ``python generate.py`` reproduces the same files.

The names are invented and the results are random, so nobody has rights in them.
"""

import csv
from pathlib import Path

import numpy as np

from podium.datasets import make_games

HERE = Path(__file__).parent


def write(name: str, header: list[str], rows: list[list[object]]) -> None:
    with (HERE / name).open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def chess_club(rng: np.random.Generator) -> None:
    """Each season everybody meets everybody once with either colour."""
    players = "Ada Boris Carmen Dmitri Elif Farah Goran Hana Igor Jun Kofi Lena Marta Nils".split()
    log_skill = np.linspace(1.6, -1.6, len(players)) + rng.normal(scale=0.15, size=len(players))
    skill, white_edge, tie_rate = np.exp(log_skill), np.exp(0.25), 0.9
    rows: list[list[object]] = []
    for season in range(2021, 2026):
        pairs = [(i, j) for i in range(len(players)) for j in range(len(players)) if i != j]
        for i, j in rng.permutation(pairs):
            white, black = skill[i] * white_edge, skill[j]
            shares = np.array([white, tie_rate * np.sqrt(white * black), black])
            result = rng.choice(["1-0", "1/2-1/2", "0-1"], p=shares / shares.sum())
            rows.append([season, players[i], players[j], result])
    write("chess_club.csv", ["season", "white", "black", "result"], rows)


def model_votes(rng: np.random.Generator) -> None:
    """Each judge sees 40 pairs of answers, has a taste of its own, and a lean towards ties."""
    models = (
        "albatross-2 condor-xl dunnock-7b egret-mini finch-13b goshawk-1 heron-70b ibis-3 jackdaw-0".split()
    )
    quality = np.array([1.1, 0.9, -0.2, -0.6, 0.1, 0.4, 0.8, 0.0, -1.2])
    rows: list[list[object]] = []
    for judge in range(40):
        taste = quality + rng.normal(scale=0.5, size=len(models))
        lean = rng.uniform(0.4, 1.6)
        for _ in range(40):
            a, b = rng.choice(len(models), size=2, replace=False)
            shares = np.array([np.exp((taste[a] - taste[b]) / 2), lean, np.exp((taste[b] - taste[a]) / 2)])
            vote = rng.choice(["model_a", "tie", "model_b"], p=shares / shares.sum())
            if vote == "tie" and quality[a] + quality[b] < 0.3:
                vote = "tie (bothbad)"
            rows.append([f"judge-{judge:02d}", f"prompt-{rng.integers(60):02d}", models[a], models[b], vote])
    write("model_votes.csv", ["judge", "prompt", "model_a", "model_b", "winner"], rows)


def doubles_league() -> None:
    players = "Aiko Bruno Chloe Davor Emeka Freya Gita Hugo Ines Jonas Kira Luca Mina Noor Omar Petra".split()
    games, _ = make_games(len(players), 480, team_size=2, tie_rate=0.0, random_state=7)
    table = games.to_frame()
    rows: list[list[object]] = [
        [
            "/".join(players[i] for i in left),
            "/".join(players[i] for i in right),
            "left" if sign < 0 else "right",
        ]
        for left, right, sign in zip(table["left"], table["right"], table["outcome"], strict=True)
    ]
    write("doubles_league.csv", ["left", "right", "winner"], rows)


def regatta(rng: np.random.Generator) -> None:
    """Seven to twelve boats start in each race; some do not finish, and some cross the line together."""
    boats = "Albacore Bittern Curlew Dunlin Eider Fulmar Gannet Harrier Ibis Linnet Merlin Osprey".split()
    log_skill = np.linspace(1.5, -1.5, len(boats)) + rng.normal(scale=0.2, size=len(boats))
    rows: list[list[object]] = []
    for race in range(1, 31):
        starters = rng.choice(len(boats), size=rng.integers(7, 13), replace=False)
        speed = np.round(log_skill[starters] + rng.gumbel(size=len(starters)), 1)  # Plackett–Luce, with ties
        out = rng.random(len(starters)) < 0.07
        place = 1 + (~out & (speed[:, None] < speed)).sum(axis=1)
        for k in np.lexsort((starters, place, out)):
            result = rng.choice(["DNF", "DSQ"]) if out[k] else place[k]
            rows.append([f"race {race}", boats[starters[k]], result])
    write("regatta.csv", ["race", "boat", "place"], rows)


if __name__ == "__main__":
    generator = np.random.default_rng(20)
    chess_club(generator)
    model_votes(generator)
    doubles_league()
    regatta(np.random.default_rng(21))
