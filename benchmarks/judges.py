"""Judges in the model: sharpness, tie habit and side preference integrated out, compared with crowd-kit.

    PODIUM_DATA=... python benchmarks/judges.py [--case PATTERN] [--full]

The votes are those of 124 workers on 59 language models (llmfao), and simulated ones. NoisyBradleyTerry of
crowd-kit gives every worker a skill and a bias, and maximises over workers and items together. It has no
ties, so it learns from the decided votes only. Its gradient is a Python loop over votes.

A fifth of the votes is held out. The error is the mean of -log P(the side that won) over the decided ones of
them, given that they are decided. podium's plain fit has an order effect and no judges.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from measuring.cases import Case, Contestant
from measuring.turns import main
from podium import Comparisons, datasets

SPREAD = (0.7, 1.0, 0.4)  # of log sharpness, log tie habit and side preference, of simulated judges


class Votes(NamedTuple):
    """What is learned from, and the decided votes that are predicted."""

    train: Comparisons
    test: Comparisons


def held_out(c: Comparisons, seed: int = 0) -> Votes:
    test = np.random.default_rng(seed).random(len(c)) < 0.2
    return Votes(c[~test], c[test & (np.asarray(c.outcome) != 0)])


def llmfao() -> Votes:
    return held_out(datasets.fetch_llm_votes("llmfao"))


def simulated(n_judges: int, n: int, n_items: int = 20) -> Votes:
    rng = np.random.default_rng(0)
    skill, u = rng.normal(size=n_items), rng.normal(size=(n_judges, 3)) * SPREAD
    judge = np.repeat(np.arange(n_judges), n)
    left = rng.integers(0, n_items, len(judge))
    right = (left + rng.integers(1, n_items, len(judge))) % n_items
    eta = np.exp(u[judge, 0]) * (skill[right] - skill[left]) - 0.3 - u[judge, 2]
    p = np.stack([np.exp(-eta / 2), 0.6 * np.exp(u[judge, 1]), np.exp(eta / 2)], axis=1).cumsum(axis=1)
    outcome = (rng.random(len(judge))[:, None] * p[:, -1:] > p).sum(axis=1) - 1
    return held_out(Comparisons.from_arrays(left, right, outcome, group=judge))


# ------------------------------------------------------------------------------------ contestants


def podium_fit(effects: tuple[str, ...] | None, votes: Votes) -> Any:
    from podium import BradleyTerry

    return BradleyTerry(order_effect=True, judge_effects=effects).fit(votes.train)


def crowdkit_frame(votes: Votes) -> Any:
    import pandas as pd

    c = votes.train[np.asarray(votes.train.outcome) != 0]
    left, right = c.items[c.left], c.items[c.right]
    label = np.where(np.asarray(c.outcome) < 0, left, right)
    return pd.DataFrame({"worker": np.asarray(c.group), "left": left, "right": right, "label": label})


def crowdkit_fit(frame: Any) -> Any:
    from crowdkit.aggregation import NoisyBradleyTerry

    return NoisyBradleyTerry(n_iter=100, random_state=0).fit(frame)


def left_wins(votes: Votes, model: Any) -> Any:
    """P(the left side wins), given that one of them does."""
    c = votes.test
    if hasattr(model, "predict_proba"):
        p = model.predict_proba(c)
        return p[:, 0] / (p[:, 0] + p[:, 2])
    from scipy.special import expit, logit

    score = logit(model.scores_)  # of crowd-kit, which knows every item and worker here
    gap = score[c.items[c.left]].to_numpy() - score[c.items[c.right]].to_numpy()
    skill, bias = (part[np.asarray(c.group)].to_numpy() for part in (model.skills_, model.biases_))
    return skill * expit(gap) + (1 - skill) * bias


def log_loss(votes: Votes, model: Any) -> dict[str, float]:
    p = left_wins(votes, model)
    return {"error": float(-np.log(np.where(np.asarray(votes.test.outcome) < 0, p, 1 - p)).mean())}


TWO, THREE = ("sharpness", "ties"), ("sharpness", "ties", "side")
PODIUM = {
    "podium, two effects": Contestant(partial(podium_fit, TWO), patience=30.0),
    "podium, three effects": Contestant(partial(podium_fit, THREE), patience=150.0),
    "podium, plain": Contestant(partial(podium_fit, None)),
}
CROWDKIT = {"crowd-kit": Contestant(crowdkit_fit, "crowd-kit", crowdkit_frame, patience=60.0)}
SMALL = partial(simulated, 10, 50, 5)

if __name__ == "__main__":
    main(
        [
            Case(
                "llmfao, 8,931 votes of 124 judges", llmfao, PODIUM | CROWDKIT, SMALL, log_loss, "crowd-kit"
            ),
            Case(
                "simulated, 40,000 votes of 400 judges",
                partial(simulated, 400, 100),
                PODIUM | CROWDKIT,
                SMALL,
                log_loss,
                "crowd-kit",
            ),
        ],
        [
            Case(
                "simulated, 1M votes of 10,000 judges",
                partial(simulated, 10_000, 100),
                PODIUM,
                SMALL,
                log_loss,
            )
        ],
    )
