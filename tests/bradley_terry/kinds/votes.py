"""Simulated votes of people and of a language model, and real ones."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import podium as pod

SIZES = {f"{size}-guanaco": f"guanaco-{size.replace('30', '33')}" for size in ("7b", "13b", "30b", "65b")}


def people_and_model(
    people: int = 300, model: int = 1200, n_items: int = 4, unjudged: bool = False, seed: int = 0
) -> pod.Comparisons:
    """Votes in which the model is twice as sharp, prefers the left side, and sees items in its own way."""
    rng = np.random.default_rng(seed)
    r, b = rng.normal(size=n_items), rng.normal(0, 0.4, n_items)
    parts = []
    for n, skill, side, sharpness in ((people, r, 0.0, 1.0), (model, r + b, 0.5, 2.0)):
        least = int(unjudged and n == people)
        left = rng.integers(least, n_items, n)
        right = least + (left - least + rng.integers(1, n_items - least, n)) % (n_items - least)
        d = sharpness * (skill[right] - skill[left]) - side
        p = np.column_stack([np.exp(-d / 2), np.full(n, 0.5), np.exp(d / 2)]).cumsum(axis=1)
        outcome = (rng.random(n)[:, None] * p[:, -1:] > p).sum(axis=1) - 1
        parts.append(pod.Comparisons.from_codes(np.arange(n_items), left, right, outcome))
    return pod.concat(parts, judge_kind=["human", "ai"])


def vicuna() -> tuple[pod.Comparisons, pod.Comparisons]:
    """Votes of people and of GPT-4 on the answers of the same eight systems."""
    folder = Path(os.environ.get("PODIUM_DATA", "")) / "llm_votes"
    if "PODIUM_DATA" not in os.environ or not folder.is_dir():
        pytest.skip("set PODIUM_DATA to the folder with the data")
    people = pd.read_csv(folder / "vicuna80_human.csv.gz")
    model = pd.read_csv(folder / "qlora_gpt4_judge.csv.gz").query("benchmark == 'vicuna'")
    return cast(people), cast(model)


def cast(votes: pd.DataFrame) -> pod.Comparisons:
    left, right = (votes[side].replace(SIZES).to_numpy() for side in ("model_a", "model_b"))
    return pod.Comparisons.from_arrays(left, right, 1 - 2 * votes["y"])
