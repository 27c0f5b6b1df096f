"""couple: probabilities of many classes from probabilities of binary problems between groups of classes."""

import warnings
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.comparisons.arrays import Floats
from podium.comparisons.messages import first_true, row_name
from podium.numerics.parameters import check_stopping

if TYPE_CHECKING:
    from podium.numerics.result import SolverResult

Method = Literal["generalized-bt", "pairwise", "wu-lin-weng"]
METHODS: tuple[Method, ...] = ("generalized-bt", "pairwise", "wu-lin-weng")
MOVED = {"zadrozny": "; its heuristic is in experiments/zadrozny.py of the source repository"}
# Solutions have the wins of the row up to 1e-10 of its mass. If the two best classes are further apart than
# this, their order is certain.
CERTAIN = 1e-9


def couple(
    code: ArrayLike,
    r: ArrayLike,
    r_other: ArrayLike | None = None,
    method: Method = "generalized-bt",
    n: ArrayLike | None = None,
    *,
    tol: float = 1e-10,
    max_iter: int = 1000,
) -> Floats:
    """Probabilities of k classes from the probabilities of m binary problems, for many instances at once.

    r may be exactly 0 or 1. If the likelihood alone does not determine the answer (some r are 0 or 1, or two
    classes are on the same side of every problem), the answer is the limit of eq. (7) as its prior μ goes to
    0, computed with μ = 1e-12 times the mass of a row. Classes that are never separated then get equal
    probabilities.

    Parameters
    ----------
    code : array of shape (m, k)
        One row per problem: 1 for the classes on its positive side I⁺, -1 for the classes on its negative
        side I⁻, 0 for the classes that it leaves out.
    r : array of shape (n_instances, m) or (m,)
        r[x, i] estimates P(x is in a class of I⁺ | x is in a class of I⁺ or I⁻) for problem i.
    r_other : array like r, optional
        The mass of the negative side; 1 - r by default. If it is given, r and r_other may be any numbers of
        at least 0, such as counts of games between teams. A problem where both are 0 is left out of that row.
    method : str
        - ``"generalized-bt"`` maximises the likelihood of the generalized Bradley–Terry model, eq. (4), for
          any code. For one-vs-rest it is an equation in one unknown, §5.1. It is convex if every problem has
          all classes (one-vs-rest, dense) or two classes (one-vs-one). For other codes (sparse) the answer is
          the stationary point that a descent from the least-squares solution reaches.
        - ``"pairwise"`` is the same for a one-vs-one code only: the Bradley–Terry model, eq. (2) [Hastie and
          Tibshirani 1998].
        - ``"wu-lin-weng"`` is least squares for a one-vs-one code [Wu, Lin and Weng 2004], as in LIBSVM. Its
          accuracy suffers less if a few classes dominate.
    n : array of shape (m,), optional
        Weights of the problems, for instance their numbers of training rows, eq. (8) of [GeneralizedBT]; the
        paper uses 1 if these numbers are similar.
    tol : float
        A row has converged if no entry of the gradient in log p is larger, relative to the mass of the row.
    max_iter : int
        The maximum number of iterations per row. A warning counts the rows that did not converge.

    Returns
    -------
    array of shape (n_instances, k), or (k,) for a vector r

    See Also
    --------
    CodedClassifier : fits the binary classifiers and couples them
    BradleyTerry : constant skills of items or teams

    Examples
    --------
    >>> code = [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
    >>> couple(code, [[0.7, 0.3, 0.2], [0.0, 0.5, 0.5]]).round(3)
    array([[0.613, 0.234, 0.153],
           [0.   , 0.5  , 0.5  ]])
    >>> couple([[1, -1, 0], [0, 1, -1]], [0.75, 0.5]).round(3)
    array([0.6, 0.2, 0.2])
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, not {method!r}{MOVED.get(method, '')}")
    check_stopping(tol, max_iter)
    checked = checked_code(code)
    r = np.asarray(r, dtype=np.float64)
    won, lost = masses(r, r_other, n, len(checked))
    result = solve_coupling(checked, won, lost, method, tol, max_iter)
    _warn_of_rows(result, tol)
    return result.solution if r.ndim == 2 else result.solution[0]


def most_probable(code: NDArray[np.int8], r: Floats, method: Method) -> NDArray[np.intp]:
    """The column with the largest probability that `couple` gives, one per row of r.

    One-vs-one rows are coupled only if their two best classes have almost equally many wins. If every two
    classes are compared once, with the same mass n, the gradient of eq. (7) of [GeneralizedBT] in log p
    vanishes where, for every class s,

        Σ_{t≠s} r_st + μ = Σ_{t≠s} n p_s / (p_s + p_t) + μ k p_s.

    With n/2 added, the sum on the right includes t = s. The right side is then the same increasing function
    of p_s for all classes, so classes with more wins Σ r_st are more probable.
    """
    if method not in ("generalized-bt", "pairwise") or not _round_robin(code):
        return np.asarray(np.argmax(couple(code, r, method=method), axis=1))
    r = np.asarray(r, dtype=np.float64)
    won, lost = masses(r, None, None, len(code))
    wins = won @ (code > 0).astype(np.float64) + lost @ (code < 0)
    best: NDArray[np.intp] = np.argmax(wins, axis=1)
    second, first = np.partition(wins, -2, axis=1)[:, -2:].T
    close = first - second <= CERTAIN * len(code)
    if close.any():
        best[close] = np.argmax(couple(code, r[close], method=method), axis=1)
    return best


def _round_robin(code: NDArray[np.int8]) -> bool:
    """Whether the problems are all pairs of classes, each once."""
    k = code.shape[1]
    sides = np.abs(code)
    return (
        len(code) == k * (k - 1) // 2
        and bool((sides.sum(axis=1) == 2).all())
        and len(np.unique(sides, axis=0)) == len(code)
    )


def solve_coupling(
    code: NDArray[np.int8], won: Floats, lost: Floats, method: Method, tol: float, max_iter: int
) -> "SolverResult":
    """Merge equal problems, and choose the solver; some codes have a closed form."""
    from podium.classes.coupling.newton import couple_by_newton
    from podium.classes.coupling.rest import couple_with_rest, single_classes
    from podium.classes.coupling.squares import couple_by_squares

    code, won, lost = _merged(code, won, lost)
    if method in ("pairwise", "wu-lin-weng"):
        _check_pairs(code, method)
    if method == "wu-lin-weng":
        _check_masses(won + lost)
        return couple_by_squares(code, won, lost)
    single = single_classes(code)
    if single is not None and (won + lost > 0).all():
        return couple_with_rest(code, single, won, lost)
    return couple_by_newton(code, won, lost, tol=tol, max_iter=max_iter)


def checked_code(code: ArrayLike) -> NDArray[np.int8]:
    """The code, checked: entries -1, 0 and 1, two sides in every problem, and all classes connected."""
    table = np.asarray(code)
    if table.ndim != 2 or table.shape[1] < 2 or not len(table) or table.dtype.kind not in "iufb":
        raise ValueError(
            f"code must be a matrix with one row per problem and one column per class, and at least two "
            f"classes; its shape is {table.shape}"
        )
    strange = ~np.isin(table, (-1, 0, 1)).all(axis=1)
    if strange.any():
        raise ValueError(f"code has an entry other than -1, 0 and 1 at {row_name(first_true(strange))}")
    empty = ~((table > 0).any(axis=1) & (table < 0).any(axis=1))
    if empty.any():
        raise ValueError(
            f"code has an empty side at {row_name(first_true(empty))}: every problem needs a 1 and a -1"
        )
    if (alone := ~table.any(axis=0)).any():
        which = f"class {first_true(alone) + 1} (counting from 1)"
        raise ValueError(f"{which} is in no problem of the code; add a problem, or remove its column")
    _check_connected(table)
    return table.astype(np.int8)


def _check_connected(table: NDArray[Any]) -> None:
    from scipy.sparse.csgraph import connected_components

    among = (table != 0).astype(np.float64)
    part = connected_components(among.T @ among, directed=False)[1]
    reached = part == part[first_true(table[0] != 0)]
    if not reached.all():
        inside, outside = first_true(reached) + 1, first_true(~reached) + 1
        raise ValueError(
            f"no chain of problems links class {inside} to class {outside} (counting from 1); "
            f"add a problem with both"
        )


def masses(r: Floats, r_other: ArrayLike | None, n: ArrayLike | None, m: int) -> tuple[Floats, Floats]:
    """r_i and r'_i of eq. (4), one row per instance."""
    _check_table(r, "r", m)
    if r_other is None:
        if (outside := (r < 0) | (r > 1)).any():
            raise ValueError(f"r is below 0 or above 1 at {_place(outside)}; for counts, also give r_other")
        other = 1.0 - r
    else:
        other = np.asarray(r_other, dtype=np.float64)
        _check_table(other, "r_other", m)
        if other.shape != r.shape:
            raise ValueError(f"r_other has the shape {other.shape}, but r has the shape {r.shape}")
        for name, table in (("r", r), ("r_other", other)):
            if (table < 0).any():
                raise ValueError(f"{name} is negative at {_place(table < 0)}")
    weight = np.ones(m) if n is None else np.asarray(n, dtype=np.float64)
    if weight.shape != (m,) or not np.isfinite(weight).all() or (weight < 0).any() or not weight.any():
        raise ValueError(
            f"n must have one finite weight of at least 0 for each of the {m} problems, and not only zeros"
        )
    weight = np.ldexp(weight, -np.frexp(weight.max())[1])
    # Only the ratios within a row matter; masses near 1 keep their squares within the range of floats.
    unit = -np.frexp(np.maximum(r, other).max(axis=-1, keepdims=True))[1]
    return np.atleast_2d(weight * np.ldexp(r, unit)), np.atleast_2d(weight * np.ldexp(other, unit))


