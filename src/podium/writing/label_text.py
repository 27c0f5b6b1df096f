"""The names of items and teams as text, for files, tables and pictures."""

from typing import Any

LONGEST_NAME = 40  # characters of a name on one line
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


def one_line(label: Any) -> str:
    r"""A label for one line of a table or picture: unprintable characters escaped, cut if too long.

    >>> print(one_line("two\nlines"))
    two\nlines
    """
    text = printable(label_text(label))
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"
