"""The names of items and teams as text, for files, tables and pictures."""

from typing import Any

from podium.writing.short_names import cut_middle

LONGEST_NAME = 40  # terminal cells of a name on one line
JOINERS = "\u200c\u200d"  # part of Persian and Hindi words, and of emoji such as families and flags
SHAPELESS = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # Unicode counts these as letters or symbols


def label_text(label: Any) -> str:
    """A label as text; the members of a team are joined by " + ".

    >>> label_text(("ann", "bob")), label_text(7)
    ('ann + bob', '7')
    """
    return " + ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def printable(text: str) -> str:
    r"""Text that is safe on a terminal: characters that control it or that cannot be seen are escaped.

    >>> print(printable("\x1b[31mred\n"))
    \x1b[31mred\n
    """
    if text.isprintable() and not SHAPELESS & set(text):
        return text
    return "".join(
        c if _is_printable(text, k) else c.encode("unicode_escape").decode() for k, c in enumerate(text)
    )


def visible(text: str) -> str:
    r"""Text as it is, but escaped if there would be nothing to see.

    >>> print(visible("ann"), visible("\u200b"))
    ann \u200b
    """
    seen = (c.isprintable() and not c.isspace() and c not in SHAPELESS for c in text)
    return text if any(seen) else printable(text)


def _is_printable(text: str, k: int) -> bool:
    """Whether character k can be seen; a joiner if both of its neighbours can be joined."""
    if text[k] not in JOINERS:
        return text[k].isprintable() and text[k] not in SHAPELESS
    joined = text[k - 1 : k] + text[k + 1 : k + 2]
    return len(joined) == 2 and joined.isprintable() and min(joined) > "\x7f"


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
