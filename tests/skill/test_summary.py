"""The summary has the numbers of the fit, of scipy and of R, and every form of it can be read back."""

import shutil
import subprocess
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from sklearn.exceptions import NotFittedError

from podium import BradleyTerry, Comparisons, load, save
from podium.datasets import load_chess_club, load_doubles_league, make_games
from podium.skill.summary import WRITERS
from tests.bradley_terry.plain_likelihood import negative_log_likelihood, plain_fit
from tests.many_items import with_many_items

HOSTILE = ["R&D_50% #1", "[x]", "$a^2$ ~ {b}\\", "line\nbreak", "*star", "<b>|\"'"]


def hostile_model(ties: Any = "davidson") -> BradleyTerry:
    n = len(HOSTILE)
    left, right = np.array([(i, j) for i in range(n) for j in range(n) if i != j]).T
    names = np.array(HOSTILE, dtype=object)
    c = Comparisons.from_arrays(names[left], names[right], np.tile([-1, 1, 0], n * n)[: len(left)])
    return BradleyTerry(ties, prior=0.5, order_effect=True).fit(c)


@pytest.mark.parametrize("order_effect", [False, True])
@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "ignore"])
def test_the_likelihood_is_that_of_scipy(ties: Any, order_effect: bool) -> None:
    """The largest likelihood that BFGS finds, summed row by row with weights; AIC and BIC by hand."""
    c, _ = make_games(5, 300, order_effect=0.4, random_state=0)
    c = replace(c, weight=np.random.default_rng(0).uniform(0.5, 2, len(c)))
    theta, tie, order = plain_fit(c, ties, 0.0, order_effect)
    tie -= ties == "rao-kupper"
    expected = -negative_log_likelihood(c, theta, ties, tie, order, 0.0)
    model = BradleyTerry(ties, order_effect=order_effect).fit(c)
    assert model.log_likelihood_ == pytest.approx(expected, rel=1e-9)
    k = 4 + (ties != "ignore") + order_effect
    counted = c.weight[c.outcome != 0].sum() if ties == "ignore" else c.weight.sum()
    assert model.aic_ == pytest.approx(2 * k - 2 * expected, rel=1e-9)
    assert model.bic_ == pytest.approx(k * np.log(counted) - 2 * expected, rel=1e-9)


def test_the_prior_is_no_part_of_the_likelihood() -> None:
    c, _ = make_games(5, 300, random_state=0)
    model = BradleyTerry(prior=3.0).fit(c)
    expected = -negative_log_likelihood(c, model.log_skill_, "davidson", model.tie_, 0.0, 0.0)
    assert model.log_likelihood_ == pytest.approx(expected, rel=1e-10)
    assert model.log_likelihood_ < BradleyTerry().fit(c).log_likelihood_
    assert any("a prior of 3, so they do not maximise" in note for note in model.summary().notes)


def test_teams() -> None:
    c = load_doubles_league()
    model = BradleyTerry().fit(c)
    expected = -negative_log_likelihood(c, model.log_skill_, "ignore", 0.0, 0.0, 0.0)
    assert model.log_likelihood_ == pytest.approx(expected, rel=1e-10)


def test_rows_are_the_parameters() -> None:
    model = BradleyTerry(order_effect=True).fit(load_chess_club())
    found, k = model.summary(level=0.9), 14
    assert found.parameter.tolist() == [*model.items_, "tie (log ν)", "order effect"]
    assert found.kind.tolist() == ["item"] * k + ["effect"] * 2
    expected = [*model.log_skill_, np.log(model.tie_), model.order_effect_]
    np.testing.assert_allclose(found.estimate, expected)
    error = np.sqrt(np.diag(model.fit_.joint_covariance))
    np.testing.assert_allclose(found.error, error)
    np.testing.assert_allclose(found.z, np.array(expected) / error)
    np.testing.assert_allclose(found.p, 2 * norm.sf(np.abs(found.z)))
    np.testing.assert_allclose(found.high - found.low, 2 * 1.6448536 * error, rtol=1e-6)
    assert found.n_comparisons == 910
    assert found.n_parameters == 15
    assert found.residual_df == 895
    assert found.covariance == "model"


def test_the_best_may_come_first() -> None:
    model = BradleyTerry(order_effect=True).fit(load_chess_club())
    found, plain = model.summary(quasi=True, sort="estimate"), model.summary(quasi=True)
    assert found.parameter.tolist() == [*model.leaderboard().item, "tie (log ν)", "order effect"]
    again = found.to_frame().set_index("parameter").loc[plain.parameter]
    pd.testing.assert_frame_equal(again, plain.to_frame().set_index("parameter"))
    with pytest.raises(ValueError, match="sort is 'item' or 'estimate', not 'score'"):
        model.summary(sort="score")  # type: ignore[arg-type]


def test_rao_kuppers_parameter() -> None:
    model = BradleyTerry("rao-kupper").fit(load_chess_club())
    found = model.summary()
    assert found.parameter[-1] == "tie (log κ)"
    assert found.estimate[-1] == pytest.approx(np.log(model.tie_))


def test_half_wins_have_no_likelihood() -> None:
    model = BradleyTerry("half").fit(load_chess_club())
    assert np.isnan(model.aic_)
    assert np.isnan(model.bic_)
    found = model.summary()
    assert found.covariance == "robust"
    assert "AIC and BIC are missing" in " ".join(found.notes)
    assert "Pseudo-log-likelihood" in str(found)
    without = load_chess_club()
    without = without[without.outcome != 0]
    assert BradleyTerry("half").fit(without).aic_ == pytest.approx(BradleyTerry().fit(without).aic_)


