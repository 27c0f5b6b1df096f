"""What the next votes are for, and which items or pairs they may be about."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

VERSUS = re.compile(" vs ")


def goal_of(text: str, labels: Mapping[str, Any]) -> Any:
    """``--goal`` as `next_pairs` takes it. The names of the items say where "A vs B" is split.

    >>> goal_of("top-5", {})
    'top-5'
    >>> goal_of("Queen vs King vs Ace, 2nd", {"Queen vs King": "Queen vs King", "Ace, 2nd": "Ace, 2nd"})
    ('Queen vs King', 'Ace, 2nd')
    """
    if text in ("ranking", "best") or re.fullmatch(r"top-\d+", text):
        return text
    splits = [(text[: at.start()].strip(), text[at.end() :].strip()) for at in VERSUS.finditer(text)]
    found = [(labels[a], labels[b]) for a, b in splits if a in labels and b in labels]
    if len(found) != 1:
        why = "could be two pairs" if found else "names no two items"
        raise ValueError(
            f"--goal is ranking, best, top-K such as top-5, or two items as 'A vs B'; '{text}' {why}"
        )
    return found[0]


def read_candidates(source: str, labels: Mapping[str, Any]) -> list[Any]:
    """The items of a text file or a table, or the pairs of a table; known names become their labels."""
    if Path(source).suffix.lower() == ".txt":
        lines = Path(source).read_text(encoding="utf-8").splitlines()
        return [labels.get(name, name) for line in lines if (name := line.strip())]
    from podium.reading.files import open_table
    from podium.reading.sources.paths import without_password

    opened = open_table(source)
    source = without_password(source)
    columns = opened.load(_columns(opened.header, source))
    for name, column in zip(columns.column_names, columns.columns, strict=True):
        if column.null_count:
            raise ValueError(
                f"column '{name}' of '{source}' has empty cells; fill them or leave out their rows"
            )
    names = [[str(cell).strip() for cell in column] for column in columns.to_pydict().values()]
    cells = [[labels.get(name, name) for name in column] for column in names]
    return cells[0] if len(cells) == 1 else list(zip(*cells, strict=True))


def _columns(header: list[str], source: str) -> list[str]:
    if {"left", "right"} <= set(header):
        return ["left", "right"]
    if "item" in header or len(header) == 1:
        return ["item" if "item" in header else header[0]]
    raise ValueError(
        f"'{source}' has no candidates; it needs a column 'item', or the columns 'left' and 'right' for pairs"
    )
