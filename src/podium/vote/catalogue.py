"""What can be shown, as a frozen catalogue."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, eq=False)
class Catalogue:
    """The items that can be shown at this moment.

    Attributes
    ----------
    items : tuple of int
        The ids of the items that are not withdrawn.
    names : mapping of int to str
        The names of all items, the withdrawn ones included.
    answers : mapping of int to frozenset of int
        For every prompt the items that have something to show for it.
    """

    items: tuple[int, ...] = ()
    names: Mapping[int, str] = field(default_factory=dict)
    answers: Mapping[int, frozenset[int]] = field(default_factory=dict)
