"""The names of items and teams as text, for files, tables and pictures, and shortened to fit a width."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile
from typing import Any

from rich.cells import cell_len

LONGEST_NAME = 40  # terminal cells of a name on one line
JOINERS = "\u200c\u200d"  # part of Persian and Hindi words, and of emoji such as families and flags
SHAPELESS = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # Unicode counts these as letters or symbols
CUT = "…"
CONTEXT = 3  # names that share so many first characters are a family, which is shortened in one way
WORD = re.compile(r"[^\W_]+(?:\.\d+)*")  # 3.1 is one word
NUMBER_BEFORE = re.compile(r"[\d.]*$")


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


# ------------------------------------------------------------------------------------ short names


def short_names(names: Sequence[str], width: int) -> list[str]:
    """Shorten the names that are wider than ``width`` terminal cells, keeping what tells them apart.

    A name is cut in the middle. If names that begin alike would then look the same, the beginning or the
    words that they share are cut instead, and then long words are abbreviated. Names may still look the same
    if what tells them apart does not fit.

    >>> short_names(["llama-2-70b-chat-hf-q4", "llama-2-70b-chat-hf-q8", "gpt-4"], 12)
    ['llama-…hf-q4', 'llama-…hf-q8', 'gpt-4']
    >>> short_names(["model-alpha-instruct-v1", "model-gamma-instruct-v1"], 12)
    ['mod…alpha…v1', 'mod…gamma…v1']
    >>> short_names([f"lab/chat-{size}-instruct-{kind}-long" for size in ("8b", "70b") for kind in "xy"], 12)
    ['lab/ch…8b…x…', 'lab/ch…8b…y…', 'lab/c…70b…x…', 'lab/c…70b…y…']
    """
    families = defaultdict(set)
    for name in names:
        if cell_len(name) > width:
            families[name[:CONTEXT]].add(name)
    short = {name: name for name in names}
    for family in families.values():
        attempts = list(_attempts(family, width))
        best = max(attempts, key=lambda attempt: len(set(attempt.values())))
        short.update(best)
    return [short[name] for name in names]


def cut_middle(name: str, width: int, head_share: float = 0.5) -> str:
    """Cut the middle of a name that is wider than ``width`` terminal cells.

    >>> cut_middle("meta-llama/Llama-3.1-8B", 12)
    'meta-l….1-8B'
    """
    if cell_len(name) <= width:
        return name
    head = _fitting(name, round((width - 1) * head_share))
    room, begin = width - 1 - cell_len(head), len(name)
    while begin and cell_len(name[begin - 1 :]) <= room:
        begin -= 1
    while begin < len(name) and not cell_len(name[begin]):  # an accent without its letter
        begin += 1
    return f"{head}{CUT}{name[begin:]}"


def whole_if_alike(names: Sequence[str], short: Sequence[str]) -> list[str]:
    """The short names, but whole names wherever different names were shortened to the same text.

    >>> whole_if_alike(["abcd", "abxd", "ef"], ["a…d", "a…d", "ef"])
    ['abcd', 'abxd', 'ef']
    """
    count = Counter(dict(zip(names, short, strict=True)).values())
    return [name if count[text] > 1 else text for name, text in zip(names, short, strict=True)]


def _attempts(family: Collection[str], width: int) -> Iterator[dict[str, str]]:
    """Ways to shorten the names of a family, from the best to read to the shortest."""
    yield {name: cut_middle(name, width) for name in family}
    columns = takewhile(lambda column: len(set(column)) == 1, zip(*family, strict=False))
    prefix = NUMBER_BEFORE.sub("", "".join(column[0] for column in columns))  # cut no number
    yield {name: _without_beginning(name, prefix, width) for name in family}
    shared = set.intersection(*(set(WORD.findall(name)) for name in family))
    for longest in (None, 4, 3, 2, 1):
        yield {name: _without_words(name, shared, width, longest) for name in family}


def _without_beginning(name: str, prefix: str, width: int) -> str:
    """Cut the end of the beginning that all names share, then the middle of what follows."""
    if len(prefix) <= CONTEXT + 1:
        return cut_middle(name, width, 0.75)
    rest = name[len(prefix) :]
    start = _fitting(prefix, max(CONTEXT, width - 1 - cell_len(rest))) + CUT
    room = width - cell_len(start)
    return start + cut_middle(rest, room, 0.75) if room > 0 else cut_middle(name, width)


def _without_words(name: str, shared: Collection[str], width: int, longest: int | None) -> str:
    """Cut words that all names share, and letters after the first ``longest``; words with digits stay."""
    own = [word.span() for word in WORD.finditer(name) if word[0] not in shared]
    begins, ends = [*(begin for begin, _ in own), len(name)], [0, *(end for _, end in own)]
    gaps = [name[end:begin] for end, begin in zip(ends, begins, strict=True)]
    short = [gap if len(gap) <= 1 else CUT for gap in gaps]
    words = [name[begin:end] for begin, end in own]
    words = [word[:longest] if word.isalpha() else word for word in words]
    text = short[0] + "".join(word + gap for word, gap in zip(words, short[1:], strict=True))
    room = width - cell_len(text)
    return _fitting(gaps[0], room) + text if short[0] == CUT and room > 0 else cut_middle(text, width)


def _fitting(text: str, width: int) -> str:
    """The longest beginning that fits."""
    end = 0
    while end < len(text) and cell_len(text[: end + 1]) <= width:
        end += 1
    return text[:end]
