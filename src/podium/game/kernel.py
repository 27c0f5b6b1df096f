"""The kernel K_z between preferences by Kesler's construction, computed in blocks on demand.

A preference a says that for the instance x_a the label u_a is better than the label v_a. Its vector is
z_a = (e_u - e_v) ⊗ Φ(x_a), and the kernel between two preferences is (eq. (3) of [PreferenceGame])

    K_ab = ([u_a = u_b] + [v_a = v_b] - [u_a = v_b] - [v_a = u_b]) κ(x_a, x_b),

plus a ridge ρ/weight_a on the diagonal for the soft-margin game. Neither K nor the z are formed. A strategy p
becomes a table of coefficients, one row per instance in its support and one column per label, and

    (K p)_a = s(x_a, u_a) - s(x_a, v_a) + ρ p_a / weight_a

follows from the scores s = κ · table of every instance. Each row of the table sums to 0, so the last column
is not computed; with two labels there is a single column, as in a support vector machine.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from podium.comparisons.arrays import Floats, Positions
from podium.comparisons.features import is_sparse
from podium.numerics.compiled import njit
from podium.numerics.kernels.kernel import Kernel
from podium.numerics.kernels.row_cache import MOST_BYTES, RowCache

# The number of entries in a block of a kernel matrix that is used once and not kept. Blocks of 1 << 16 take
# 1.2 times as long on 4,000 rows of 40 features, and 4 times as long on 20,000 rows of 300.
PIECE = 1 << 21


@dataclass(frozen=True)
class GameKernel:
    """Preferences as arrays: the instance, the better and the worse label, and the ridge added to K_aa.

    ``items`` are the features of the instances (for ``"precomputed"``: their kernel matrix).
    """

    kernel: Kernel
    items: Any
    instance: Positions
    better: Positions
    worse: Positions
    n_labels: int
    ridge: Floats

    def __len__(self) -> int:
        return len(self.instance)

    def take(self, rows: Positions) -> "GameKernel":
        """The sub-game of some preferences; the features are shared."""
        parts = (self.instance[rows], self.better[rows], self.worse[rows])
        return GameKernel(self.kernel, self.items, *parts, self.n_labels, self.ridge[rows])

    def between(self, rows: Positions, columns: Positions) -> Floats:
        """κ between instances."""
        return self.kernel(self.items[rows], self.kernel.columns(self.items, columns))

    def block(self, rows: Positions, columns: Positions) -> Floats:
        """K between some preferences and others, without the ridge."""
        first, of_row = np.unique(self.instance[rows], return_inverse=True)
        second, of_column = np.unique(self.instance[columns], return_inverse=True)
        values, (u, v) = self.between(first, second), (self.better, self.worse)
        labels = u[rows], v[rows], u[columns], v[columns]
        return np.asarray(_signed(values, of_row, of_column, self.n_labels, *labels))

    @cached_property
    def diagonal(self) -> Floats:
        """K_aa with the ridge."""
        used, place = self.asked
        return 2.0 * self._squares(used)[place] + self.ridge

    def opposed(self) -> Positions:
        """Two opposite preferences for one instance, if there are any."""
        m = self.n_labels
        pair = (self.instance * m + self.better) * m + self.worse
        mirror = (self.instance * m + self.worse) * m + self.better
        both = np.flatnonzero(np.isin(pair, mirror))
        return np.flatnonzero((pair == pair[both[0]]) | (mirror == pair[both[0]])) if len(both) else both

    def _squares(self, used: Positions) -> Floats:
        """κ(x, x)."""
        if self.kernel.kernel == "precomputed":
            return np.asarray(self.items[used, used], dtype=np.float64)
        return self.kernel.squares(self.items[used])

    def table(self, support: Positions, p: Floats) -> tuple[Positions, Floats]:
        """W = Σ p_a z_a as the instances in the support and their coefficients for every label."""
        used, row = np.unique(self.instance[support], return_inverse=True)
        table = np.zeros((len(used), self.n_labels))
        np.add.at(table, (row, self.better[support]), p)
        np.subtract.at(table, (row, self.worse[support]), p)
        return used, table

    def product(self, support: Positions, p: Floats) -> Floats:
        """K p with the ridge, from the kernel rows of the support."""
        used, table = self.table(support, p)
        scores = expand(self.kernel, self.items, self.asked[0], used, table[:, :-1])
        return self.margins(scores, support, p)

    @cached_property
    def asked(self) -> tuple[Positions, Positions]:
        """The distinct instances of all preferences, and the position of each preference's instance."""
        return np.unique(self.instance, return_inverse=True)

    @cached_property
    def signs(self) -> Any:
        """The z as sparse rows: 1 for the better label of the instance, -1 for the worse one."""
        from scipy.sparse import csr_array

        (asked, place), m = self.asked, self.n_labels
        columns = np.column_stack([place * m + self.better, place * m + self.worse])
        values = np.tile([1.0, -1.0], len(self))
        shape = (len(self), len(asked) * m)
        return csr_array((values, columns.ravel(), np.arange(0, 2 * len(self) + 1, 2)), shape=shape)

    def margins(self, scores: Floats, support: Positions, p: Floats) -> Floats:
        """K p from the scores of the instances for all labels but the last."""
        scores = np.column_stack([scores, -scores.sum(axis=1)])
        place = self.asked[1]
        f = scores[place, self.better] - scores[place, self.worse]
        f[support] += self.ridge[support] * p
        return np.asarray(f)


