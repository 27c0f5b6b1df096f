"""What a script measures: cases, and the contestants of each."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

PATIENCE = 8.0  # seconds after which a fit is stopped
REPEAT = 2


def unchanged(problem: Any) -> Any:
    return problem


def nothing(problem: Any, result: Any) -> dict[str, float]:
    return {}


class Clocked(NamedTuple):
    """The result of a contestant that timed itself, for example because it solved only a part."""

    seconds: float
    result: Any = None
    note: str = ""


@dataclass(frozen=True)
class Contestant:
    """One way to solve a problem; ``prepare`` runs before the clock starts.

    ``package`` is the distribution whose version goes into the table. If there are ``efforts``, such as
    tolerances, ``run`` takes one as its second argument, and the first that reaches the case's goal counts.
    """

    run: Callable[..., Any]
    package: str = "podium-learn"
    prepare: Callable[[Any], Any] = unchanged
    efforts: Sequence[Any] = ()
    patience: float = PATIENCE


@dataclass(frozen=True)
class Case:
    """A problem that is made once, and its contestants, who take turns; our names begin with podium.

    ``small`` makes a similar problem that every process solves first, so that imports and compilation do not
    count. ``check`` computes what was reached, from the problem and a result: a ``gap``, a ``gradient`` or an
    ``error`` on test data. ``reference`` names the contestant that ``--compare`` divides podium's seconds by.
    Quick runs are called several times in their process, unless only the ``first_call`` counts.
    """

    name: str
    make: Callable[[], Any]
    contestants: Mapping[str, Contestant]
    small: Callable[[], Any] | None = None
    check: Callable[[Any, Any], dict[str, float]] = nothing
    reference: str = ""
    goal: float = math.inf
    repeat: int = REPEAT
    first_call: bool = False

    def reached(self, facts: Mapping[str, float]) -> bool:
        """Whether the certificate is as good as the goal; nan is not."""
        return all(facts[name] <= self.goal for name in ("gap", "gradient") if name in facts)
