"""Random draws of everything that was estimated, and the variances of new differences.

Estimates are about normal around the truth. Draws of them show what follows from their errors: the chances of
a season, or of a single comparison. For many items skills are drawn jointly, and other parameters apart.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.comparisons.arrays import Floats
from podium.comparisons.labels import find_labels
from podium.comparisons.messages import quoted
from podium.comparisons.random_states import generator
from podium.comparisons.table import Comparisons
from podium.numerics.parameters import check_whole
from podium.skill.certainty import MOST_NUMBERS, drawn_errors
from podium.skill.fit import SkillFit
from podium.skill.joint import DRAWS, Dense, Joint

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Apart:
    """Skills with their joint errors, and parameters whose errors are drawn apart from them."""

    skills: Joint
    others: Floats

    def draws(self, n: int, rng: np.random.Generator) -> Floats:
        return np.hstack(
            [self.skills.draws(n, rng), rng.standard_normal((n, len(self.others))) * self.others]
        )


def solutions(fit: SkillFit, n: int, rng: np.random.Generator) -> Floats:
    """Draws of the solution, one per row: normal, or of Student's t distribution if errors are clustered."""
    return fit.solution + drawn_errors(_joint(fit), n, fit.degrees, rng)


def _joint(fit: SkillFit) -> Any:
    if np.isinf(fit.tie):
        raise ValueError("there were only ties, which determine no differences, so there is nothing to draw")
    if fit.is_exact:
        return Dense(fit.joint_covariance)
    return Apart(fit.joint, fit.errors_of(np.arange(len(fit.items), len(fit.solution))))


def tie_parameters(fit: SkillFit, drawn: Floats) -> Floats:
    """The parameter of ties in every draw; the same in all if it was not estimated with the skills."""
    link, at = fit.link, fit.tie_at
    found = np.full(len(drawn), link.tie) if at is None else np.exp(drawn[:, at])
    return np.asarray(found.clip(min=float(link.rao_kupper)))


def draws(fit: SkillFit, n: int, random_state: Any) -> "pd.DataFrame":
    """Draws as a frame, one column per item, then the order effect and the tie parameter."""
    import pandas as pd

    check_whole("n", n)
    found = solutions(fit, n, generator(random_state))
    others = {"order_effect": found[:, -1]} if fit.has_order_effect else {}
    if fit.ties not in ("half", "ignore"):
        others["tie"] = tie_parameters(fit, found)
    if clash := set(others) & set(fit.items.tolist()):
        name = quoted(min(clash))
        raise ValueError(f"an item is called {name}, as the column of a parameter is; rename the item")
    frame = pd.DataFrame(found[:, : len(fit.items)], columns=fit.items.tolist())
    return pd.concat([frame, pd.DataFrame(others, index=frame.index)], axis=1)


def difference_variances(fit: SkillFit, c: Comparisons) -> Floats:
    """The variance of the difference of every row because estimates are uncertain, 0 for new items.

    With the slopes A of the differences by all parameters and a root R of their covariance it is the sum of
    the squares of A R. The strength of a team counts as linear.
    """
    joint, slopes = _joint(fit), _slopes(fit, c)
    if isinstance(joint, Dense):
        root = joint.root
    else:
        root = joint.draws(DRAWS, np.random.default_rng(0)).T / np.sqrt(DRAWS)
    step = max(MOST_NUMBERS // root.shape[1], 1)
    parts = [((slopes[at : at + step] @ root) ** 2).sum(axis=1) for at in range(0, len(c), step)]
    heavier = 1.0 if np.isinf(fit.degrees) else fit.degrees / (fit.degrees - 2)  # Student's t
    return np.asarray(np.concatenate([*parts, np.zeros(0)]) * heavier)


def _slopes(fit: SkillFit, c: Comparisons) -> Any:
    """The derivatives of all differences by the solution (sparse)."""
    from scipy.sparse import coo_array, csr_array, diags_array, eye_array, hstack

    place, effects = find_labels(fit.items, c.items), fit.columns(c)
    item = np.flatnonzero(place >= 0)
    own = coo_array((np.ones(len(item)), (item, place[item])), (c.n_items, len(fit.items)))
    sides = eye_array(c.n_items) if c.teams is None else c.teams.matrix(c.n_items)
    if c.teams is not None:  # the share of each member in the skill of its team
        skill = np.exp(np.append(fit.log_skill, 0.0)[place])
        sides = diags_array(1 / (sides @ skill)) @ sides @ diags_array(skill)
    strength = (sides @ own).tocsr()
    between = csr_array((len(c), len(fit.solution) - len(fit.items) - effects.shape[1]))
    return hstack([strength[c.right] - strength[c.left], between, csr_array(effects)]).tocsr()
