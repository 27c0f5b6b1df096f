from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

import podium as pod
from podium.bradley_terry.kinds.estimate import kinds_of
from podium.bradley_terry.kinds.problem import KindsProblem
from tests.bradley_terry.kinds.votes import people_and_model, vicuna

VOTES = people_and_model()


def fitted(c: pod.Comparisons, **how: Any) -> Any:
    return pod.BradleyTerry(judge_kind="human", **{"order_effect": True} | how).fit(c)


@pytest.fixture(scope="module")
def model() -> Any:
    return fitted(VOTES)


# ------------------------------------------------------------------------------------ the mathematics


@pytest.mark.parametrize("order_effect", [False, True])
def test_derivatives_are_those_of_differences(order_effect: bool) -> None:
    c = replace(VOTES, neutral=np.arange(len(VOTES)) % 3 == 0)
    problem = KindsProblem.of(c, kinds_of(c, "human")[1], 1, order_effect).with_scales(0.8, np.array([0.3]))
    x = 0.4 * np.sin(np.arange(len(problem.start())) + 1.0)
    here = problem.derivatives(x).gradient
    assert here == pytest.approx(approx_fprime(x, problem.objective, 1e-6), rel=1e-4, abs=1e-3)
    steps = np.eye(len(x)) * 1e-5
    by_gradient = [
        (problem.derivatives(x + e).gradient - problem.derivatives(x - e).gradient) / 2e-5 for e in steps
    ]
    assert problem.information(x) == pytest.approx(np.array(by_gradient), rel=1e-6, abs=1e-5)
    assert np.linalg.eigvalsh(problem.information(x, observed=False)).min() > 0


class Plain:
    """The model written down from the mathematics: r, log ν, h, b, μ, c, m of one other kind."""

    def __init__(self, c: pod.Comparisons) -> None:
        assert c.judge_kind is not None
        assert c.judge_kinds is not None
        self.c, self.n = c, c.n_items
        self.other = (c.judge_kinds[c.judge_kind] != "human").astype(float)

    def loss(self, x: Any, s: float, tau: float) -> float:
        r, (log_nu, h), b, (mu, ties, side) = np.split(x, np.cumsum([self.n, 2, self.n]))

        def gap(values: Any) -> Any:
            return values[self.c.right] - values[self.c.left]

        eta = np.exp(mu * self.other) * (gap(r) + self.other * gap(b)) - (h + side * self.other)
        terms = np.stack([-eta / 2, log_nu + ties * self.other, eta / 2])
        log_p = terms - np.logaddexp.reduce(terms)
        value = -log_p[np.asarray(self.c.outcome) + 1, np.arange(len(self.c))].sum()
        prior = (r @ r) / s**2 + (b @ b) / tau**2 + log_nu**2 / 9 + h**2 + mu**2 + ties**2 + side**2
        return float(value + prior / 2)

    def mode(self, s: float, tau: float) -> Any:
        start = np.zeros(2 * self.n + 5)
        return minimize(self.loss, start, (s, tau), "L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-7})

    def criterion(self, y: Any) -> float:
        s, tau = np.exp(y)
        found, e = self.mode(s, tau), np.eye(2 * self.n + 5) * 1e-3

        def f(step: Any) -> float:
            return self.loss(found.x + step, s, tau)

        H = [[(f(a + b) - f(a - b) - f(b - a) + f(-a - b)) / 4e-6 for a in e] for b in e]
        spread = self.n * np.log(s * tau) - np.log(tau) + tau**2 / (2 * 0.25**2)
        return float(found.fun + np.linalg.slogdet(np.array(H))[1] / 2 + spread)


@pytest.mark.slow  # 20 seconds
@pytest.mark.filterwarnings("ignore")
def test_the_optimum_is_that_of_scipy() -> None:
    c = people_and_model(60, 200, n_items=3)
    m = fitted(c)
    plain = Plain(c)
    found = minimize(
        plain.criterion, [-0.5, -1.0], method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 1e-6}
    )
    s, tau = np.exp(found.x)
    assert [m.prior_scale_, m.kind_effects_["bias"][0]] == pytest.approx([s, tau], rel=2e-3)
    assert m.fit_.point == pytest.approx(plain.mode(s, tau).x, abs=2e-3)


def test_the_mode_is_that_of_scipy(model: Any) -> None:
    plain = Plain(VOTES)
    found = plain.mode(model.prior_scale_, model.kind_effects_["bias"][0])
    assert model.fit_.point == pytest.approx(found.x, abs=1e-4)
    assert model.result_.gradient_norm <= 1e-9
    assert model.result_.objective == pytest.approx(found.fun, abs=1e-6)
    eye = np.eye(4) - 1 / 4
    covariance = np.linalg.inv(model_information(model))[:4, :4]
    assert model.covariance_ == pytest.approx(eye @ covariance @ eye)


