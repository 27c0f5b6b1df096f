"""Comparisons that depend on each other within groups, of one kind or of several (judges and prompts).

The covariance of the gradient is M = Σ (-1)^(|S| + 1) M_S over all sets S of kinds of groups [Cameron,
Gelbach and Miller 2011], where M_S adds up the squared gradients of the groups of rows that agree in all
kinds of S, times G/(G - 1) for G groups. For judges and prompts it is M_judge + M_prompt - M_both. The result
need not be positive semidefinite, so `exact_covariance` cuts negative eigenvalues of the whole covariance.
"""

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from podium.bradley_terry.errors.covariance import prior_scores
from podium.bradley_terry.errors.information import score_rows
from podium.comparisons.arrays import Floats
from podium.comparisons.labels import factorize_rows
from podium.comparisons.messages import InputError, joined
from podium.comparisons.table import Comparisons
from podium.core.links import scores
from podium.skill.fit import sizes_of_groups, sums_by_group
from podium.skill.joint import Dense
from podium.skill.prediction import differences


def gradients(fit: Any, c: Comparisons, mass: Floats) -> Any:
    """The gradient of the log-probability of each row, times its mass (sparse)."""
    found = scores(differences(fit, c), fit.problem.parts(fit.solution).link)
    which, at = np.asarray(c.outcome, np.int64) + 1, np.arange(len(c))
    if fit.problem.graded is not None:
        which = np.searchsorted(fit.problem.graded.grades, np.asarray(c.grade))
    by_difference, by_tie = (part[..., which, at] * mass for part in found)
    return score_rows(fit.problem, fit.difference_slopes(c), by_difference, by_tie)


def clustered(fit: Any) -> Any:
    """The fit with the sizes of its groups of comparisons, and their gradients at the solution."""
    from scipy.sparse import vstack

    c = fit.rows[fit.rows.outcome != 0] if fit.ties == "ignore" else fit.rows
    every: Any = {name: codes for name, (codes, _) in c.groupings.items()} or {"group": None}
    found = {name: sizes_of_groups(codes, c.mass, "comparisons") for name, codes in every.items()}
    names, rows = sorted(found, key=lambda name: len(found[name][0])), gradients(fit, c, c.mass)
    parts, signs = [], []
    for size in range(1, len(names) + 1):
        for some in combinations(names, size):
            code = factorize_rows(np.column_stack([found[name][1] for name in some]))[1]
            parts.append(sums_by_group(rows, found[some[0]][1] if size == 1 else code))
            signs.append(np.full(parts[-1].shape[0], 1.0 if size % 2 else -1.0))
    if fit.problem.normal is not None:
        parts.append(prior_scores(fit.problem))
        signs.append(np.ones(parts[-1].shape[0]))
    sizes = {name: found[name][0] for name in names}
    several: Any = {"clusters": sizes, "score_signs": np.concatenate(signs)} if len(names) > 1 else {}
    whole: Any = vstack(parts, format="csr") if len(parts) > 1 else parts[0]
    return replace(fit, group_sizes=sizes[names[0]], scores=whole, **several)


def note_on_groups(fit: Any, least: float = 1.3) -> tuple[str, ...]:
    """A note if intervals clustered by the groups at hand would be wider than those of the fit by this."""
    if fit.rows is None or fit.rows.group is None or fit.covariance_kind == "cluster" or not fit.is_exact:
        return ()
    try:
        fits = fit, clustered(replace(fit, covariance_kind="cluster"))
    except InputError:  # there are too few groups
        return ()
    pairs = np.triu(fit.component[:, None] == fit.component, 1)
    now, then = (
        np.array(list(map(Dense(one.covariance).variances_to, range(len(pairs)))))[pairs] for one in fits
    )
    ratio = np.sqrt(np.median(then[now > 0] / now[now > 0])) if (now > 0).any() else 1.0
    names = joined([*fit.rows.groupings])
    return (
        f"comparisons of one {names} depend on each other: intervals clustered by {names} would be "
        f"{ratio:.1f} times as wide (median of all differences); use covariance='cluster'",
    ) * bool(least < ratio < np.inf)
