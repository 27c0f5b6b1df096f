"""Codes and binary probabilities for the tests of coupling, and two slow ways to couple them."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import minimize

from podium.classes.codes import CodeName, make_code


@st.composite
def problems(draw: Any, base: CodeName | None = None, inner: bool = False) -> tuple[Any, Any]:
    """A code that contains one-vs-one or one-vs-rest, so that it covers every class, and three rows of r."""
    k = draw(st.integers(3, 5))
    base = base or draw(st.sampled_from(["one-vs-one", "one-vs-rest"]))
    low = 0.01 if inner else 0.0
    extra = draw(st.lists(st.permutations([1, -1, *[0] * (k - 3), 1]), max_size=4))
    code = np.vstack([make_code(base, k), *[[row] for row in extra]]).astype(np.int8)
    values = st.floats(low, 1 - low, allow_subnormal=False)
    r = draw(st.lists(values, min_size=3 * len(code), max_size=3 * len(code)))
    return code, np.array(r).reshape(3, -1)


def objective(code: Any, won: Any, lost: Any, p: Any) -> float:
    """Eq. (4) for one row, term by term."""
    value = 0.0
    for row, w, l in zip(code, won, lost, strict=True):  # noqa: E741
        plus, minus = p[row > 0].sum(), p[row < 0].sum()
        value -= w * np.log(plus / (plus + minus)) if w else 0.0
        value -= l * np.log(minus / (plus + minus)) if l else 0.0
    return float(value)


def by_scipy(code: Any, won: Any, lost: Any, start: Any = None) -> Any:
    """Eq. (4) for one row on the simplex, by sequential least squares."""
    k = code.shape[1]
    found = minimize(
        lambda p: objective(code, won, lost, np.maximum(p, 1e-300)),
        np.full(k, 1 / k) if start is None else start,
        method="SLSQP",
        bounds=[(1e-12, 1)] * k,
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1},
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    return found.x / found.x.sum()


def by_algorithm_2(code: Any, won: Any, lost: Any, sweeps: int = 5000) -> Any:
    """Eq. (5) as printed."""
    k = code.shape[1]
    p = np.full(k, 1 / k)
    for t in range(sweeps * k):
        s = t % k
        plus, minus = (code > 0) @ p, (code < 0) @ p
        up, down = code[:, s] > 0, code[:, s] < 0
        seen = (won[up] / plus[up]).sum() + (lost[down] / minus[down]).sum()
        due = ((won + lost)[up | down] / (plus + minus)[up | down]).sum()
        p[s] *= seen / due
        p /= p.sum()
        if s == 0 and t > k and abs(seen / due - 1) < 1e-15:
            break
    return p
