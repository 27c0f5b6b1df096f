"""The names of items and teams as text, for files, tables and pictures."""

from typing import Any

LONGEST_NAME = 40  # characters of a name on one line


def label_text(label: Any) -> str:
    """A label as text; the members of a team are joined by " + ".

    >>> label_text(("ann", "bob")), label_text(7)
    ('ann + bob', '7')
    """
    return " + ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def printable(text: str) -> str:
    r"""Text that is safe on a terminal: control characters and unprintable ones are escaped.

    >>> print(printable("\x1b[31mred\n"))
    \x1b[31mred\n
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def one_line(label: Any) -> str:
    r"""A label for one line of a table or picture: unprintable characters escaped, cut if too long.

    >>> print(one_line("two\nlines"))
    two\nlines
    """
    text = printable(label_text(label))
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"
