"""Tables of text: for a terminal, for a notebook, in Markdown and in LaTeX.

A table is a dict from the name of each column to its cells. Columns are aligned right unless they are named
in ``left``.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from html import escape

from rich.cells import cell_len

from podium.writing.label_text import printable

Cells = Mapping[str, Sequence[str]]

LATEX = str.maketrans(
    {
        **{"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}"},
        **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
        **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"},
        **{"–": "--", "…": r"\dots{}", "√": r"$\surd$", "²": "$^2$"},
        **{"ν": r"$\nu$", "θ": r"$\theta$", "κ": r"$\kappa$", "δ": r"$\delta$"},
    }
)


def text_lines(cells: Cells, left: Collection[str]) -> list[str]:
    """The table as aligned lines, for a terminal; the first line has the names."""
    padded = []
    for name, column in cells.items():
        width = max(map(cell_len, [name, *column]))
        padded.append([_pad(cell, width, name in left) for cell in [name, *column]])
    return ["  ".join(row).rstrip() for row in zip(*padded, strict=True)]


def _pad(text: str, width: int, left: bool) -> str:
    space = " " * (width - cell_len(text))
    return text + space if left else space + text


def html_table(cells: Cells, left: Collection[str], caption: str) -> str:
    """The table in HTML, for a notebook."""
    head = "".join(_html_cell("th", name, name in left) for name in cells)
    rows = (
        "".join(_html_cell("td", cell, name in left) for name, cell in zip(cells, row, strict=True))
        for row in zip(*cells.values(), strict=True)
    )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f"<table><caption>{escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _html_cell(tag: str, cell: str, left: bool) -> str:
    return f"<{tag} style='text-align:{'left' if left else 'right'}'>{escape(cell)}</{tag}>"


def markdown_table(cells: Cells, left: Collection[str]) -> str:
    """The table in Markdown."""
    rows = [list(cells), [":---" if name in left else "---:" for name in cells]]
    rows += [[markdown_text(cell) for cell in row] for row in zip(*cells.values(), strict=True)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def markdown_text(text: str) -> str:
    """Escape text so that Markdown shows it unchanged in a cell of a table."""
    plain = re.sub(r"([\\`*_~|\[\]])", r"\\\1", escape(text, quote=False))
    return "<br>".join(plain.splitlines())


def latex_table(cells: Cells, left: Collection[str], rule_before: Collection[int] = ()) -> str:
    """The table in LaTeX, for the package booktabs; there is a line above each row in ``rule_before``."""
    rows = [
        "\\midrule\n" * (number in rule_before) + " & ".join(map(latex_text, row)) + r" \\"
        for number, row in enumerate(zip(*cells.values(), strict=True))
    ]
    sides = "".join("l" if name in left else "r" for name in cells)
    head = " & ".join(map(latex_text, cells)) + r" \\"
    start, end = rf"\begin{{tabular}}{{{sides}}}", r"\end{tabular}"
    return "\n".join([start, r"\toprule", head, r"\midrule", *rows, r"\bottomrule", end])


def latex_text(text: str) -> str:
    r"""Escape text so that LaTeX shows it unchanged, on one line.

    >>> print(latex_text("R&D_1 50%"))
    R\&D\_1 50\%
    """
    line = printable(" ".join(text.split())).translate(LATEX)
    line = re.sub(r"(?<!\w)-(?=\d)", "$-$", line)
    return f"{{{line}}}" if line.startswith(("[", "*")) else line  # else an option of the \\ before it
