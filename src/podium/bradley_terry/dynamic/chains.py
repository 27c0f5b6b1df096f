"""The states of all movers, one per mover and moment at which it plays, as chains of independent noise.

State k of a chain is x_k = φ_k x_(k-1) + √q_k u_k with independent standard normal u; a chain starts with
φ = 0. The states of a chain are stored one after the other, so a chain ends where the next φ is 0. Arrays of
numbers per state have shape (n_states, n_columns). Nothing is divided by q, so movers may stand still.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from podium.bradley_terry.dynamic.games import Games
from podium.bradley_terry.dynamic.motion import Motion
from podium.comparisons.arrays import Floats, Index
from podium.numerics.compiled import njit


@dataclass(frozen=True, eq=False)
class Chains:
    """Which mover and moment each state belongs to, and how it follows from the state before it."""

    mover: Index
    when: Floats
    start: Index  # of each mover: its first state; then the number of states
    phi: Floats
    root: Floats  # √q

    @classmethod
    def of(cls, mover: Index, when: Floats, motion: Motion) -> Self:
        """Chains of states that are sorted by mover and time."""
        start = np.searchsorted(mover, np.arange(motion.n_movers + 1))
        gap = np.diff(when, prepend=0.0)
        first = np.ones(len(mover), dtype=bool)
        first[1:] = mover[1:] != mover[:-1]
        phi, q = motion.step(mover, np.where(first, 0.0, gap))
        phi, q = np.where(first, 0.0, phi), np.where(first, motion.first_spread[mover] ** 2, q)
        return cls(mover, when, start, phi, np.sqrt(q))

    @classmethod
    def through(cls, games: Games, motion: Motion) -> tuple[Self, Index]:
        """The chains of the movers of these games, and the state of each entry of ``games.mover``."""
        n_moments = len(games.when)
        moment = np.repeat(games.moment, np.diff(games.indptr))
        drift, _ = motion.rates
        stays = (games.mover < motion.n_effects) & (drift[games.mover] == 0)
        moment = np.where(stays, 0, moment)  # an effect that does not move has one state
        key, state = np.unique(games.mover * n_moments + moment, return_inverse=True)
        mover, at = np.divmod(key, n_moments)
        return cls.of(mover, games.when[at], motion), state

    def __len__(self) -> int:
        return len(self.mover)

    def latest(self, mover: Index, when: Floats | float) -> Index:
        """The last state of each mover, known or new, that is not later; -1 if there is none."""
        times = np.unique(self.when)
        moment = np.searchsorted(times, self.when) + self.mover * (len(times) + 1)
        asked = np.searchsorted(times, when, side="right") + mover * (len(times) + 1)  # the moment after it
        place = np.searchsorted(moment, asked) - 1
        return np.where(place >= self.start[np.minimum(mover, len(self.start) - 1)], place, -1)

    def states(self, u: Floats) -> Floats:
        """X = L u."""
        return np.asarray(_states(self.phi, self.root, u))

    def noise(self, slope: Floats) -> Floats:
        """L' times a slope by x: the slope by u."""
        return np.asarray(_noise(self.phi, self.root, slope))


@dataclass(frozen=True, eq=False)
class Factor:
    """The precision I + L' D L of the noise if each state has information D of its own, chain by chain."""

    chains: Chains
    own: Floats  # D
    later: Floats  # Π: the information on each state in its own games and those after it
    share: Floats  # 1 / (1 + q Π)

    @classmethod
    def of(cls, chains: Chains, own: Floats) -> Self:
        later = np.asarray(_later(chains.phi, chains.root, own))
        return cls(chains, own, later, 1.0 / (1.0 + chains.root**2 * later))

    def solve(self, v: Floats) -> Floats:
        """(I + L' D L)⁻¹ v."""
        return np.asarray(_solve(self.chains.phi, self.chains.root, self.later, self.share, v))

    def variances(self) -> tuple[Floats, Floats]:
        """The variance of each state, and its covariance with the next state of its chain."""
        variance, lag = _variances(self.chains.phi, self.chains.root, self.own, self.later)
        return variance, lag


@njit(cache=True, nogil=True)
def _states(phi, root, u):  # type: ignore[no-untyped-def]
    x = np.empty_like(u)
    for k in range(len(u)):
        for c in range(u.shape[1]):
            x[k, c] = root[k] * u[k, c]
            if phi[k] != 0.0:
                x[k, c] += phi[k] * x[k - 1, c]
    return x


@njit(cache=True, nogil=True)
def _noise(phi, root, slope):  # type: ignore[no-untyped-def]
    out = np.empty_like(slope)
    total = np.zeros(slope.shape[1])
    for k in range(len(slope) - 1, -1, -1):
        for c in range(slope.shape[1]):
            total[c] += slope[k, c]
            out[k, c] = root[k] * total[c]
            total[c] *= phi[k]
    return out


@njit(cache=True, nogil=True)
def _later(phi, root, own):  # type: ignore[no-untyped-def]
    """Π_k = D_k + φ² Π / (1 + q Π) of the next state."""
    later, coming = np.empty_like(own), 0.0
    for k in range(len(own) - 1, -1, -1):
        later[k] = own[k] + coming
        coming = phi[k] ** 2 * later[k] / (1.0 + root[k] ** 2 * later[k])
    return later


@njit(cache=True, nogil=True)
def _solve(phi, root, later, share, v):  # type: ignore[no-untyped-def]
    """Backward, what the later noise asks of each state (η); forward, the states, and from both the noise."""
    n, width = v.shape
    asked, y = np.empty_like(v), np.empty_like(v)
    coming, x = np.zeros(width), np.zeros(width)
    for k in range(n - 1, -1, -1):
        back, own = phi[k] * share[k], later[k] * root[k]
        for c in range(width):
            asked[k, c] = coming[c]
            coming[c] = back * (own * v[k, c] + asked[k, c])
    for k in range(n):
        for c in range(width):
            x[c] = (phi[k] * x[c] + root[k] * (v[k, c] - root[k] * asked[k, c])) * share[k]
            y[k, c] = v[k, c] - root[k] * (later[k] * x[c] + asked[k, c])
    return y


@njit(cache=True, nogil=True)
def _variances(phi, root, own, later):  # type: ignore[no-untyped-def]
    variance, lag = np.empty_like(own), np.zeros_like(own)
    after = 0.0  # the variance of the state before, given its own and earlier games
    for k in range(len(own)):
        expected = phi[k] ** 2 * after + root[k] ** 2
        variance[k] = expected / (1.0 + expected * later[k])
        if phi[k] != 0.0 and expected > 0.0:
            lag[k - 1] = phi[k] * after / expected * variance[k]
        after = expected / (1.0 + expected * own[k])
    return variance, lag
