"""Which two items to show next: usually a pair that helps the board most, sometimes any pair.

If ``explore`` is above 0, every matchup that a judge has not seen can come up. Its probability is known
exactly, so an analysis of the votes can correct for the preference for some pairs.
"""

from bisect import bisect_right
from collections.abc import Callable, Set
from dataclasses import dataclass, field
from itertools import accumulate
from math import isqrt
from random import Random

from podium.vote.database.catalogue import Catalogue
from podium.vote.nouns import Matchup, Seen

Pair = tuple[int, int]  # two items, the smaller id first
NOTHING: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Choice:
    """How to draw the next matchup.

    With the probability ``explore``, or if the judge has seen all targets, it is drawn uniformly from all
    matchups that the judge has not seen. Otherwise a target is drawn uniformly from those with an open
    prompt (one with which the judge has not seen this pair), and then one of its open prompts.

    Matchups are numbered: first those of the first prompt, then those of the second, and so on. Drawing a
    number is drawing a matchup.

    Parameters
    ----------
    catalogue : Catalogue
        The items and the prompts that they answer.
    targets : tuple of pairs of item ids
        The pairs that help most, in any order. Pairs without a common prompt are ignored.
    explore : float
        The probability of drawing from all matchups.

    Examples
    --------
    >>> shop = Catalogue((1, 2, 3), {1: "ann", 2: "bob", 3: "cat"}, {7: frozenset({1, 2, 3})})
    >>> Choice(shop, ((1, 2),), explore=0.3).draw({(7, 1, 3)}, Random(1)).probability
    0.85
    """

    catalogue: Catalogue
    targets: tuple[Pair, ...]
    explore: float
    _prompts: list[tuple[int, list[int]]] = field(init=False, repr=False, compare=False)
    _ends: list[int] = field(init=False, repr=False, compare=False)  # 1 + the last number of each prompt
    _common: dict[Pair, list[int]] = field(init=False, repr=False, compare=False)  # prompts of each target

    def __post_init__(self) -> None:
        answers = self.catalogue.answers
        prompts = [(prompt, sorted(items)) for prompt, items in sorted(answers.items()) if len(items) > 1]
        common = {
            (low, high): [prompt for prompt, items in prompts if {low, high} <= answers[prompt]]
            for low, high in map(sorted, self.targets)
        }
        prepared = {
            "_prompts": prompts,
            "_ends": list(accumulate(len(items) * (len(items) - 1) // 2 for _, items in prompts)),
            "_common": {pair: shared for pair, shared in common.items() if shared},
        }
        for name, value in prepared.items():
            object.__setattr__(self, name, value)

    @property
    def n_matchups(self) -> int:
        """The number of matchups: a prompt and two items that answer it, in either order."""
        return self._ends[-1] if self._ends else 0

    def draw(self, seen: Set[Seen], rng: Random) -> Matchup | None:
        """A matchup that the judge has not seen, or None if there is none.

        Its probability is that of this prompt and these two items in either order; which of them is on the
        left is decided by a fair coin.
        """
        n_open, n_prompts = self._open(seen)
        if not n_open:
            return None
        explore = self.explore if n_prompts else 1.0
        if rng.random() < explore:
            found = _unseen(self._numbered, self.n_matchups, n_open, seen, rng)
        else:
            pair = rng.choice(list(n_prompts))
            shared = self._common[pair]
            found = _unseen(lambda k: (shared[k], *pair), len(shared), n_prompts[pair], seen, rng)
        probability = explore / n_open
        if found[1:] in n_prompts:
            probability += (1 - explore) / len(n_prompts) / n_prompts[found[1:]]
        left, right = found[1:] if rng.random() < 0.5 else found[:0:-1]
        return Matchup(found[0], left, right, probability)

    def _open(self, seen: Set[Seen]) -> tuple[int, dict[Pair, int]]:
        """How many matchups a judge has not seen, and how many prompts of each target that has any left."""
        answers, n_open = self.catalogue.answers, self.n_matchups
        n_prompts = {pair: len(shared) for pair, shared in self._common.items()}
        for prompt, low, high in seen:
            items = answers.get(prompt, NOTHING)
            if low in items and high in items:  # otherwise one of them is withdrawn
                n_open -= 1
                if (low, high) in n_prompts:
                    n_prompts[low, high] -= 1
        return n_open, {pair: n for pair, n in n_prompts.items() if n}

    def _numbered(self, number: int) -> Seen:
        """The matchup with this number; among the pairs of a prompt, (0, 1) is first, then (0, 2), (1, 2)."""
        place = bisect_right(self._ends, number)
        prompt, items = self._prompts[place]
        rest = number - (self._ends[place - 1] if place else 0)
        second = (1 + isqrt(1 + 8 * rest)) // 2
        return prompt, items[rest - second * (second - 1) // 2], items[second]


def _unseen(matchup: Callable[[int], Seen], n: int, n_open: int, seen: Set[Seen], rng: Random) -> Seen:
    """One of the matchups 0 to n - 1, drawn uniformly from the ``n_open`` ones that are not in ``seen``."""
    if 2 * n_open < n:
        return rng.choice([found for k in range(n) if (found := matchup(k)) not in seen])
    while (found := matchup(rng.randrange(n))) in seen:
        pass
    return found