def model_information(model: Any) -> Any:
    kind = kinds_of(VOTES, "human")[1]
    scales = model.prior_scale_, model.kind_effects_["bias"].to_numpy()
    return KindsProblem.of(VOTES, kind, 1, True).with_scales(*scales).information(model.fit_.point)


# ------------------------------------------------------------------------------------ invariants


def test_swapped_sides_negate_the_effects_of_sides(model: Any) -> None:
    swapped = fitted(VOTES.swap())
    assert swapped.order_effect_ == pytest.approx(-model.order_effect_, abs=1e-6)
    ours, theirs = (one.kind_effects_.drop(columns="judge_kind").iloc[0] for one in (model, swapped))
    ends = ["side", "side_low", "side_high"]
    assert theirs[["side", "side_high", "side_low"]].to_numpy() == pytest.approx(
        -ours[ends].to_numpy(), abs=1e-6
    )
    assert theirs.drop(ends).to_numpy() == pytest.approx(ours.drop(ends).to_numpy(), rel=1e-5)
    assert swapped.log_skill_ == pytest.approx(model.log_skill_, abs=1e-6)
    assert swapped.covariance_ == pytest.approx(model.covariance_, rel=1e-4, abs=1e-8)


def test_a_row_twice_is_count_2_and_weight_2() -> None:
    c = VOTES[::3]
    twice = [pod.concat([c, c]), replace(c, count=2 * c.count), replace(c, weight=2 * c.weight)]
    skills = [fitted(each).log_skill_ for each in twice]
    assert skills[1] == pytest.approx(skills[0], abs=1e-7)
    assert skills[2] == pytest.approx(skills[0], abs=1e-7)


def test_what_is_simulated_is_found(model: Any) -> None:
    [row] = model.kind_effects_.to_dict("records")
    assert (row["judge_kind"], row["votes"]) == ("ai", 1200)
    assert row["sharpness_low"] < 2 < row["sharpness_high"]
    assert row["ties_low"] < 1 < row["ties_high"]
    assert row["side_low"] < 0.5 < row["side_high"]
    assert model.kind_bias_.shape == (4, 1)
    assert model.kind_bias_.sum().item() == pytest.approx(0, abs=1e-8)
    assert model.log_skill_.sum() == pytest.approx(0, abs=1e-8)


# ------------------------------------------------------------------------------------ predictions and views


def test_predictions_are_those_of_the_kind(model: Any) -> None:
    rows, effects = VOTES[[0, -1]], model.kind_effects_.iloc[0]
    as_people, as_model = model.predict_proba(replace(rows[[1, 1]], judge_kind=np.array([1, 0], np.int32)))
    assert as_people == pytest.approx(
        model.predict_proba(replace(rows[1:], judge_kind=None, judge_kinds=None))[0]
    )
    seen = model.log_skill_ + model.kind_bias_["ai"].to_numpy()
    d = (
        effects["sharpness"] * (seen[rows.right[1]] - seen[rows.left[1]])
        - model.order_effect_
        - effects["side"]
    )
    p = np.array([1, model.tie_ * effects["ties"] * np.exp(d / 2), np.exp(d)])
    assert as_model == pytest.approx(p / p.sum())
    stranger = pod.Comparisons.from_arrays([0], [1], judge_kind=["dog"])
    with pytest.raises(ValueError, match="no judge of the kind 'dog' was seen in fit; the kinds are"):
        model.predict_proba(stranger)
    new = pod.Comparisons.from_arrays([0], [99], judge_kind=["ai"])
    assert model.predict_proba(new).sum() == pytest.approx(1)


def test_the_board_is_that_of_the_scale(model: Any) -> None:
    board = model.leaderboard()
    assert "scores are on the scale of 'human' judges; votes of 'ai' tell about it" in board.notes
    assert board.games.sum() == 2 * len(VOTES)
    assert "AIC and BIC are missing" in str(model.summary())
    other = pod.BradleyTerry(judge_kind="ai").fit(VOTES)
    assert other.kind_effects_["judge_kind"].tolist() == ["human"]
    assert other.kind_effects_["sharpness"][0] < 1 < model.kind_effects_["sharpness"][0]


def test_a_saved_model_is_the_same(model: Any, tmp_path: Path) -> None:
    pod.save(model, tmp_path / "kinds.skops")
    again = pod.load(tmp_path / "kinds.skops")
    assert again.kind_effects_.equals(model.kind_effects_)
    assert again.kind_bias_.equals(model.kind_bias_)
    assert np.array_equal(again.predict_proba(VOTES), model.predict_proba(VOTES))
    assert again.leaderboard().to_frame().equals(model.leaderboard().to_frame())
    with pytest.raises(ValueError, match="kinds of judges and bootstrap do not work together"):
        again.bootstrap(5)