class Products:
    """K times one strategy after another, with a cache of kernel rows of the instances.

    Most of the support stays the same from one working set to the next, so most of its rows are in the cache.
    """

    def __init__(self, game: GameKernel, most_bytes: int = MOST_BYTES) -> None:
        self.game, self.asked = game, game.asked[0]
        asked, n = self.asked, len(self.asked)
        self.cache = RowCache(lambda rows: game.between(asked[rows], asked), n, n, most_bytes=most_bytes)
        self.used = 0  # products with vectors without zeros, so far

    def margins(self, support: Positions, p: Floats) -> Floats:
        """K p with the ridge."""
        used, table = self.game.table(support, p)
        scores = self._scores(np.searchsorted(self.asked, used), table[:, :-1])
        return self.game.margins(scores, support, p)

    def __call__(self, v: Floats) -> Floats:
        """K_z v, without the ridge, for any v."""
        game, self.used = self.game, self.used + 1
        table = (game.signs.T @ v).reshape(-1, game.n_labels)[:, :-1]
        scores = self._scores(np.arange(len(self.asked)), table)
        return np.asarray(game.signs @ np.column_stack([scores, -scores.sum(axis=1)]).ravel())

    def _scores(self, places: Positions, table: Floats) -> Floats:
        """The scores of all instances; without the cache if the rows at these places do not fit into it."""
        game, cache, kernel = self.game, self.cache, self.game.kernel
        short = kernel.kernel == "precomputed" or is_short(kernel, game.items.shape[1], *table.shape)
        if short or len(places) > len(cache.store):
            return expand(kernel, game.items, self.asked, self.asked[places], table)
        slots = cache.fetch(places)
        coefficients = np.zeros((cache.n_kept, table.shape[1]))
        coefficients[slots] = table
        return np.asarray(cache.store[: cache.n_kept].T @ coefficients)


@njit(cache=True, nogil=True)
def _signed(values, of_row, of_column, n_labels, better, worse, plus, minus):  # type: ignore[no-untyped-def]
    """K_ab of the first formula above, given κ between instances and the instance of every a and b."""
    block = np.empty((len(of_row), len(of_column)))
    label = np.zeros(n_labels)
    for a in range(len(of_row)):
        row = values[of_row[a]]
        label[better[a]], label[worse[a]] = 1.0, -1.0
        for b in range(len(of_column)):
            block[a, b] = (label[plus[b]] - label[minus[b]]) * row[of_column[b]]
        label[better[a]] = label[worse[a]] = 0.0
    return block


def expand(
    kernel: Kernel, items: Any, asked: Positions, used: Positions, table: Floats, piece: int = PIECE
) -> Floats:
    """Σ_j table_j κ(used item j, item) for each of the items asked for."""
    if kernel.kernel == "precomputed":
        return np.asarray(items[np.ix_(asked, used)] @ table)
    X, Y = items[asked], items[used]
    if is_short(kernel, X.shape[1], *table.shape):
        return X @ (Y.T @ table) if kernel.kernel == "linear" else _quadratic(kernel, X, Y, table)
    out = np.empty((len(asked), table.shape[1]))
    size = max(64, piece // max(len(used), 1))
    for start in range(0, len(asked), size):
        out[start : start + size] = kernel(X[start : start + size], Y) @ table
    return out


def is_short(kernel: Kernel, n_features: int, n_used: int, n_columns: int) -> bool:
    """Whether scores are cheaper from a linear or quadratic form in the features than from kernel rows."""
    by_rows = n_used * (n_features + n_columns)
    quadratic = kernel.kernel == "poly" and kernel.degree == 2
    return kernel.kernel == "linear" or (quadratic and n_features**2 * n_columns < by_rows)


def _quadratic(kernel: Kernel, X: Any, Y: Any, table: Floats) -> Floats:
    """`expand` for (γ x·y + c)² = γ² x'(yy')x + 2γc y·x + c²: one matrix per column, no kernel rows."""
    out = np.empty((X.shape[0], table.shape[1]))
    for label in range(table.shape[1]):
        weight = table[:, label]
        if is_sparse(Y):
            form = (Y.T @ Y.multiply(weight[:, None]).tocsr()).toarray()
        else:
            form = Y.T @ (Y * weight[:, None])
        image = X @ form
        product = X.multiply(image).sum(axis=1) if is_sparse(X) else np.einsum("ij,ij->i", X, image)
        out[:, label] = kernel.gamma**2 * np.asarray(product).ravel()
        if kernel.coef0:
            out[:, label] += (
                2 * kernel.gamma * kernel.coef0 * (X @ (Y.T @ weight)) + kernel.coef0**2 * weight.sum()
            )
    return out
