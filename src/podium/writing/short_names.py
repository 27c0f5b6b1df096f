"""Shorten names so that they fit a width and can still be told apart."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import takewhile

from rich.cells import cell_len

CUT = "…"
CONTEXT = 3  # characters kept of a beginning that several names share


def short_names(names: Sequence[str], width: int) -> list[str]:
    """Shorten the names that are wider than ``width``, keeping what tells them apart.

    A name is cut in the middle. If several names then look the same, the beginning that they share is cut
    instead. Names that differ only in a longer middle part may still look the same.

    >>> short_names(["llama-2-70b-chat-hf-q4", "llama-2-70b-chat-hf-q8", "gpt-4"], 12)
    ['llama-…hf-q4', 'llama-…hf-q8', 'gpt-4']
    >>> short_names(["model-alpha-instruct-v1", "model-gamma-instruct-v1"], 12)
    ['mod…alpha…v1', 'mod…gamma…v1']
    """
    shown = [_cut_middle(name, width) for name in names]
    alike = defaultdict(set)
    for name, text in zip(names, shown, strict=True):
        alike[text].add(name)
    groups = {name: group for group in alike.values() if len(group) > 1 for name in group}
    return [
        _cut_shared(name, groups[name], width) if name in groups else text
        for name, text in zip(names, shown, strict=True)
    ]


def _cut_shared(name: str, group: set[str], width: int) -> str:
    """Cut the beginning that all names of the group share, then the middle of what follows."""
    shared = sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*group, strict=False)))
    start = name[:CONTEXT] + CUT if shared > CONTEXT + 1 else name[:shared]
    rest = width - cell_len(start)
    return start + _cut_middle(name[shared:], rest, head_share=0.75) if rest > 0 else _cut_middle(name, width)


def _cut_middle(name: str, width: int, head_share: float = 0.5) -> str:
    if cell_len(name) <= width:
        return name
    room = max(width - 1, 1)
    head = _fitting(name, round(room * head_share))
    tail = _fitting(name[::-1], room - cell_len(head))[::-1]
    return f"{head}{CUT}{tail}"


def _fitting(text: str, width: int) -> str:
    """The longest beginning that fits."""
    for count, character in enumerate(text):
        width -= cell_len(character)
        if width < 0:
            return text[:count]
    return text
