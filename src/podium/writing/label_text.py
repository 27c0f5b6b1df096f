"""Labels as text: how the name of an item or of a team is written, in files, tables and pictures."""

from typing import Any

LONGEST_NAME = 40


def label_text(label: Any) -> str:
    """A label as text; a team is its members, joined.

    >>> label_text(("ann", "bob")), label_text(7)
    ('ann + bob', '7')
    """
    return " + ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def printable(text: str) -> str:
    r"""Text that is safe on a terminal: a character that steers it, or that it cannot show, is spelled out.

    >>> print(printable("\x1b[31mred\n"))
    \x1b[31mred\n
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def one_line(label: Any) -> str:
    r"""A label for one line of a table or picture: spelled out where it cannot be printed, cut if long.

    >>> print(one_line("two\nlines"))
    two\nlines
    """
    text = printable(label_text(label))
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"
