"""Small data of the frozen cases, made from seeds."""

from typing import Any

import numpy as np

import podium as pod


def games(
    n_items: int = 8,
    n: int = 240,
    seed: int = 0,
    *,
    tie: float = 0.6,
    order: float = 0.3,
    spread: float = 0.8,
) -> dict[str, Any]:
    """Games of Davidson's model as `Comparisons.from_arrays` takes them."""
    rng = np.random.default_rng(seed)
    skill = spread * rng.normal(size=n_items)
    left = rng.integers(0, n_items, n)
    right = (left + rng.integers(1, n_items, n)) % n_items
    outcome = outcomes(rng, skill[right] - skill[left] - order, tie)
    names = np.array([f"i{i:04d}" for i in range(n_items)])
    return {"left": names[left], "right": names[right], "outcome": outcome}


def outcomes(rng: np.random.Generator, d: Any, tie: float) -> Any:
    p = np.column_stack([np.exp(-d / 2), np.full(len(d), tie), np.exp(d / 2)])
    p /= p.sum(axis=1, keepdims=True)
    return (rng.random(len(d))[:, None] > p.cumsum(axis=1)[:, :2]).sum(axis=1) - 1


def table(seed: int = 0, **options: Any) -> pod.Comparisons:
    return pod.Comparisons.from_arrays(**games(seed=seed, **options))


def extras(n: int = 240, seed: int = 1) -> dict[str, Any]:
    """Columns that games may have, one value per row."""
    rng = np.random.default_rng(seed)
    return {
        "weight": rng.uniform(0.5, 2.0, n),
        "count": rng.integers(1, 4, n).astype(float),
        "group": rng.integers(0, 12, n),
        "category": np.array(["de", "en", "fr"])[rng.integers(0, 3, n)],
        "neutral": rng.random(n) < 0.3,
        "covariates": {"length": rng.normal(size=n), "late": rng.integers(-1, 2, n).astype(float)},
        "time": np.sort(rng.integers(0, 60, n)).astype(float),
    }


def with_extras(*names: str, seed: int = 0, n: int = 240, **options: Any) -> pod.Comparisons:
    columns = extras(n, seed + 1)
    return pod.Comparisons.from_arrays(**games(seed=seed, n=n, **options), **{k: columns[k] for k in names})


def dated(seed: int = 0, n: int = 240) -> pod.Comparisons:
    days = np.sort(np.random.default_rng(seed).integers(0, 900, n))
    return pod.Comparisons.from_arrays(**games(seed=seed, n=n), time=np.datetime64("2021-03-01") + days)


def described(seed: int = 0, n_items: int = 8, **options: Any) -> pod.Comparisons:
    """Games of items with two features."""
    c = table(seed, n_items=n_items, **options)
    return c.with_features(np.random.default_rng(seed + 7).normal(size=(len(c.items), 2)), ["age", "size"])


def doubles(seed: int = 0, n: int = 240, **columns: Any) -> pod.Comparisons:
    """Games of teams of one to three players."""
    rng = np.random.default_rng(seed)
    skill = 0.7 * rng.normal(size=9)
    sides, d = [], np.zeros(n)
    for k in range(n):
        a, b = rng.integers(1, 4, 2)
        players = rng.permutation(9)[: a + b]
        sides.append((tuple(map(int, players[:a])), tuple(map(int, players[a:]))))
        d[k] = np.log(np.exp(skill[players[a:]]).sum() / np.exp(skill[players[:a]]).sum())
    left, right = zip(*sides, strict=True)
    return pod.Comparisons.from_arrays(list(left), list(right), outcomes(rng, d, 0.5), **columns)


def in_two_parts(seed: int = 0) -> pod.Comparisons:
    """Two sets of items that never met."""
    one, two = games(5, 100, seed), games(4, 80, seed + 1)
    other = {side: np.char.add("x", two[side]) for side in ("left", "right")}
    return pod.Comparisons.from_arrays(
        *(np.concatenate([one[k], other.get(k, two[k])]) for k in ("left", "right", "outcome"))
    )


def with_a_champion(seed: int = 0, *, ties: bool = False) -> pod.Comparisons:
    """An item that won all its games, or never lost."""
    c = games(6, 120, seed)
    wins = np.full(8, -1)
    wins[: 3 * ties] = 0
    left = np.concatenate([c["left"], ["champion"] * 8])
    right = np.concatenate([c["right"], np.unique(c["right"])[[0, 1, 2, 3, 4, 5, 0, 1]]])
    return pod.Comparisons.from_arrays(left, right, np.concatenate([c["outcome"], wins]))