@pytest.mark.filterwarnings("ignore:there are only ties")
def test_only_ties_are_certain() -> None:
    model = BradleyTerry().fit(Comparisons.from_arrays(["a", "b"], ["b", "c"], [0, 0]))
    assert model.log_likelihood_ == 0.0
    found = model.summary(quasi=True)
    assert np.isinf(found.error).all()
    assert (found.p == 1).all()
    assert "inf" in str(found)


def test_groups_that_never_met_have_their_own_mean() -> None:
    c = Comparisons.from_arrays([*"abab", *"xyxy"], [*"baba", *"yxyx"], [-1, -1, 1, -1, 1, 1, 1, -1])
    with pytest.warns(match="2 groups"):
        model = BradleyTerry().fit(c)
    found = model.summary()
    assert found.n_parameters == 2
    assert found.notes[0] == "log-skills are relative to the mean of the group that comparisons connect"


def test_many_items() -> None:
    """Beyond the exact covariance the errors of effects are solved for one by one."""
    c, _ = make_games(60, 6_000, order_effect=0.3, random_state=0)
    model = BradleyTerry(order_effect=True).fit(c)
    exact, found = model.summary(), with_many_items(model).summary()
    np.testing.assert_allclose(found.error[-2:], exact.error[-2:], rtol=1e-6)
    np.testing.assert_allclose(found.error, exact.error, rtol=0.03)
    lines = str(found).splitlines()
    assert "… and 40 more items" in lines
    assert any(line.startswith("order effect") for line in lines)
    assert found._repr_html_().count("<tr>") == 23
    assert len(found.to_frame()) == 62
    assert found.to_markdown().count("\n|") == 64


def test_a_saved_model_has_the_same_summary(tmp_path: Path) -> None:
    model = BradleyTerry(order_effect=True).fit(load_chess_club())
    save(model, tmp_path / "model.skops")
    assert str(load(tmp_path / "model.skops").summary(quasi=True)) == str(model.summary(quasi=True))


def test_it_is_frozen_and_needs_a_fit() -> None:
    with pytest.raises(NotFittedError):
        BradleyTerry().summary()
    model = BradleyTerry().fit(load_chess_club())
    with pytest.raises(FrozenInstanceError):
        model.summary().aic = 0.0  # type: ignore[misc]
    with pytest.raises(ValueError, match="level must be between 0 and 1, not 2"):
        model.summary(level=2)


# ------------------------------------------------------------------------------------ forms


def test_text_reads_like_a_table_of_a_paper() -> None:
    lines = str(BradleyTerry(order_effect=True).fit(load_chess_club()).summary(quasi=True)).splitlines()
    assert lines[:4] == [
        "Summary: 910 comparisons of 14 items",
        "Ada leads; the data cannot tell it from Boris, Carmen and Elif",
        "parameter     estimate  error  quasi-error      z       p     low    high",
        "Ada              1.617  0.242        0.252   6.69  <0.001   1.143   2.090",
    ]
    assert lines[17:20] == [
        "tie (log ν)     -0.161  0.080            –  -2.00   0.045  -0.319  -0.004",
        "order effect     0.334  0.089            –   3.75  <0.001   0.159   0.508",
        "Log-likelihood -865.70 with 15 parameters and 895 residual degrees of freedom, AIC 1761.39, "
        "BIC 1833.60",
    ]


def test_small_effects_keep_their_digits() -> None:
    c, _ = make_games(4, 400_000, order_effect=0.3, random_state=0)
    row = str(BradleyTerry(order_effect=True).fit(c).summary()).splitlines()[-5].split()
    assert row[0] == "order"
    assert len(row[3].lstrip("0.")) >= 2


@pytest.mark.parametrize("suffix", WRITERS)
def test_it_is_saved_in_every_form(tmp_path: Path, suffix: str) -> None:
    path, found = tmp_path / f"table{suffix}", hostile_model().summary()
    found.save(path)
    read = {".csv": pd.read_csv, ".json": pd.read_json, ".parquet": pd.read_parquet}
    if suffix in read:
        frame = read[suffix](path)
        np.testing.assert_allclose(frame["estimate"], found.estimate)
        assert frame["parameter"].iloc[-1] == "order effect"
    else:
        assert "order effect" in path.read_text(encoding="utf-8")
        assert "AIC" in path.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="ends in none of"):
        found.save(tmp_path / "table.doc")


def test_hostile_names_are_escaped() -> None:
    found = hostile_model().summary()
    assert "<b>" not in found._repr_html_()
    tex = found.to_latex()
    for text in (r"R\&D\_50\% \#1", "\n{[x]} &", r"\$a\textasciicircum{}2\$", "line break", "\n{*star}"):
        assert text in tex
    assert len(str(found).splitlines()) == 1 + 1 + 1 + len(HOSTILE) + 2 + 2 + len(found.notes)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_latex_compiles(tmp_path: Path, ties: str) -> None:
    head = "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n"
    text = head + hostile_model(ties).summary(quasi=True).to_latex() + "\\end{document}\n"
    (tmp_path / "table.tex").write_text(text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "table.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "table.pdf").stat().st_size > 1000


def test_sums_of_weights_are_rounded_and_one_is_singular() -> None:
    weighted = BradleyTerry().fit(load_chess_club(), sample_weight=np.linspace(0.1, 1, 910))
    assert str(weighted.summary()).startswith("Summary: 500.5 comparisons of 14 items\n")
    assert "with 14 parameters and 486.5 residual degrees of freedom" in str(weighted.summary())
    with pytest.warns(UserWarning, match="no finite"):
        one = BradleyTerry().fit(Comparisons.from_arrays(["a"], ["b"], [1])).summary()
    assert str(one).startswith("Summary: 1 comparison of 2 items\n")
    assert "with 1 parameter and 0 residual" in str(one)
