"""Skills that are given to a fit: anchors, or the board of last month.

The log-skills of known items are constants. The items that comparisons join to them are measured by them, and
are not centred. In the matrix H of second derivatives the rows and columns of known items are cut off. If
known skills have the variances V, the covariance of the estimates is that of the free parameters F plus
(H_FF⁻¹ H_Fx) V (H_FF⁻¹ H_Fx)ᵀ.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.comparisons.arrays import Codes, Floats, Index
from podium.comparisons.messages import names_of, quoted
from podium.core.graph import largest_first
from podium.core.linear import EXACT_ITEMS
from podium.leaderboard.board import ELO_UNIT, Board, Scale
from podium.numerics.parameters import is_number


class Known(NamedTuple):
    """The items whose skills are known, their log-skills, and the standard errors of these."""

    at: Index
    value: Floats
    error: Floats

    def nodes(self, n: int) -> Codes:
        """The node of each of n items in a graph in which all known items are one; theirs is the last."""
        node = np.cumsum(~np.isin(np.arange(n), self.at)) - 1
        node[self.at] = n - len(self.at)
        return node.astype(np.int32)

    def of_items(self, found: tuple[Codes, Codes], n: int) -> tuple[Codes, Codes]:
        """Groups and strong classes of n items from those of their nodes."""
        if not len(self.at):
            return found
        group, strong = (of_node[self.nodes(n)] for of_node in found)
        return largest_first(group), strong

    def measured(self, group: Codes) -> NDArray[np.bool_]:
        """The items of the group that the known ones are in."""
        return np.isin(group, group[self.at])

    def cut_off(self, matrix: Any) -> Any:
        """The matrix without the rows and columns of known items, apart from their diagonal."""
        at, diagonal = self.at, np.maximum(matrix.diagonal()[self.at], 1e-12)
        if len(at) and not isinstance(matrix, np.ndarray):
            matrix = matrix.tolil()
        if len(at):
            matrix[at], matrix[:, at], matrix[at, at] = 0.0, 0.0, diagonal
        return matrix if isinstance(matrix, np.ndarray) else matrix.tocsr()

    def moves(self, joint: Floats, across: Floats) -> Floats:
        """How all parameters move with errors of known skills; ``across`` has the columns of these in H."""
        moved = -joint @ across
        moved[self.at] = np.eye(len(self.at))
        return np.asarray(moved * self.error)


NOTHING = Known(np.empty(0, np.int64), np.empty(0), np.empty(0))


def known_of(fixed: Any, items: NDArray[Any]) -> tuple[Known, tuple[str, ...]]:
    """The known skills among the items, and a note on names in ``fixed`` that are not there.

    Of a board, only those that are there count.
    """
    if fixed is None:
        return NOTHING, ()
    if not isinstance(fixed, Board | Mapping):
        raise ValueError(f"fixed must be a dict {{item: log-skill}} or a leaderboard, not {fixed!r}")
    given = _of_board(fixed) if isinstance(fixed, Board) else {a: _checked(a, b) for a, b in fixed.items()}
    place = {label: at for at, label in enumerate(items.tolist())}
    found = [label for label in given if label in place]
    if not found:
        raise ValueError("none of the items in fixed appears in the data; give the skill of one that does")
    if len(items) > EXACT_ITEMS:
        raise ValueError(f"fixed is for at most {EXACT_ITEMS:,} items, and there are {len(items):,}")
    missing = np.array([label for label in given if label not in place and not isinstance(fixed, Board)])
    notes = (f"fixed has {names_of(missing)}, not in the data; nothing changes",) * bool(len(missing))
    return Known(np.array([place[a] for a in found]), *np.transpose([given[a] for a in found])), notes


def log_skill_of(scores: Floats, scale: Scale) -> Floats:
    """Scores of a scale as log-skills."""
    from podium.skill.board import ELO_MEAN

    with np.errstate(divide="ignore", invalid="ignore"):
        known = {"log": scores, "skill": np.log(scores), "elo": (scores - ELO_MEAN) / ELO_UNIT}
    return np.asarray(known[scale])


def _checked(label: Any, said: Any) -> tuple[float, float]:
    """A log-skill and its error."""
    pair = said if isinstance(said, tuple | list) else (said, 0.0)
    if len(pair) != 2 or not all(is_number(part) and np.isfinite(part) for part in pair) or pair[1] < 0:
        what = f"the fixed skill of {quoted(label)}"
        raise ValueError(f"{what} must be a number or (number, error), not {said!r}")
    return float(pair[0]), float(pair[1])


def _of_board(board: Board) -> dict[Any, tuple[float, float]]:
    """The log-skills on a board, with their errors."""
    from podium.skill.certainty import quantile

    if board.component.any():
        raise ValueError(
            "fixed has a board of several groups, which have no common scale; use board[board.component == 0]"
        )
    score, low, high = log_skill_of(np.array([board.score, board.low, board.high]), board.scale)
    error = np.nan_to_num((high - low) / (2 * quantile(board.level)), posinf=0.0)
    rows = zip(board.item.tolist(), score, error, strict=True)
    return {item: (value, error) for item, value, error in rows if np.isfinite(value)}
