"""Reports on many items with long, similar and foreign names, with every section that a report can have."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from podium import BradleyTerry, Comparisons
from podium.leaderboard.board import CovariateEffect
from podium.leaderboard.boards import Boards
from podium.leaderboard.leaderboard import Leaderboard
from podium.web import Report
from podium.web.head_to_head import MOST_LISTED, HeadToHead
from tests.web.reports import report_on

SHARES = ("agreement", "ties", "left", "log_loss", "chance")  # columns of the judges
KINDS = (
    "meta-llama/Meta-Llama-3.{k}-70B-Instruct-Turbo-quantized-by-somebody-2024-09-{k:02d}-q4_K_M",
    "meta-llama/Meta-Llama-3.{k}-70B-Instruct-Turbo-quantized-by-somebody-2024-09-{k:02d}-q8_0",
    "gpt-{k}",
    "通义千问大型语言模型第{k}版指令微调增强长上下文预览",
    "こんにちは世界モデル{k}号",
    "🦙🚀 emoji model {k}",
    "نموذج اللغة العربية الكبير رقم {k}",
    "מודל שפה גדול {k}",
    "Claude {k} Sonnet (thinking, 32k)",
    "averyveryverylongnamewithoutanyspacesorhyphensthatcannotbebrokenanywhere{k}",
)


def names(n: int) -> list[str]:
    """So many names, each kind in turn."""
    return [KINDS[k % len(KINDS)].format(k=k // len(KINDS)) for k in range(n)]


def crowd_comparisons(n: int, seed: int = 0) -> Comparisons:
    """Forty games per item, with ties, on moments of two years."""
    rng = np.random.default_rng(seed)
    rows = 40 * n
    left = rng.integers(n, size=rows)
    right = (left + rng.integers(1, n, size=rows)) % n
    skill = rng.normal(0, 0.8, n)
    outcome = np.sign(np.rint((skill[right] - skill[left] + rng.logistic(size=rows)) * 0.8)).astype(int)
    labels = np.array(names(n), dtype=object)
    time = np.datetime64("2024-03-01T18:30:00") + rng.integers(0, 730, rows) * np.timedelta64(1, "D")
    return Comparisons.from_codes(labels, left, right, outcome.astype(np.int8), time=time)


@cache
def crowd_report(n: int, categories: int = 40, judges: int = 500) -> Report:
    """A report with history, covariates, categories and judges, which are invented: fits would take long."""
    c = crowd_comparisons(n)
    model = BradleyTerry().fit(c)
    effects = [CovariateEffect(f"style_of_{k}", 100.0, 12.0 - 5 * k, -3.0, 30.0) for k in range(4)]
    board = replace(model.leaderboard(), covariate_effects=tuple(effects))
    return replace(
        report_on(c, model),
        title="An arena of language models",
        description="Votes of visitors on answers to the same question.\n\nVotes of robots are left out.",
        board=board,
        head_to_head=HeadToHead.of(model, c, board, most=MOST_LISTED),
        history=_history(board),
        boards=_boards(board, categories),
        judges=_judges(judges),
        warnings=("2 items have fewer than 30 games",),
    )


def _history(board: Leaderboard, moments: int = 25) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    n = len(board)
    day = np.sort(rng.integers(0, 730, (n, moments)), axis=1).ravel()
    score = (board.score[:, None] + rng.normal(0, 8, (n, moments)).cumsum(axis=1)).ravel()
    time: Any = np.datetime64("2024-03-01T18:30:00", "s") + day * np.timedelta64(1, "D")
    frame = pd.DataFrame(
        {
            "time": time,
            "item": np.repeat(board.item, moments),
            "score": score,
            "low": score - 40,
            "high": score + 40,
        }
    )
    frame = frame.drop_duplicates(["item", "time"], ignore_index=True)
    frame.attrs |= {"scale": "elo", "level": 0.95}
    return frame


def _boards(board: Leaderboard, categories: int) -> Boards:
    """The same board in every category."""
    titles = [f"category {k}: creative writing" if k % 7 == 3 else f"lang {k}" for k in range(categories)]
    return Boards(board, dict.fromkeys(titles, board))


def _judges(n: int) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "judge": [f"visitor-{k:08x}-of-the-arena" for k in rng.integers(2**31, size=n)],
            "votes": rng.integers(5, 300, n).astype(float),
            **{name: rng.uniform(0.2, 0.9, n) for name in SHARES},
            "flagged": np.arange(n) < n // 40,
        }
    )
    frame["p_value"] = np.where(frame["flagged"], 0.01, 1.0)
    frame["reason"] = np.where(frame["flagged"], "agrees with the others less often than chance would", "")
    frame.attrs["krippendorff_alpha"] = 0.31
    return frame
