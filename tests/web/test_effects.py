import re

import numpy as np

from podium.web.board import board_caption, effects_section
from podium.web.report import page_of
from tests.web.parsed import Parsed
from tests.web.reports import SCRIPT, odd_comparisons, report_on
from tests.web.test_board import board

EFFECTS = [("length", 100, 400.0, 0.0, 800.0), ("bold", 1, 0.0, -3.0, 3.0)]


def test_a_table_and_a_plain_sentence() -> None:
    section = effects_section(board(2, covariate_effects=EFFECTS))
    assert "at equal length and bold" in section
    assert "100 more of length multiplies the odds of winning by 10.0 (1.00 to 100)" in section
    headings = re.findall(r"<button[^>]*><span>(.*?)</span>", section)
    assert headings == ["covariate", "per", "Elo scale", "95 % interval", "odds ×", "interval of the odds"]
    cells = [text for text in Parsed(section).texts if text.strip()]
    assert cells[-6:] == ["bold", "1", "0.0", "-3.0 to 3.0", "1.00", "0.983 to 1.02"]


def test_on_the_scale_of_skills_effects_are_odds() -> None:
    effects = [("length", 100, 1.3, 1.2, 1.4)]
    section = effects_section(board(2, scale="skill", covariate_effects=effects))
    assert "by 1.30 (1.20 to 1.40)" in section
    assert section.count("<td") == 3


def test_the_caption_says_what_the_errors_are() -> None:
    method = ("standard errors: clustered by group (40 groups)", "weights halve every 2y")
    said = board_caption(board(2, method=method))
    assert "Standard errors: clustered by group (40 groups). Weights halve every 2y." in said


def test_the_report_has_the_effects_of_a_fit() -> None:
    c = odd_comparisons()
    plain = page_of(report_on(c))
    assert "Covariates" not in plain.sections
    length = np.random.default_rng(0).normal(size=len(c))
    page = page_of(report_on(c.with_covariates({SCRIPT: length})))
    assert list(page.sections)[:3] == ["Leaderboard", "Covariates", "Head to head"]
    assert "At equal " in page.sections["Head to head"]
    assert SCRIPT not in "".join(page.sections.values())
    assert Parsed(page.html()).tags["table"] == Parsed(plain.html()).tags["table"] + 1
