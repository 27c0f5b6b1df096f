"""The names of items and teams as text, for files, tables and pictures."""

from typing import Any

from podium.writing.short_names import cut_middle

LONGEST_NAME = 40  # terminal cells of a name on one line


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


def printable_name(label: Any) -> str:
    """A label as text that is safe on a terminal, in full."""
    return printable(label_text(label))


def one_line(label: Any) -> str:
    r"""A label for a sentence: unprintable characters are escaped, and a long name is cut in the middle.

    For several names, `short_names` keeps what tells them apart.

    >>> print(one_line("two\nlines"))
    two\nlines
    """
    return cut_middle(printable_name(label), LONGEST_NAME)
