"""Draws of the errors of all skills together, for graphs whose parts hang together by few games.

As in `sampling`, w has the information H as its covariance (or M, for the sandwich), so that y = H⁺ w has the
covariance of the skills when the other parameters are known. Not knowing them adds a normal error of their
own to all skills at once. With K draws the standard error of any difference is off by about 1 / √(2K).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.bradley_terry.errors.covariance import squared_residuals
from podium.bradley_terry.errors.information import factorize, information, jacobian, pair_terms, regular
from podium.bradley_terry.errors.laplacian import conjugate_gradients, graph_of
from podium.bradley_terry.errors.sampling import BLOCK, draw, quick_solver, roots
from podium.bradley_terry.likelihood import PairedProblem
from podium.comparisons.arrays import Floats

DRAWS = 1024  # which leave 2.2 %


def drawn_errors(problem: PairedProblem, x: Floats, *, sandwich: bool = False) -> NDArray[np.float32]:
    """One row per item, one column per draw, with mean 0 in every group.

    The results of teams are drawn side by side, and then mapped to their members.
    """
    graph, border, corner = graph_of(problem, x)
    weight = squared_residuals(problem, x) if sandwich else pair_terms(problem, x).bend
    pairs = (problem.counts.indptr, problem.counts.partner, weight)
    parts = roots(graph, pairs, 0 * graph.gamma if sandwich else graph.gamma)
    lift = None if problem.teams is None else jacobian(problem, x).T.tocsr()
    solve = None if problem.teams is not None else quick_solver(graph, draw(*parts, 0))
    if solve is None:
        solve = factorize(regular(problem, x, information(problem, x).skills))
        across = solve(border)
    else:
        columns = [conjugate_gradients(graph, column, 1e-4) for column in border.T]
        across = np.array(columns).reshape(-1, len(border)).T
    rest = across @ np.linalg.cholesky(np.linalg.inv(corner - border.T @ across))
    rng = np.random.default_rng(DRAWS)
    errors = np.empty((len(graph.degree), DRAWS), dtype=np.float32)
    for block in range(DRAWS // BLOCK):
        y = solve(draw(*parts, block, lift)) + rest @ rng.standard_normal((rest.shape[1], BLOCK))
        errors[:, block * BLOCK : (block + 1) * BLOCK] = _centred(y, graph.group)
    return errors


def _centred(y: Floats, group: NDArray[Any]) -> Floats:
    mean = np.array([np.bincount(group, column) for column in y.T]) / np.bincount(group)
    return np.asarray(y - mean.T[group])
