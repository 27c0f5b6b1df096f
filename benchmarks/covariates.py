"""Bradley–Terry with five covariates of the votes compared with other libraries.

    python benchmarks/covariates.py [--case PATTERN] [--full]

The votes are simulated: a vote depends on the skills of two models and on how their answers differ in style.
The time is from arrays to skills and effects. *gradient* is the largest derivative of the log-likelihood,
relative to an item's votes or to the sum of a covariate's absolute values; the same few lines of NumPy
compute it for every library. The tolerance of the others is tightened until the gradient is at most 1e-8. The
penalty and the weights of arena-rank are switched off: by default it solves another problem.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from measuring.cases import Case, Contestant
from measuring.turns import main

EFFECTS = np.array([0.5, 0.1, -0.1, 0.05, 0.0])  # of five covariates
TIES = 1.1  # Davidson's ν; it makes about three votes in ten ties
GRADIENT = 1e-8
TOLERANCES = (1e-6, 1e-10, 1e-14)
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Votes(NamedTuple):
    """Votes as raw arrays; the covariates are those of the right answer minus those of the left one."""

    left: Ints
    right: Ints
    outcome: Ints
    covariates: Floats


class Solution(NamedTuple):
    """Log-skills, effects of the covariates, and Davidson's ν."""

    skill: Floats
    effect: Floats
    nu: float = 0.0


def make(k: int, n: int, nu: float = 0.0) -> Votes:
    """Random votes on models with normal log-skill, each with a style of its own; with ties if ν > 0."""
    rng = np.random.default_rng(k + n)
    skill, habit = rng.normal(size=k), rng.normal(size=(k, len(EFFECTS)))
    left = rng.integers(0, k, n)
    right = (left + rng.integers(1, k, n)) % k
    covariates = rng.normal(size=(n, len(EFFECTS)))
    covariates += habit[right]
    covariates -= habit[left]
    x = np.exp((skill[right] - skill[left] + covariates @ EFFECTS) / 2)
    place = rng.random(n) * (1 + nu * x + x**2)
    outcome = (place > 1).astype(np.int64) + (place > 1 + nu * x) - 1
    return Votes(left, right, outcome, covariates)


def gradient(votes: Votes, found: Solution) -> dict[str, float]:
    left, right, outcome, covariates = votes
    skill, effect, nu = found
    x = np.exp((skill[right] - skill[left] + covariates @ effect) / 2)
    rest = (x**2 + nu * x / 2) / (1 + nu * x + x**2) - (outcome + 1) / 2
    k = len(skill)
    of_skill = np.bincount(right, rest, k) - np.bincount(left, rest, k)
    games = np.bincount(right, minlength=k) + np.bincount(left, minlength=k)
    of_effect = (rest @ covariates) / np.abs(covariates).sum(axis=0)
    return {"gradient": float(max(np.abs(of_skill / games).max(), np.abs(of_effect).max()))}


# ------------------------------------------------------------------------------------ contestants


def podium_model(votes: Votes) -> Any:
    from podium import BradleyTerry, Comparisons

    left, right, outcome, covariates = votes
    return BradleyTerry().fit(Comparisons.from_arrays(left, right, outcome, covariates=covariates))


def podium(votes: Votes) -> Solution:
    model = podium_model(votes)
    return Solution(model.log_skill_, model.covariate_effect_, model.tie_ or 0.0)


def with_errors(votes: Votes) -> Solution:
    model = podium_model(votes)
    assert np.isfinite(model.standard_error_).all()
    assert np.isfinite(model.covariate_error_).all()
    return Solution(model.log_skill_, model.covariate_effect_, model.tie_ or 0.0)


def with_doubles(votes: Votes) -> Votes:
    import jax

    jax.config.update("jax_enable_x64", True)
    return votes


def arena_rank(votes: Votes, tol: float) -> Solution:
    import pandas as pd
    from arena_rank.models.contextual_bradley_terry import ContextualBradleyTerry
    from arena_rank.utils.data_utils import ContextualPairDataset

    names = [f"z{j}" for j in range(votes.covariates.shape[1])]
    frame = pd.DataFrame(votes.covariates, columns=names)
    frame["a"], frame["b"], frame["winner"] = votes.right, votes.left, (votes.outcome > 0).astype(float)
    data = ContextualPairDataset.from_pandas(
        frame, names, ["a", "b"], "winner", outcome_map=float, reweighted=False, normalize_features=False
    )
    model = ContextualBradleyTerry(len(data.competitors), len(names), reg=0.0, gtol=tol, ftol=0.0).fit(data)
    return Solution(np.asarray(model.params["ratings"]), np.asarray(model.params["coeffs"]))


def scikit_learn(solver: str) -> Callable[[Votes, float], Solution]:
    def fit(votes: Votes, tol: float) -> Solution:
        from sklearn.linear_model import LogisticRegression

        penalty = 1e12 if solver == "liblinear" else np.inf  # liblinear needs a penalty; this one vanishes
        model = LogisticRegression(C=penalty, solver=solver, fit_intercept=False, max_iter=10_000, tol=tol)
        coefficients = model.fit(design(votes), votes.outcome).coef_[0]
        k = len(coefficients) - votes.covariates.shape[1] + 1
        return Solution(np.append(0.0, coefficients[: k - 1]), coefficients[k - 1 :])

    return fit


def design(votes: Votes) -> Any:
    """Columns of -1 and 1 for the models but the first, whose log-skill is 0, and the covariates."""
    from scipy.sparse import csr_array

    left, right, _, covariates = votes
    n, p = covariates.shape
    k = int(max(left.max(), right.max())) + 1
    columns = np.empty((n, p + 2), dtype=np.int32)
    columns[:, 0], columns[:, 1], columns[:, 2:] = left, right, np.arange(k, k + p)
    values = np.column_stack([np.full(n, -1.0), np.ones(n), covariates])
    kept = columns > 0
    start = np.append(0, np.cumsum(kept.sum(axis=1))).astype(np.int32)
    return csr_array((values[kept], columns[kept] - 1, start), shape=(n, k + p - 1))


PODIUM = {"podium": Contestant(podium), "podium, with errors": Contestant(with_errors)}
SOLVERS = ("newton-cholesky", "newton-cg", "liblinear", "lbfgs")
PEERS = {
    f"scikit-learn {solver}": Contestant(scikit_learn(solver), "scikit-learn", efforts=TOLERANCES)
    for solver in SOLVERS
} | {"arena-rank": Contestant(arena_rank, "arena-rank", with_doubles, TOLERANCES)}


def case(name: str, contestants: dict[str, Contestant], k: int, n: int, nu: float = 0.0) -> Case:
    reference = "scikit-learn newton-cholesky" if len(contestants) > len(PODIUM) else ""
    make_votes, small = partial(make, k, n, nu), partial(make, 20, 20_000, nu)
    return Case(name, make_votes, contestants, small, gradient, reference, GRADIENT)


if __name__ == "__main__":
    main(
        [
            case("100 models, 1M votes", PODIUM | PEERS, 100, 1_000_000),
            case("100 models, 1M votes, ties", PODIUM, 100, 1_000_000, TIES),
        ],
        [case("1,000 models, 10M votes", PODIUM, 1_000, 10_000_000)],
    )
