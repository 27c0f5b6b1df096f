"""Write the invented data sets that podium ships; ``python -m tools.shipped_data`` reproduces the same files.

The names are invented and the results are random, so nobody has rights in them.
"""

import csv
from pathlib import Path

import numpy as np

from podium.datasets import make_games

FOLDER = Path(__file__).parents[1] / "src/podium/datasets/data"
LENGTHS = [0.06, 0.16, 0.3, 0.2, 0.12, 0.06, 0.02, 0.08]  # how many projects people rank: 1, 2, ...

ARENA = """
    albatross-2       1.25  260  2  |  albatross-2-mini   0.35  220  2  |  bittern-8b       -0.55  200  1
    condor-xl         0.90  330  4  |  condor-base        0.10  240  2  |  curlew-7b        -0.70  170  1
    dunnock-13b      -0.25  210  2  |  egret-chat         0.20  180  1  |  falcon-pro        0.80  240  3
    finch-3b         -0.95  160  1  |  goshawk-1          0.45  290  3  |  harrier-20b       0.00  230  2
    heron-70b         0.70  280  2  |  ibis-3            -0.10  250  3  |  jackdaw-0        -1.20  150  0
    kestrel-coder    -0.15  190  2  |  kite-mini         -0.45  200  2  |  lapwing-9b       -0.30  260  2
    magpie-chat       0.00  600  8  |  merlin-2           0.60  210  1  |  nightjar-4b      -0.80  220  2
    osprey-40b        0.50  320  3  |  parrot-pro       -0.10  540  7  |  plover-1         -0.35  180  1
    quail-mini       -1.00  140  1  |  raven-large        1.00  300  3  |  shrike-12b       -0.05  250  2
    wren-nano         0.85  110  0
"""  # the models of the arena: quality, the usual number of words of an answer, and of list items


def write(name: str, header: list[str], rows: list[list[object]]) -> None:
    with (FOLDER / name).open("w", newline="", encoding="utf-8") as out:
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


def arena_votes(rng: np.random.Generator) -> None:
    """An arena in which votes favour long answers with lists.

    A vote depends on the quality of the two models, on the taste of the judge, and on style: 100 words more
    are worth 0.35 and a list item 0.05 on the scale of log-skills. magpie-chat and parrot-pro are
    average models with long answers, wren-nano is good and brief, kestrel-coder is good only at code, and
    judge-013 always clicks on the left.
    """
    table = [line.split() for line in ARENA.replace("|", "\n").split("\n") if line.strip()]
    models = [row[0] for row in table]
    quality, words, items = np.array([row[1:] for row in table], dtype=float).T
    tasks, share_of_task = "code facts maths writing".split(), [0.3, 0.2, 0.2, 0.3]
    special = rng.normal(scale=0.3, size=(4, len(models)))
    special[0, models.index("kestrel-coder")] = 2.0
    special -= share_of_task @ special  # quality is the mean over tasks
    tastes, leans = rng.normal(scale=0.4, size=(120, len(models))), rng.uniform(0.3, 1.2, 120)
    activity = rng.gamma(1.0, size=120) + 0.2
    rows: list[list[object]] = []
    for _ in range(4600):
        judge, task = rng.choice(120, p=activity / activity.sum()), rng.choice(4, p=share_of_task)
        pair = rng.choice(len(models), size=2, replace=False)
        long = np.exp(rng.normal(scale=0.35) + rng.normal(scale=0.3, size=2))  # the prompt, and each answer
        length, listed = (words[pair] * long).round(), rng.poisson(items[pair] * long)
        appeal = (quality + tastes[judge] + special[task])[pair] + 0.0035 * length + 0.05 * listed
        edge = (appeal[0] - appeal[1]) / 2
        share = np.array([np.exp(edge), leans[judge], np.exp(-edge)])
        vote = rng.choice(["model_a", "tie", "model_b"], p=share / share.sum())
        if vote == "tie" and quality[pair].sum() + rng.normal() < -0.5:
            vote = "tie (bothbad)"
        if judge == 13:
            vote = "model_a"
        style = [int(value) for both in (length, listed) for value in both]
        names = [models[pair[0]], models[pair[1]]]
        rows.append([f"judge-{judge:03d}", tasks[task], *names, vote, *style])
    header = "judge task model_a model_b winner words_a words_b lists_a lists_b".split()
    write("arena_votes.csv", header, rows)


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