def graph(edges: Any, seed: int = 0, repeat: int = 3, tie: float = 0.4) -> pod.Comparisons:
    """Every edge is played ``repeat`` times by items of equal skill, and won once by each side."""
    rng = np.random.default_rng(seed)
    left, right = np.asarray(edges).T
    y = outcomes(rng, np.zeros(len(left) * repeat), tie)
    first = np.concatenate([np.tile(left, repeat), left, left])
    second = np.concatenate([np.tile(right, repeat), right, right])
    both = np.repeat([-1, 1], len(left))
    return pod.Comparisons.from_arrays(first, second, np.concatenate([y, both]))


def chain(n: int) -> Any:
    return [(i, i + 1) for i in range(n - 1)]


def ladder(n: int) -> Any:
    return [*((2 * i, 2 * i + 1) for i in range(n)), *((i, i + 2) for i in range(2 * n - 2))]


def grid(n: int) -> Any:
    across = [(n * i + j, n * i + j + 1) for i in range(n) for j in range(n - 1)]
    return [*across, *((n * i + j, n * i + j + n) for i in range(n - 1) for j in range(n))]


def ring(n: int) -> Any:
    return [(i, (i + 1) % n) for i in range(n)]


def sparse(n_items: int, n: int, seed: int = 0) -> pod.Comparisons:
    """Random games, among which many items play once or twice."""
    return table(seed, n_items=n_items, n=n, spread=0.5)


def rankings(
    n_items: int = 7, n: int = 60, seed: int = 0, *, tied: float = 0.0, longest: int | None = None
) -> list[list[Any]]:
    """Rankings of two to all items by Gumbel's noise; with ``tied``, neighbours tie with that probability."""
    rng = np.random.default_rng(seed)
    skill = 0.7 * rng.normal(size=n_items)
    lists = []
    for _ in range(n):
        size = int(rng.integers(2, (longest or n_items) + 1))
        items = rng.permutation(n_items)[:size]
        order = items[np.argsort(-(skill[items] + rng.gumbel(size=size)))]
        lists.append(_with_ties([f"r{i}" for i in order], rng.random(size) < tied))
    return lists


def _with_ties(order: list[str], joined: Any) -> list[Any]:
    groups = [[order[0]]]
    for item, with_last in zip(order[1:], joined[1:], strict=True):
        if with_last and len(groups[-1]) < 3:
            groups[-1].append(item)
        else:
            groups.append([item])
    return [g[0] if len(g) == 1 else tuple(g) for g in groups]


def choices(n_items: int = 7, n: int = 120, seed: int = 0) -> tuple[list[str], list[list[str]]]:
    rng = np.random.default_rng(seed)
    skill = 0.7 * rng.normal(size=n_items)
    chosen, alternatives = [], []
    for _ in range(n):
        items = rng.permutation(n_items)[: rng.integers(2, 5)]
        best = items[np.argmax(skill[items] + rng.gumbel(size=len(items)))]
        chosen.append(f"r{best}")
        alternatives.append([f"r{i}" for i in items])
    return chosen, alternatives


def pairs(n: int = 60, p: int = 3, seed: int = 0, *, tie_share: float = 0.4) -> tuple[Any, Any]:
    """Pairs with features as an array of shape (n, 2, p), and outcomes of a slightly curved utility."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2, p))
    utility = X @ np.linspace(1.0, 0.3, p) + 0.3 * X[..., 0] ** 2
    d = utility[:, 1] - utility[:, 0] + 0.3 * rng.normal(size=n)
    width = np.quantile(np.abs(d), tie_share)
    return X, np.where(np.abs(d) <= width, 0, np.sign(d)).astype(int)


def labelled(n: int = 50, p: int = 3, seed: int = 0, *, labels: int | None = 4) -> tuple[Any, Any]:
    """Rows with ordered labels, or with a number as the target."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    target = X @ np.linspace(1.0, -0.5, p) + 0.5 * rng.normal(size=n)
    if labels is None:
        return X, target.round(3)
    return X, np.searchsorted(np.quantile(target, np.arange(1, labels) / labels), target)


def classes(n: int = 45, p: int = 2, seed: int = 0, k: int = 3) -> tuple[Any, Any]:
    """Rows of k classes that overlap a little."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    angle = 2 * np.pi * y / k
    centre = 2 * np.column_stack([np.cos(angle), np.sin(angle), *np.zeros((p - 2, n))])
    return centre + 0.8 * rng.normal(size=(n, p)), y
