"""Comparisons at a glance: the facts of a table, as text and as HTML."""

from html import escape
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from podium.comparisons import Comparisons

Facts = dict[str, str]


def facts_of(c: "Comparisons") -> Facts:
    """What a reader wants to know first, in the order in which to say it."""
    n = len(c)
    facts = {"comparisons": f"{n:,}", "items": f"{int(c.appears.sum()):,}"}
    if c.outcome is not None:
        lefts, ties, rights = (int((c.outcome == sign).sum()) for sign in (-1, 0, 1))
        facts["ties"] = f"{ties:,} ({100 * ties / n:.1f} %)" if ties else "0"
        facts["left better"], facts["right better"] = f"{lefts:,}", f"{rights:,}"
    if c.teams is not None:
        played = c.teams.sizes[np.concatenate([c.left, c.right])]
        smallest, largest = int(played.min(initial=len(c.items))), int(played.max(initial=0))
        facts["teams of"] = f"{largest}" if smallest >= largest else f"{smallest} to {largest}"
    facts["components"] = f"{int(c.components.max(initial=-1)) + 1:,}"
    if (c.weight != 1).any():
        facts["weight"] = f"{c.weight.sum():,.6g}"
    if c.group is not None:
        facts["groups"] = f"{np.count_nonzero(np.bincount(c.group)):,}"
    if c.time is not None and n:
        facts["time"] = f"{c.time.min()} to {c.time.max()}"
    if c.features is not None:
        facts["features"] = f"{c.features.shape[1]:,}"
    return facts


def as_text(facts: Facts) -> str:
    parts = [f"{_count(facts['comparisons'], 'comparison')} of {_count(facts['items'], 'item')}"]
    if "ties" in facts:
        number, _, share = facts["ties"].partition(" ")
        parts.append(f"{_count(number, 'tie')} {share}".strip() if share else "no ties")
    else:
        parts.append("no outcomes")
    if "teams of" in facts:
        parts.append(f"teams of {facts['teams of']}")
    parts.append("connected" if facts["components"] in ("0", "1") else f"{facts['components']} components")
    if "weight" in facts:
        parts.append(f"weight {facts['weight']}")
    parts += [_count(facts[f"{noun}s"], noun) for noun in ("group", "feature") if f"{noun}s" in facts]
    return f"<Comparisons: {', '.join(parts)}>"


def as_html(facts: Facts) -> str:
    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:right'>{escape(value)}</td></tr>"
        for name, value in facts.items()
    )
    return f"<table><caption>Comparisons</caption><tbody>{rows}</tbody></table>"


def _count(number: str, noun: str) -> str:
    return f"{number} {noun}" if number == "1" else f"{number} {noun}s"
