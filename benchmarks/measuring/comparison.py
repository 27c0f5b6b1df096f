"""What became slower or faster between two tables, in plain sentences."""

from collections.abc import Iterator
from typing import NamedTuple

from measuring.table import Results, Row, digits, seconds_text

NOTICEABLE = 0.1  # changes up to 10 % are noise


class Change(NamedTuple):
    """How many times as slow a line of podium became, and the sentence that says so."""

    factor: float
    sentence: str


class Comparison(NamedTuple):
    """What changed most comes first; ``gone`` names lines that the new table does not have."""

    slower: list[Change]
    faster: list[Change]
    gone: list[str]

    def __str__(self) -> str:
        lines = [f"Slower: {change.sentence}" for change in self.slower]
        lines += [f"Faster: {change.sentence}" for change in self.faster]
        lines += [f"No longer measured: {name}." for name in self.gone]
        return "\n".join(lines) or "Nothing became slower or faster by more than 10 %."


def compare(old: Results, new: Results) -> Comparison:
    """Changes of podium's lines: of the ratio to the reference if both tables have it, else of seconds."""
    changes = sorted(changes_of(old, new), reverse=True)
    slower = [change for change in changes if change.factor > 1 + NOTICEABLE]
    faster = [change for change in reversed(changes) if change.factor < 1 / (1 + NOTICEABLE)]
    gone = [row.name for row in old.rows.values() if row.is_podium and row.key not in new.rows]
    return Comparison(slower, faster, gone)


def changes_of(old: Results, new: Results) -> Iterator[Change]:
    for before in old.rows.values():
        after = new.rows.get(before.key)
        if after is None or not before.is_podium or not before.ended:
            continue
        if not after.ended:
            yield Change(float("inf"), f"{after.name}: took {before.outcome}, now {after.outcome}.")
            continue
        yield change_of(before, after, old.reference_of(before), new.reference_of(after))


def change_of(before: Row, after: Row, base_before: Row | None, base_after: Row | None) -> Change:
    if base_before is None or base_after is None or base_before.who != base_after.who:
        factor = after.seconds / before.seconds
        numbers = f"took {seconds_text(before.seconds)}, now {seconds_text(after.seconds)}"
    else:
        was, now = before.seconds / base_before.seconds, after.seconds / base_after.seconds
        factor = now / was
        numbers = f"took {digits(was)} times as long as {base_after.who}, now {digits(now)} times"
    percent = f"{100 * (factor - 1):.0f} % more" if factor > 1 else f"{100 * (1 - factor):.0f} % less"
    return Change(factor, f"{after.name}: {numbers}, {percent}.")
