"""The style of answers: how long they are and how much Markdown they have."""

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.comparisons.checks import check_present
from podium.comparisons.messages import quoted, row_name

if TYPE_CHECKING:
    import pandas as pd

# Every pattern begins with a fixed string, because the search for such patterns is several times as fast.
# A code block ends at a fence at least as long as the one that opens it, or at the end of the text.
BLOCK = re.compile(r"(```+).*?(?:\1`*|\Z)", re.DOTALL)
COUNTED = {
    "headers": (re.compile(r"\n#{1,6}(?=\s)"),),
    "lists": (re.compile(r"\n[^\S\n]*(?:[-*+]|\d+\.)(?=\s)"),),
    "bold": (re.compile(r"\*\*[^*\n]+\*\*"), re.compile(r"__[^_\n]+__")),
}


def style(texts: Any) -> "pd.DataFrame":
    r"""Measure the style of Markdown answers, as arenas do to control for it.

    The rules are those of LMArena's style control, with two differences. Arenas measure length in tokens;
    here it is in characters, because tokens depend on a tokenizer and words on the language (Chinese has no
    spaces). And arenas overlook code blocks that contain a backtick or have no end, as in an answer that was
    cut off; here they are code like any other.

    Parameters
    ----------
    texts : array-like of str of shape (n_texts,)
        The answers: a list, a Series or an array. A missing answer is refused; an empty answer is "".

    Returns
    -------
    pandas.DataFrame of shape (n_texts, 5)
        One row per text, with the index of ``texts`` if that is a pandas Series. The columns are integers:

        - ``length``: the number of characters, code included;
        - ``headers``: lines that begin with one to six ``#`` and a space;
        - ``lists``: list items, ordered (``1.``) and unordered (``-``, ``*``, ``+``), at any indentation;
        - ``bold``: spans ``**like this**`` or ``__this__`` within a line;
        - ``code``: code blocks between fences of three or more backticks. Headers, list items and bold spans
          inside them do not count; those in inline code do, as in arenas.

    Raises
    ------
    ValueError
        If a text is missing or not a string. The message names its row.

    Examples
    --------
    >>> plain = ["Use a loop.", "No."]
    >>> rich = ["# Loops\n- **for**\n- **while**\n```python\n# no header\n```", "No, **never**."]
    >>> style(rich)
       length  headers  lists  bold  code
    0      55        1      2     2     1
    1      14        0      0     1     0

    To control for style, subtract the left answers from the right ones and pass the differences to
    ``Comparisons.from_arrays(left, right, outcome, covariates=...)``:

    >>> style(rich) - style(plain)
       length  headers  lists  bold  code
    0      44        1      2     2     1
    1      11        0      0     1     0
    """
    import pandas as pd

    columns = ["length", *COUNTED, "code"]
    answers = _checked(texts)
    counts = np.array([_counts(text) for text in answers], dtype=np.int64).reshape(-1, len(columns))
    return pd.DataFrame(counts, columns=columns, index=texts.index if isinstance(texts, pd.Series) else None)


def _checked(texts: Any) -> list[str]:
    check_present(texts, "texts")
    array = np.asarray(texts, dtype=object)
    if array.ndim != 1:
        raise ValueError("texts must be a list, a Series or an array of strings, one per answer")
    answers: list[str] = array.tolist()
    for row, text in enumerate(answers):
        if not isinstance(text, str):
            raise ValueError(f"texts is not a string ({quoted(text)}) at {row_name(row)}")
    return answers


def _counts(text: str) -> list[int]:
    prose, blocks = BLOCK.subn("`", f"\n{text}")
    marks = [sum(len(pattern.findall(prose)) for pattern in patterns) for patterns in COUNTED.values()]
    return [len(text), *marks, blocks]
