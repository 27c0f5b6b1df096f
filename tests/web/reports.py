"""Comparisons of items with difficult names, and a report on them."""

from datetime import UTC, datetime
from typing import Any

import numpy as np

from podium import BradleyTerry, Comparisons
from podium.leaderboard.calibration import Calibration
from podium.web import Report
from podium.web.head_to_head import HeadToHead

SCRIPT = "<script>document.title = 'broken'</script>"
ODD_NAMES = [
    SCRIPT,
    '"><img src="http://example.org/x.png" onerror="document.title = 1">',
    "' onmouseover='document.title = 2",
    'O\'Brien & "Sons" &amp;',
    "</title></style><!-- ]]> ${title} $title",
    "שלום עולם",
    "\u202etxt.exe",
    "👩‍💻 coder",
    "日本語の名前",
    "long " * 80,
    "x" * 2000,
    "tab\tand\nline\x00\x1b",
    "=1+1",
]


def odd_comparisons(names: list[str] = ODD_NAMES, n: int = 300, seed: int = 0) -> Comparisons:
    """Games with ties between all names; the first name is the best."""
    rng = np.random.default_rng(seed)
    left = rng.integers(len(names), size=n)
    right = (left + rng.integers(1, len(names), size=n)) % len(names)
    outcome = np.sign(np.rint((left - right) / 4 + rng.normal(size=n)))
    labels = np.array(names, dtype=object)
    return Comparisons.from_arrays(
        labels[left].tolist(), labels[right].tolist(), outcome.astype(int).tolist()
    )


def report_on(c: Comparisons, fitted: Any = None, **facts: Any) -> Report:
    fitted = BradleyTerry().fit(c) if fitted is None else fitted
    board = fitted.leaderboard() if hasattr(fitted, "log_skill_") else fitted.leaderboard(c)
    said: dict[str, Any] = {
        "title": "games.csv",
        "model": "BradleyTerry()",
        "calibration": Calibration.of(np.asarray(c.outcome), fitted.predict_proba(c), c.weight, "All rows."),
        "warnings": (),
        "command": ("podium", "rank", "my games.csv"),
        "made": datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
    }
    found = HeadToHead.of(fitted, c, board)
    return Report(comparisons=c, board=board, head_to_head=found, **(said | facts))
