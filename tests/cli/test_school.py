"""podium school: from a file of judgements to marks, on the screen, in a file and on a page."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, ndtr

import podium as pod
from podium.bradley_terry.marks import marks_by_anchors, marks_by_spread
from podium.datasets import shipped_file
from podium.skill.fit import ExistenceWarning
from tests.cli.runs import done, sentence

ESSAYS = shipped_file("essays.csv")
ANCHORS = shipped_file("essay_anchors.csv")
GRADES = ("--boundary", "A=28", "--boundary", "B=20")


@pytest.mark.filterwarnings("ignore::podium.skill.fit.ExistenceWarning")
def test_marks_with_mean_and_spread(tmp_path: Path) -> None:
    out = tmp_path / "marks.csv"
    text = done("school", ESSAYS, "--marks", "0:40", "--mean", 18, "--spread", 5, *GRADES, "--out", out)
    model = pod.BradleyTerry().fit(pod.read_comparisons(ESSAYS, group="judge"))
    found = model.reliability()
    assert f"Reliability (SSR): {found['ssr']:.2f}, 95 % interval {found['ssr_low']:.2f}" in text
    assert "500 judgements of 40 scripts by 10 judges." in text
    assert "Talk to teacher-06: their judgements differ" in text
    frame = pd.read_csv(out).set_index("script")
    r, error = model.log_skill_, model.standard_error_
    mark = pd.Series(18 + 5 * (r - r.mean()) / r.std(ddof=1), model.items_)[frame.index]
    spread = pd.Series(5 * error / r.std(ddof=1), model.items_)[frame.index]
    np.testing.assert_allclose(frame["mark"], mark.clip(0, 40), atol=0.051)
    np.testing.assert_allclose(frame.error, spread, atol=0.051)
    np.testing.assert_allclose(frame["A %"], 100 * (1 - ndtr((28 - mark) / spread)), atol=0.51)
    np.testing.assert_allclose(frame["A %"] + frame["B %"] + frame["below B %"], 100, atol=1.1)
    assert frame["mark"].is_monotonic_decreasing


def test_marks_from_anchors(tmp_path: Path) -> None:
    out = tmp_path / "marks.csv"
    done("school", ESSAYS, "--marks", "0:40", "--anchor", ANCHORS, "--out", out)
    frame, known = pd.read_csv(out).set_index("script"), pd.read_csv(ANCHORS).set_index("item").score
    assert (frame.low[known.index] <= known).all()
    assert (known <= frame.high[known.index]).all()
    assert abs(frame["mark"][known.index] - known).mean() < 4


def test_marks_of_an_earlier_session_are_anchors(tmp_path: Path) -> None:
    june, july, by_name = (tmp_path / name for name in ("june.csv", "july.csv", "by_name.csv"))
    done("school", ESSAYS, "--marks", "0:40", "--out", june)
    done("school", ESSAYS, "--marks", "0:40", "--anchor", june, "--out", july)
    before, after = (pd.read_csv(file).set_index("script")["mark"] for file in (june, july))
    assert (before - after).abs().max() < 1  # the same judgements give the same marks
    before.rename("score").rename_axis("item").to_csv(by_name)
    assert done("school", ESSAYS, "--marks", "0:40", "--anchor", by_name) == done(
        "school", ESSAYS, "--marks", "0:40", "--anchor", june
    )


def test_the_page_is_for_teachers(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done("school", ESSAYS, "--report", page, "--title", "Year 6 stories")
    text = page.read_text(encoding="utf-8")
    assert "<h2>Marks</h2>" in text
    assert "<h2>Judges</h2>" in text
    assert "Reliability (SSR)" in text
    assert "maximum-likelihood" not in text
    assert "Infit above 1: judges disagree." in text
    assert ">50</td>" in text  # judgements of a teacher, without decimals
    assert ">50.00</td>" not in text
    assert text.count('<th role="rowheader"') == 50  # a line per script and per judge


def test_more_judgements_are_asked_for(tmp_path: Path) -> None:
    few = tmp_path / "few.csv"
    lines = ESSAYS.read_text(encoding="utf-8").splitlines()
    few.write_text("\n".join([lines[0], *lines[1::3]]), encoding="utf-8")
    text = done("school", few)
    model = pod.BradleyTerry()
    with pytest.warns(ExistenceWarning):
        ssr = model.fit(pod.read_comparisons(few, group="judge")).reliability()["ssr"]
    assert 0 < ssr < 0.8
    assert f"About {167 * (4 * (1 - ssr) / ssr - 1):,.0f} more judgements" in text


def test_chosen_pairs_and_single_judges(tmp_path: Path) -> None:
    file = tmp_path / "v.csv"
    rows = ["winner,loser,probability", *["a,b,0.5", "b,c,0.9", "c,a,0.2", "a,c,0.1", "b,a,0.3"] * 4]
    file.write_text("\n".join(rows), encoding="utf-8")
    assert "Pairs were chosen by earlier results" in done("school", file)
    file.write_text("judge,winner,loser\n" + "x,a,b\nx,b,c\nx,c,a\n" * 3, encoding="utf-8")
    assert "9 judgements of 3 scripts." in done("school", file)


@pytest.mark.parametrize(
    ("rows", "more", "said"),
    [
        ("a,b\nc,d\n", (), "some scripts were never compared with the others"),
        ("a,b\nb,a\n", ("--marks", "forty"), "--marks is LOW:HIGH, such as 0:40"),
        ("a,b\nb,a\n", ("--marks", "40:0"), "--marks 40:0 has no lowest mark below a highest mark"),
        ("a,b\nb,a\n", ("--marks", "0:nan"), "--marks 0:nan has no lowest mark"),
        ("a,b\nb,a\n", ("--boundary", "A"), "--boundary is GRADE=MARK, such as A=32"),
        ("a,b\nb,a\n", ("--boundary", "28"), "--boundary is GRADE=MARK, such as A=32"),
        ("a,b\nb,c\nc,a\n", ("--anchor", ANCHORS), "at least two scripts of the session"),
    ],
)
def test_what_is_refused(tmp_path: Path, rows: str, more: tuple[str, ...], said: str) -> None:
    file = tmp_path / "v.csv"
    file.write_text(f"winner,loser\n{rows}", encoding="utf-8")
    assert said in sentence("school", file, *more)


def test_anchors_that_were_judged_the_other_way_round() -> None:
    r, error = np.array([1.0, 0.0, -1.0]), np.full(3, 0.3)
    with pytest.raises(ValueError, match="were judged worse"):
        marks_by_anchors(r, error, np.array([0, 2]), np.array([5.0, 30.0]))


@pytest.mark.slow
def test_coverage_of_marks() -> None:
    """Marks from ten exact anchors hold the true marks; 40 scripts, 25 judgements of each."""
    hits, n = [], 200
    for seed in range(n):
        rng = np.random.default_rng(seed)
        truth = rng.normal(0, 1.2, 40)
        left = np.tile(np.arange(40), 13)
        right = (left + rng.integers(1, 40, len(left))) % 40
        outcome = np.where(rng.random(len(left)) < expit(truth[right] - truth[left]), 1, -1)
        model = pod.BradleyTerry().fit(pod.Comparisons.from_codes(np.arange(40), left, right, outcome))
        at = rng.choice(40, 10, replace=False)
        marks, error = marks_by_anchors(model.log_skill_, model.standard_error_, at, 20 + 5 * truth[at])
        others = np.setdiff1d(np.arange(40), at)
        hits.append((np.abs(marks - (20 + 5 * truth)) < 1.96 * error)[others].mean())
        by_spread = marks_by_spread(model.log_skill_, model.standard_error_, 20, 5)[0]
        assert by_spread.mean() == pytest.approx(20)
        assert by_spread.std(ddof=1) == pytest.approx(5)
    print(np.mean(hits))
    assert np.mean(hits) > 0.92
