"""Skills that are given to a fit: anchors, or the board of last month.

The log-skills of known items are constants. No other scale is needed: the items that comparisons join to them
are measured by them, and are not centred. In the matrix H of second derivatives the rows and columns of known
items are cut off. If a known skill has an error of its own, with the variances V of all of them, the
covariance of the estimates is that of the free parameters F plus (H_FF⁻¹ H_Fx) V (H_FF⁻¹ H_Fx)ᵀ.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Floats
from podium.comparisons.messages import names_of, quoted
from podium.core.linear import EXACT_ITEMS
from podium.leaderboard.board import ELO_UNIT, Board, Scale
from podium.numerics.parameters import is_number


class Known(NamedTuple):
    """Which items are known, their log-skills, and the standard errors of these; 0 for all other items."""

    chosen: NDArray[np.bool_]
    value: Floats
    error: Floats

    @property
    def node(self) -> Codes:
        """The node of each item in a graph in which all known items are one; theirs is the last."""
        node = np.cumsum(~self.chosen, dtype=np.int32) - np.int32(1)
        return np.where(self.chosen, np.int32((~self.chosen).sum()), node)

    def measured(self, group: Codes) -> NDArray[np.bool_]:
        """The items of the group that the known ones are in."""
        return np.asarray(group == group[np.argmax(self.chosen)])

    def placed(self, x: Floats, group: Codes) -> Floats:
        """The point with the known skills, and the rest of their group moved with them."""
        x, k = x.copy(), len(group)
        x[:k] += self.measured(group) * (self.value - x[:k])[self.chosen].mean()
        x[:k][self.chosen] = self.value[self.chosen]
        return x

    def cut_off(self, matrix: Any) -> Any:
        """The matrix without the rows and columns of known items, apart from their diagonal."""
        if isinstance(matrix, np.ndarray):
            at = np.flatnonzero(self.chosen)
            diagonal = matrix[at, at]
            matrix[at], matrix[:, at], matrix[at, at] = 0.0, 0.0, np.maximum(diagonal, 1e-12)
            return matrix
        from scipy.sparse import diags_array

        free = diags_array(1.0 - self.chosen)
        return (free @ matrix @ free + diags_array(self.chosen * (matrix.diagonal() + 1e-12))).tocsr()

    def moves(self, inverse: Floats, across: Floats) -> Floats:
        """How all parameters move with the known skills; ``across`` has the columns of these in H."""
        moved = -inverse @ across
        moved[self.chosen.nonzero()[0]] = np.eye(across.shape[1])
        return np.asarray(moved * self.error[self.chosen])


def known_of(fixed: Any, items: NDArray[Any]) -> tuple[Known | None, tuple[str, ...]]:
    """The known skills among the items, and a note on the names in ``fixed`` that are not there.

    Of a board, only those that are there count.
    """
    if fixed is None:
        return None, ()
    if not isinstance(fixed, Board | Mapping):
        raise ValueError(f"fixed must be a dict {{item: log-skill}} or a leaderboard, not {fixed!r}")
    given = _of_board(fixed) if isinstance(fixed, Board) else dict(_checked(*each) for each in fixed.items())
    place = {label: at for at, label in enumerate(items.tolist())}
    found = [label for label in given if label in place]
    if not found:
        raise ValueError("none of the items in fixed appears in the data; give the skill of one that does")
    if len(items) > EXACT_ITEMS:
        raise ValueError(f"fixed is for at most {EXACT_ITEMS:,} items, and there are {len(items):,}")
    at, known = [place[label] for label in found], np.zeros((3, len(items)))
    known[0, at], known[1:, at] = 1.0, np.transpose([given[label] for label in found])
    missing = [] if isinstance(fixed, Board) else [label for label in given if label not in place]
    notes = (f"fixed has {names_of(np.array(missing))}, not in the data; nothing changes",) * bool(missing)
    return Known(known[0] > 0, *known[1:]), notes


def log_skill_of(scores: Floats, scale: Scale) -> Floats:
    """Scores of a scale as log-skills."""
    from podium.skill.board import ELO_MEAN

    with np.errstate(divide="ignore", invalid="ignore"):
        return (
            np.log(scores)
            if scale == "skill"
            else (scores - ELO_MEAN) / ELO_UNIT
            if scale == "elo"
            else scores
        )


def _checked(label: Any, said: Any) -> tuple[Any, tuple[float, float]]:
    """A label with its log-skill and its error."""
    pair = said if isinstance(said, tuple | list) else (said, 0.0)
    if len(pair) != 2 or not all(is_number(part) and np.isfinite(part) for part in pair) or pair[1] < 0:
        raise ValueError(
            f"the fixed skill of {quoted(label)} must be a number or (number, error), not {said!r}"
        )
    return label, (float(pair[0]), float(pair[1]))


def _of_board(board: Board) -> dict[Any, tuple[float, float]]:
    """The log-skills on a board, with their errors."""
    from podium.skill.certainty import quantile

    if board.component.any():
        raise ValueError(
            "fixed has a board of several groups, which have no common scale; use board[board.component == 0]"
        )
    score, low, high = log_skill_of(np.array([board.score, board.low, board.high]), board.scale)
    error = np.nan_to_num((high - low) / (2 * quantile(board.level)), nan=0.0, posinf=0.0)
    kept = np.isfinite(score)
    return dict(zip(board.item[kept].tolist(), zip(score[kept], error[kept], strict=True), strict=True))
