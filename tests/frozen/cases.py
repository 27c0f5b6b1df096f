"""All frozen cases: what each computes, by the public interface alone."""

import warnings

from tests.frozen import listed, machines, moving, paired, rows
from tests.frozen.answers import Answers

CASES = {**paired.CASES, **listed.CASES, **moving.CASES, **machines.CASES, **rows.CASES}


def answers_of(name: str) -> Answers:
    """Compute a case. Warnings are tested elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return CASES[name]()