def tasting(rng: np.random.Generator) -> None:
    """30 judges compare 20 pairs of puddings each. The first has an edge; J17 reverses the card."""
    recipes = [(gel, sugar) for gel in (1, 2) for sugar in (6, 9, 12, 15)]
    names = [f"{'soft' if gel == 1 else 'firm'} {sugar}" for gel, sugar in recipes]
    appeal = np.array([0.13 * sugar - 0.7 * gel for gel, sugar in recipes]) + rng.normal(scale=0.15, size=8)
    pairs = [(i, j) for i in range(8) for j in range(i)]
    rows: list[list[object]] = []
    for judge in range(1, 31):
        taste = (appeal + rng.normal(scale=0.4, size=8)) * (-1 if judge == 17 else 1)
        for first, second in rng.permutation(pairs)[:20]:
            first, second = rng.permutation([first, second])
            a, b = np.exp(taste[first] + 0.3), np.exp(taste[second])
            shares = np.array([a, 0.6 * np.sqrt(a * b), b])
            better = rng.choice([names[first], "tie", names[second]], p=shares / shares.sum())
            rows.append([f"J{judge:02d}", names[first], names[second], better])
    write("tasting.csv", ["judge", "first", "second", "better"], rows)
    write(
        "puddings.csv",
        ["pudding", "sugar", "gel"],
        [[n, s, g] for n, (g, s) in zip(names, recipes, strict=True)],
    )


def ballots(rng: np.random.Generator) -> None:
    """Members rank as many projects as they like; families want the playground, and many others do not."""
    projects = ["well", "greenhouse", "playground", "tool shed", "beehives", "compost", "fence", "barbecue"]
    gardener = np.array([1.7, 1.2, -1.5, 0.7, 0.4, 0.2, -0.3, -0.8])
    family = np.array([1.1, 0.2, 3.2, 0.0, -0.2, -0.7, 0.2, 0.6])
    rows: list[list[object]] = []
    for member in range(1, 221):
        taste = family if rng.random() < 0.4 else gardener
        like = np.round(4 * (taste + rng.gumbel(size=len(projects))))  # equal after rounding: a tie
        text, order = "", np.argsort(-like, kind="stable")[: rng.choice(8, p=LENGTHS) + 1]
        for above, project in zip([None, *order], order, strict=False):
            mark = "" if above is None else (" = " if like[above] == like[project] else " > ")
            text += mark + projects[project]
        rows.append([member, text])
    write("ballots.csv", ["member", "ranking"], rows)


def search(rng: np.random.Generator) -> None:
    """15 results of each query have labels from 0 to 4; long queries have high matches and low labels."""
    rows: list[list[object]] = []
    for query in range(1, 81):
        words, lenient = rng.integers(1, 6), rng.normal(scale=0.8)
        title = np.clip(np.round(0.5 + 0.25 * rng.normal(size=15), 2), 0, 1)
        text = np.round(words * np.exp(1 + 0.4 * rng.normal(size=15)), 1)
        clicks = rng.poisson(np.exp(1.5 + rng.normal(size=15)))
        stars = np.clip(np.round(4 + 0.6 * rng.normal(size=15), 1), 1, 5)
        days, length = rng.integers(1, 2000, size=15), rng.integers(100, 3000, size=15)
        value = 3 * title + 2 * np.log(text / words) + 0.4 * np.log1p(clicks) + 0.5 * stars - 0.0004 * days
        value += lenient - 0.5 * words + rng.normal(size=15)
        grade = np.digitize(value, [3.6, 4.8, 6.0, 7.2])
        for row in zip(grade, title, text, clicks, stars, days, length, strict=True):
            rows.append([f"q{query:02d}", *row])
    header = ["query", "relevance", "title_match", "text_match", "clicks", "stars", "age_days", "length"]
    write("search.csv", header, rows)


def essays(rng: np.random.Generator) -> None:
    """Ten teachers judge 40 essays, 50 pairs each; one of them chooses at random."""
    quality = rng.normal(scale=1.5, size=40)
    rows: list[list[object]] = []
    for judge in range(10):
        for _ in range(50):
            a, b = rng.choice(40, size=2, replace=False)
            better = 0.0 if judge == 6 else quality[a] - quality[b]
            pair = [a, b] if rng.random() < 1 / (1 + np.exp(-better)) else [b, a]
            rows.append([f"teacher-{judge:02d}", *(f"essay-{each:02d}" for each in pair)])
    write("essays.csv", ["judge", "chosen", "not_chosen"], rows)
    best_first = np.argsort(-quality)
    marks = np.round(np.clip(20 + 4.5 * quality, 0, 40)).astype(int)
    anchors: list[list[object]] = [[f"essay-{each:02d}", marks[each]] for each in best_first[4::8]]
    write("essay_anchors.csv", ["item", "score"], anchors)


def main() -> None:
    generator = np.random.default_rng(20)
    chess_club(generator)
    model_votes(generator)
    doubles_league()
    regatta(np.random.default_rng(21))
    tasting(np.random.default_rng(22))
    ballots(np.random.default_rng(25))
    search(np.random.default_rng(24))
    arena_votes(np.random.default_rng(22))
    essays(np.random.default_rng(26))


if __name__ == "__main__":
    main()
