"""Run the command line within a test, and make files for it."""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from typer import testing
from typer.testing import CliRunner, Result

from podium import Comparisons, datasets
from podium.cli import app
from podium.cli.options.registry import Data, Model

CHESS = str(datasets.shipped_file("chess_club.csv"))
VOTES = str(datasets.shipped_file("model_votes.csv"))
DOUBLES = str(datasets.shipped_file("doubles_league.csv"))
TIMED = ("dynamic-bradley-terry",)  # models that need times
SETTINGS = {"svm-compare-lp": ["--set", "C=1"]}  # without slack there would be an error

# Typer builds all commands anew for each call, which takes longer than most calls.
testing._get_command = cache(testing._get_command)  # type: ignore[attr-defined]


def podium(*arguments: object, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env=env)


def done(*arguments: object, env: dict[str, str] | None = None) -> str:
    """Run a command that must succeed; return its output without the line breaks of a narrow terminal."""
    result = podium(*arguments, env=env)
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.split())


def sentence(*arguments: object, code: int = 2) -> str:
    """Run a command that must fail; return its one-sentence error."""
    result = podium(*arguments)
    assert result.exit_code == code, result.output
    assert isinstance(result.exception, SystemExit), result.exception
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("podium: ")
    assert "Traceback" not in result.output
    return lines[0]


def offers(n: int = 80, seed: int = 0) -> tuple[pd.DataFrame, Comparisons]:
    """A table whose two sides have features, and the comparisons that it stands for."""
    c = datasets.make_norm_comparisons(n, norm=1, random_state=seed)
    sides = {"left": c.features[c.left], "right": c.features[c.right]}
    columns = {f"{side}_{name}": X[:, k] for side, X in sides.items() for k, name in enumerate("xy")}
    assert c.outcome is not None
    words = np.array(["left", "tie", "right"])[c.outcome + 1]
    return pd.DataFrame(columns | {"outcome": words}), c


def write_offers(folder: Path, n: int = 80, seed: int = 0) -> Path:
    path = folder / f"offers{seed}.csv"
    offers(n, seed)[0].to_csv(path, index=False)
    return path


def write_races(folder: Path, n: int = 30, seed: int = 0) -> Path:
    """Races of 3 to 6 of 8 drivers, the first of whom is the best; some ties and some who did not finish."""
    rng = np.random.default_rng(seed)
    drivers = np.array([f"driver {letter}" for letter in "ABCDEFGH"])
    rows = []
    for race in range(1, n + 1):
        entered = rng.permutation(8)[: rng.integers(3, 7)]
        time = np.round(0.3 * entered + rng.gumbel(size=len(entered)), 1)
        place = [str(1 + np.count_nonzero(time < own)) for own in time]
        if race % 5 == 0:
            place[int(np.argmax(time))] = "DNF"
        rows += [
            {"race": race, "driver": d, "place": p} for d, p in zip(drivers[entered], place, strict=True)
        ]
    pd.DataFrame(rows).to_csv(folder / "races.csv", index=False)
    return folder / "races.csv"


def file_for(model: Model, folder: Path) -> tuple[str, list[str]]:
    """A file that a model can learn from, and the options that it needs."""
    if model.data is Data.items:
        return CHESS, ["--time", "season"] if model.name in TIMED else []
    if model.data is Data.pairs:
        return str(write_offers(folder)), []
    X = np.random.default_rng(0).normal(size=(60, 3))
    rows = pd.DataFrame(X, columns=list("abc")).assign(grade=(X[:, 0] > 0).astype(int) + (X[:, 0] > 1))
    rows.to_csv(folder / "rows.csv", index=False)
    return str(folder / "rows.csv"), ["--label", "grade"]
