"""What an answer of a frozen case is, and how near a later answer has to be.

An answer is numbers with a kind. The kind says by what certificate the numbers were found, and so how far two
right answers can be apart; no case has a tolerance of its own.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

MOST = 60  # of a longer vector, PROJECTIONS random projections are stored
PROJECTIONS = 12
DIGITS = 12


class Tolerance(NamedTuple):
    """Answers may differ by ``share`` of the largest number of the vector, taken to be at least ``least``."""

    share: float
    least: float = 1.0


TOLERANCE = {
    # Labels, counts, ranks and predicted classes.
    "exact": Tolerance(0.0),
    # The maximum of a strictly concave likelihood; the gradient is below 1e-9 of the games.
    "estimate": Tolerance(1e-6),
    # Its standard errors, from solves with the curvature at that maximum.
    "error": Tolerance(1e-5, least=0.1),
    # Its log-likelihood, in which an error of an estimate counts squared; and test statistics.
    "objective": Tolerance(1e-7),
    # Probabilities and p-values at that maximum.
    "probability": Tolerance(1e-6),
    # Parameters that maximise a marginal likelihood (the scale of a normal prior), and what depends on them.
    # The search ends far within their standard errors.
    "searched": Tolerance(1e-3),
    # The marginal likelihood at that maximum, where it is flat.
    "searched objective": Tolerance(1e-6),
    # The same of DynamicBradleyTerry, whose search ends at steps of 0.02 in the logarithms of the parameters.
    "coarse": Tolerance(2e-2),
    "coarse objective": Tolerance(1e-4),
    # The objective of a convex problem that is solved to a relative gap of 1e-8.
    "gap": Tolerance(2e-8, least=1e-6),
    # The objective of a linear program, whose constraints HiGHS meets to 1e-7.
    "program": Tolerance(1e-6),
    # Decision values of such a machine: |u - u*|² is at most twice the gap times the objective.
    "margin": Tolerance(1e-3, least=1e-3),
    # A formula or a pass over the data in a fixed order: only rounding can differ.
    "computed": Tolerance(1e-8),
    # Statistics of 200 or more random draws: three to four of their own standard errors.
    "drawn": Tolerance(0.25, least=0.0),
}


class Answer(NamedTuple):
    kind: str
    value: Any


Answers = dict[str, Answer]


def stored(answer: Answer) -> Any:
    """The answer as JSON stores it: labels as they are, numbers with 12 digits, nan as null."""
    if answer.kind == "exact":
        return [_plain(x) for x in np.ravel(np.asarray(answer.value)).tolist()]
    return [None if np.isnan(x) else float(f"{x:.{DIGITS}g}") for x in _short(answer.value)]


def differences(name: str, answer: Answer, recorded: Any) -> Iterator[str]:
    """What is wrong with the answer, in words; nothing if it is near enough."""
    found = stored(answer)
    if len(found) != len(recorded):
        yield f"{name} has {len(found)} numbers; {len(recorded)} are recorded"
    elif answer.kind == "exact":
        for i, (new, old) in enumerate(zip(found, recorded, strict=True)):
            if new != old:
                yield f"{name}[{i}] is {new!r}; {old!r} is recorded"
    else:
        yield from _far(name, answer.kind, _floats(found), _floats(recorded))


def _far(name: str, kind: str, new: Any, old: Any) -> Iterator[str]:
    share, least = TOLERANCE[kind]
    finite = np.abs(old[np.isfinite(old)])
    allowed = share * max(least, finite.max(initial=0.0))
    with np.errstate(invalid="ignore"):
        near = (new == old) | (np.abs(new - old) <= allowed) | (np.isnan(new) & np.isnan(old))
    for i in np.flatnonzero(~near):
        yield (
            f"{name}[{i}] is {new[i]:.{DIGITS}g}; {old[i]:.{DIGITS}g} is recorded, and {kind!r} allows "
            f"a difference of {allowed:.1e}"
        )


def _floats(stored_numbers: Any) -> Any:
    return np.array([np.nan if x is None else x for x in stored_numbers], dtype=float)


def _short(value: Any) -> Any:
    """The numbers, or if they are many their products with fixed random vectors; nan counts as 0 in these."""
    x = np.ravel(np.asarray(value, dtype=float))
    if len(x) <= MOST:
        return x
    directions = np.random.default_rng(len(x)).normal(size=(PROJECTIONS, len(x))) / np.sqrt(len(x))
    return directions @ np.nan_to_num(x)


def _plain(x: Any) -> Any:
    return x if isinstance(x, str | int | float | bool | None) else str(x)


def of_frame(frame: pd.DataFrame, **kinds: str) -> Answers:
    """The columns of a table that have a kind."""
    return {column: Answer(kind, frame[column].to_numpy()) for column, kind in kinds.items()}


def under(prefix: str, answers: Answers) -> Answers:
    return {f"{prefix}.{name}": answer for name, answer in answers.items()}