def _check_table(table: Floats, name: str, m: int) -> None:
    if table.ndim not in (1, 2) or table.shape[-1] != m:
        raise ValueError(
            f"{name} has the shape {table.shape}; its last axis must have the {m} problems of the code"
        )
    if (strange := ~np.isfinite(table)).any():
        raise ValueError(f"{name} is missing or infinite at {_place(strange)}")


def _place(mask: NDArray[np.bool_]) -> str:
    row, column = divmod(first_true(mask.ravel()), mask.shape[-1])
    return f"problem {column + 1} of {row_name(row)}"


def _merged(code: NDArray[np.int8], won: Floats, lost: Floats) -> tuple[NDArray[np.int8], Floats, Floats]:
    """Add up problems between the same sides, flipped so that their first class is positive."""
    sign = code[np.arange(len(code)), np.argmax(code != 0, axis=1)]
    distinct, position = np.unique(code * sign[:, None], axis=0, return_inverse=True)
    if len(distinct) == len(code):
        return code, won, lost
    plus, minus = np.zeros((2, len(won), len(distinct)))
    for i, at in enumerate(position.ravel()):
        plus[:, at] += won[:, i] if sign[i] > 0 else lost[:, i]
        minus[:, at] += lost[:, i] if sign[i] > 0 else won[:, i]
    return distinct, plus, minus