def test_votes_needed_are_votes_of_people(model: Any) -> None:
    a, b = np.argsort(-model.log_skill_)[:2]
    gap, error = model.log_skill_[a] - model.log_skill_[b], np.sqrt(model.fit_.variance_of_difference(a, b))
    p = model.predict_proba(pod.Comparisons.from_arrays([a, b], [b, a])).T
    information = np.mean(p[0] * p[2] + p[1] * (1 - p[1]) / 4)
    wanted = (((1.96 + 0.8416) / gap) ** 2 - error**-2) / information
    assert model.votes_needed(a, b) == pytest.approx(max(wanted, 0), rel=0.02, abs=1)
    assert len(model.next_pairs(3)) == 3


def test_an_item_without_votes_of_people_has_a_wider_interval() -> None:
    m = fitted(people_and_model(unjudged=True, n_items=6))
    error = m.standard_error_
    assert error[0] > 2 * error[1:].max()
    assert error[0] > m.kind_effects_["bias"][0]
    board = m.leaderboard()
    assert any("no 'human' judge compared 0:" in note for note in board.notes), board.notes


# ------------------------------------------------------------------------------------ thin data, and errors


@pytest.mark.filterwarnings("ignore")
def test_few_votes_of_a_kind_are_said() -> None:
    m = fitted(people_and_model(40, 200))
    [note] = m.notes_
    assert note.startswith("the kind 'human' has 20 votes per item; with fewer than 50")
    assert np.isfinite(m.covariance_).all()


@pytest.mark.filterwarnings("ignore")
def test_ten_votes_without_a_tie_are_finite() -> None:
    c = people_and_model(200, 800)
    people = c[(c.judge_kind == 1) & (c.outcome != 0)][:10]
    m = fitted(pod.concat([people, c[c.judge_kind == 0]]))
    assert np.abs(m.fit_.point).max() < 10
    assert np.isfinite(m.standard_error_).all()


def test_one_kind_alone_is_normal_skills() -> None:
    assert VOTES.judge_kind is not None
    people = VOTES[VOTES.judge_kind == 1]
    m, normal = fitted(people), pod.BradleyTerry(prior="normal", order_effect=True).fit(people)
    assert len(m.kind_effects_) == 0
    assert m.log_skill_ == pytest.approx(normal.log_skill_, abs=0.03)
    assert m.standard_error_ == pytest.approx(normal.standard_error_, rel=0.15)  # with the error of s


def test_errors_name_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="judge_kind needs to know who voted"):
        fitted(replace(VOTES, judge_kind=None, judge_kinds=None))
    with pytest.raises(
        ValueError, match="no vote is by a judge of the kind 'dog'; set judge_kind to one of 'ai', 'human'"
    ):
        pod.BradleyTerry(judge_kind="dog").fit(VOTES)
    many = pod.Comparisons.from_arrays(
        np.arange(2000), np.arange(2000) + 1, np.ones(2000), judge_kind=["human", "ai"] * 1000
    )
    with pytest.raises(ValueError, match="2,001 items × 2 kinds are more than 3,000"):
        fitted(many)
    with pytest.raises(AttributeError):
        _ = pod.BradleyTerry().fit(VOTES).kind_effects_


# ------------------------------------------------------------------------------------ real votes


def test_gpt_4_beside_people() -> None:
    people, model = vicuna()
    m = fitted(pod.concat([people, model], judge_kind=["human", "ai"]))
    [row] = m.kind_effects_.to_dict("records")
    assert [row[name] for name in ("sharpness", "sharpness_low", "sharpness_high")] == pytest.approx(
        [3.1, 2.1, 4.7], abs=0.06
    )
    assert [row["ties"], row["side"], row["bias"]] == pytest.approx([1.52, 0.79, 0.22], abs=0.01)
    assert m.order_effect_ == pytest.approx(0.04, abs=0.005)
    found = m.kind_bias_["ai"][["gpt-3.5", "bard", "guanaco-7b", "gpt-4"]]
    assert found.to_numpy() == pytest.approx([0.30, 0.20, -0.31, 0.02], abs=0.01)


@pytest.mark.slow  # half a minute
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n", [30, 100, 300, 1000])
def test_few_votes_of_people_gain_from_gpt_4(n: int) -> None:
    people, model = vicuna()
    behind = []
    for seed in range(6):
        order = np.random.default_rng(seed).permutation(len(people))
        few, rest = people[order[:n]], people[order[n:]]
        alone = pod.BradleyTerry(prior="normal", order_effect=True)
        kinds = fitted(pod.concat([few, model], judge_kind=["human", "ai"]))
        models = kinds, alone.fit(few), pod.BradleyTerry(order_effect=True).fit(pod.concat([few, model]))
        losses = [pod.metrics.log_loss(np.asarray(rest.outcome), one.predict_proba(rest)) for one in models]
        behind.append(losses[0] - min(losses[1:]))
    assert np.mean(behind) <= 0.002
