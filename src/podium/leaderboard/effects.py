"""Effects of the left side and of covariates: as text, as factors of the odds, and as columns of a file."""

import numpy as np

from podium.comparisons.arrays import Floats
from podium.comparisons.messages import joined
from podium.leaderboard.board import ELO_UNIT, SCORE_FORMATS, Board, CovariateEffect
from podium.writing.label_text import one_line

FORMATS = {"elo": "z.1f", "log": "z.3f", "skill": "#.3g"}  # one more digit than scores: effects may be small
NAMED = 4  # covariates that a heading names


def remarks(board: Board) -> list[str]:
    """One line per effect, and lines about errors and weights if they are not the default."""
    order = [order_effect_text(board)] if board.order_effect is not None else []
    return [*order, *(covariate_text(effect, board) for effect in board.covariate_effects), *board.method]


def order_effect_text(board: Board) -> str:
    """The advantage of the left side with its interval as text; empty if it was not estimated.

    >>> from podium.leaderboard.board import COLUMNS
    >>> board = Board(**dict.fromkeys(COLUMNS, ()), order_effect=(34.6, -2, 71.2))
    >>> order_effect_text(board)
    'advantage of the left side: 35 (-2 to 71)'
    """
    if board.order_effect is None:
        return ""
    value, low, high = (rounded(number, SCORE_FORMATS[board.scale]) for number in board.order_effect)
    return f"advantage of the left side: {_factor(board)}{value} ({low} to {high})"


def covariate_text(effect: CovariateEffect, board: Board) -> str:
    """The effect of a covariate with its interval as text.

    >>> from podium.leaderboard.board import COLUMNS
    >>> effect = CovariateEffect("length", 100, 12.34, 9.06, 15.6)
    >>> covariate_text(effect, Board(**dict.fromkeys(COLUMNS, ())))
    'effect of length, per 100: 12.3 (9.1 to 15.6)'
    """
    value, low, high = (rounded(number, FORMATS[board.scale]) for number in effect[2:])
    return f"effect of {one_line(effect.name)}, per {effect.per:g}: {_factor(board)}{value} ({low} to {high})"


def rounded(number: float, spec: str = "#.3g") -> str:
    """The number as text, without the dot that "#.3g" leaves at the end of a whole number.

    >>> rounded(40.52), rounded(101.2)
    ('40.5', '101')
    """
    return format(number, spec).removesuffix(".")


def _factor(board: Board) -> str:
    return "odds × " * (board.scale == "skill")


def held_equal(board: Board) -> str:
    """Which covariates the scores hold equal, as text; empty if there are none.

    >>> from podium.leaderboard.board import COLUMNS
    >>> effects = [(name, 1, 0, -1, 1) for name in ("length", "bold")]
    >>> held_equal(Board(**dict.fromkeys(COLUMNS, ()), covariate_effects=effects))
    'at equal length and bold'
    """
    names = [one_line(effect.name) for effect in board.covariate_effects]
    if not names:
        return ""
    if len(names) > NAMED:
        names = [*names[: NAMED - 1], f"{len(names) - NAMED + 1:,} more"]
    return f"at equal {joined(names)}"


def odds_factors(effect: CovariateEffect, board: Board) -> Floats:
    """By how much the effect multiplies the odds of winning, with its interval.

    >>> from podium.leaderboard.board import COLUMNS
    >>> effect = CovariateEffect("length", 100, 400, 0, 800)
    >>> odds_factors(effect, Board(**dict.fromkeys(COLUMNS, ()))).round(9)
    array([ 10.,   1., 100.])
    """
    ends = np.array(effect[2:])
    with np.errstate(over="ignore"):
        return ends if board.scale == "skill" else np.exp(ends / (ELO_UNIT if board.scale == "elo" else 1.0))


def constants(board: Board) -> dict[str, float]:
    """The columns of the effects, which are the same in every row of a file."""
    names = ("order_effect", "order_effect_low", "order_effect_high")
    columns = {} if board.order_effect is None else dict(zip(names, board.order_effect, strict=True))
    for name, per, value, low, high in board.covariate_effects:
        start = f"effect_of_{name}"
        columns |= {start: value, f"{start}_low": low, f"{start}_high": high, f"{start}_per": per}
    return columns