def _check_masses(mass: Floats) -> None:
    """Raise an error for problems without mass: least squares would give all mass to an unknown class."""
    empty = ~(mass > 0)
    if empty.any():
        raise ValueError(
            f"method='wu-lin-weng' needs a mass above 0 of every problem, but {_place(empty)} has none"
        )


def _check_pairs(code: NDArray[np.int8], method: str) -> None:
    k = code.shape[1]
    larger = np.abs(code).sum(axis=1) != 2
    if larger.any() or len(code) != k * (k - 1) // 2:
        why = (
            f"{larger.sum()} of its problems have more than two classes"
            if larger.any()
            else f"it has {len(code)} of {k * (k - 1) // 2} pairs"
        )
        raise ValueError(
            f"method '{method}' needs a code with a problem for every two classes, but {why}; "
            f"use 'generalized-bt', which takes any code"
        )


def _warn_of_rows(result: "SolverResult", tol: float) -> None:
    from podium.numerics.result import NotConverged

    failed = np.flatnonzero(~result.details["row_converged"])
    if len(failed):
        warnings.warn(
            f"{len(failed):,} of {len(result.solution):,} rows did not converge to tol={tol:g} in "
            f"{result.iterations:,} iterations, the first of them {row_name(int(failed[0]))}; "
            "raise max_iter or tol",
            NotConverged,
            stacklevel=3,
        )
