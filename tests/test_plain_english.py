"""Phrases that readers had to read twice stay out of the code and the documentation.

The list is a reminder, not a measure of good English: rule 10 of CONTRIBUTING asks for more.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PHRASES = {
    r"\b(a|an) (row|column|line|panel|number|point|session) (a|an) [a-zλ]\w*": "one row per comparison",
    r"\bwhere (it|they) can be had\b": "if available",
    r"\bsolved from inside\b|, from inside\b": "by the interior point method",
    r"\bwith no end to them\b": "unbounded",
    r"\bbeside (its|the) peers?\b": "compared with other libraries",
    r"\bis for the caller to say\b": "the caller decides",
}
TEXTS = ["README.md", "src", "docs", "benchmarks", "examples", "experiments"]


def files(where: str) -> list[Path]:
    start = ROOT / where
    return [start] if start.is_file() else sorted([*start.rglob("*.py"), *start.rglob("*.md")])


@pytest.mark.parametrize("where", TEXTS)
def test_no_phrase_needs_a_second_reading(where: str) -> None:
    found = []
    for path in files(where):
        text = re.sub(r"\s+", " ", path.read_text(encoding="utf-8"))
        for phrase, better in PHRASES.items():
            for match in re.finditer(phrase, text):
                found.append(f"{path.relative_to(ROOT)}: {match[0]!r}; say, for example, {better!r}")
    assert not found, "\n".join(found)
