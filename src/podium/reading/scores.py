"""Two columns of numbers: the score of one game, or counts of how many games each side has won."""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Index
from podium.comparisons.labels import factorize
from podium.comparisons.messages import InputError
from podium.comparisons.outcomes import SideLabels, words_of
from podium.options import OutcomeFormat

SCORE_WORDS = set("goals points pts runs score".split())
COUNT_WORDS = set("win wins count counts n number votes".split())
TIE_WORDS = set("tie ties draws".split())
LARGE_SUM = 10  # of two scores, on average: football has 3, ice hockey 6, baseball 9
Numbers = NDArray[np.int64 | np.float64]


def tell_scores(names: tuple[str, str], outcome_format: OutcomeFormat | None) -> bool:
    """Whether the format, or the names alone, say that two columns have the score of one game."""
    if outcome_format not in (None, "score"):
        raise InputError(
            f"{{@outcome_format}}'{outcome_format}' is for one column; '{names[0]}' and '{names[1]}' are "
            "two, which have the scores of the sides"
        )
    words = {*words_of(names[0]), *words_of(names[1])}
    return outcome_format == "score" or bool(words & SCORE_WORDS and not words & COUNT_WORDS)


def check_scores(
    names: tuple[str, str],
    scores: tuple[Numbers, Numbers],
    rows: Index,
    pairs_repeat: Callable[[], bool],
    header: Iterable[str],
) -> None:
    """Refuse, with a question, columns that may count several games.

    Names decide if they can; else large sums do, or ties in a column of their own. A pair of sides that has
    several rows argues for games: a table of counts has one row for each pair. ``rows`` is how many rows have
    each pair of scores.
    """
    left, right = scores
    total = left + right
    if not len(total) or (np.concatenate(scores) % 1 != 0).any():
        return
    if min(left.min(), right.min()) < 0 or total.max() <= 1:
        return
    counted = {*words_of(names[0]), *words_of(names[1])} & COUNT_WORDS or any(map(_counts_ties, header))
    if counted or (float(np.average(total, weights=rows)) > LARGE_SUM and not pairs_repeat()):
        raise counts_or_score(names)


def counts_or_score(names: tuple[str, str]) -> InputError:
    return InputError(
        f"columns '{names[0]}' and '{names[1]}' look like counts of several games in each row; if they are, "
        "name them with {@wins} (and a column of ties with {@ties}), but if they are the score of one game, "
        "name them with {@outcome} and say {@outcome_format}'score'"
    )


def _counts_ties(name: str) -> bool:
    words = set(words_of(name))
    return bool(words & TIE_WORDS) and words <= TIE_WORDS | COUNT_WORDS


def pairs_repeat(sides: SideLabels | None) -> bool:
    """Whether some pair meets in several rows, with the same side on the left."""
    if sides is None:
        return False
    pair = sides.left.astype(np.int64) * (len(sides.distinct) + 1) + sides.right
    return len(factorize(pair)[0]) < len(pair)
