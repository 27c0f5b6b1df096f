"""Other libraries in `experiments.dynamics`: riix, TrueSkill Through Time and kickscore.

Each function takes games and returns the probabilities of -1, 0 and 1 for the games of the last fifth. Each
game is predicted from what came strictly earlier.

*riix* predicts all games of a time, then rates them one by one. It has no advantage of the left side. So the
log-odds of its expected score become ``a · home + b · log-odds``, with a and b fitted to the games of
60–80 %. It has no teams either: a pair of doubles is a competitor of its own.

*TrueSkill Through Time* has the advantage as one more member of the left side, without noise and with a drift
of its own. Its settings have the smallest loss of its forward pass on the games of 60–80 %. The last fifth is
cut into `REFITS` blocks. At the start of each block, the history of all earlier games is iterated
`ITERATIONS` times; its forward pass predicts the games of the block.

*kickscore* has a constant and an exponential kernel for every item, and a Wiener kernel for the advantage,
which is one more member of the left side. Its observations are logistic. Its settings maximise its marginal
likelihood on the first 80 %. At the start of each block of the last fifth, all observations are fitted again;
in between, expectation propagation updates the new observations of each time only.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit

from experiments.dynamics_games import (
    Floats,
    Games,
    Settings,
    blocks,
    matters,
    search,
    tuning_loss,
    without_ties,
)

REFITS = 10
LEAST_TIES = 0.01  # TrueSkill Through Time takes the root of a negative number if ties are rarer
ITERATIONS = 2  # of TrueSkill Through Time; on NBA games, 1 and 3 differ by less than 1e-5 in score loss
Times = list[slice]


def times_of(games: Games, first: int, last: int) -> Times:
    """The rows of each distinct time."""
    return blocks(games, first, last, last - first)


# ------------------------------------------------------------------------------------ riix


class System(NamedTuple):
    module: str
    name: str
    grid: dict[str, Sequence[float]]
    tie_share: str | None = None  # the parameter that takes the share of ties


TRUESKILL_GRID = {
    "initial_sigma": (0.5, 0.7, 1, 1.5, 2.2, 3.3, 5, 8.333, 12),
    "tau": (0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32),
}
RIIX = {
    "Elo": System("elo", "Elo", {"k": (3, 4.5, 7, 10, 14, 20, 28, 40, 56, 80, 110)}),
    "EloMentum": System(
        "elomentum",
        "EloMentum",
        {"k": (3, 4.5, 7, 10, 14, 20, 28, 40, 56), "momentum": (0.05, 0.1, 0.2, 0.4, 0.6)},
    ),
    "Glicko": System(
        "glicko",
        "Glicko",
        {
            "initial_rating_dev": (60, 90, 130, 190, 270, 350, 500, 700),
            "c": (0.25, 0.5, 1, 2, 4, 8, 16, 32, 64),
        },
    ),
    "Glicko2": System(
        "glicko2",
        "Glicko2",
        {
            "initial_rd": (60, 90, 130, 190, 270, 350, 500, 700),
            "initial_sigma": (0.002, 0.004, 0.008, 0.016, 0.03, 0.06, 0.12),
            "tau": (0.2, 0.5, 1.2),
        },
    ),
    "TrueSkill": System(
        "trueskill",
        "TrueSkill",
        {
            "initial_sigma": (0.5, 0.7, 1, 1.5, 2.2, 3.3, 5, 8.333, 12),
            "tau": (0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32),
        },
        tie_share="draw_probability",
    ),
    "Weng–Lin": System(
        "weng_lin",
        "WengLin",
        {
            "initial_sigma": (0.5, 0.7, 1, 1.5, 2.2, 3.3, 5, 8.333, 12),
            "tau": (0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32),
        },
        tie_share="draw_probability",
    ),
    "VSKF": System(
        "skf",
        "VSKF",
        {
            "v_0": (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28),
            "epsilon": (1e-6, 4e-6, 1.6e-5, 6.4e-5, 2.5e-4, 1e-3, 4e-3, 1.6e-2),
            "beta": (0.98, 0.99, 0.995, 0.998, 0.9995, 1.0),
        },
    ),
    "Yuksel": System(
        "yuksel_2024",
        "Yuksel2024",
        {"delta_r_max": (20, 40, 80, 160, 350), "alpha": (0.5, 1, 2, 4), "scaling_factor": (0.8, 0.9, 0.97)},
    ),
}


def riix(which: str, games: Games) -> Floats:
    """A system of riix, with the best settings of its grid."""
    system = RIIX[which]

    def loss(settings: Settings) -> float:
        return recalibrated(games, riix_odds(system, games, games.test, settings))[1]

    odds = riix_odds(system, games, len(games.c), search(system.grid, loss))
    line, _ = recalibrated(games, odds)
    return without_ties(expit(line[0] * games.at_home + line[1] * odds)[games.test :])


def riix_odds(system: System, games: Games, last: int, settings: Settings) -> Floats:
    """The log-odds of the left side in each of the first games, before it was played."""
    from riix.utils.data_utils import MatchupDataset

    c = games.c
    make = getattr(import_module(f"riix.models.{system.module}"), system.name)
    extra = {system.tie_share: games.tie_share} if system.tie_share else {}
    steps = np.rint(games.years * (365.25 if games.has_dates else 12))
    sides = np.column_stack([c.left, c.right]).astype(np.int64)
    competitors = list(range(int(sides.max()) + 1))
    rows = MatchupDataset.init_from_arrays(
        steps[:last].astype(np.int32), sides[:last], games.score[:last], competitors
    )
    chance = make(competitors, **settings, **extra).fit_dataset(rows, return_pre_match_probs=True)
    return np.asarray(logit(np.clip(chance, 1e-9, 1 - 1e-9)))


def recalibrated(games: Games, odds: Floats) -> tuple[Floats, float]:
    """The advantage and the scale that suit the games of 60–80 % best, and the loss with them."""
    rows = slice(games.tune, games.test)
    design = np.column_stack([games.at_home[rows], odds[rows]])
    score = games.score[rows]

    def loss(line: Floats) -> tuple[float, Floats]:
        e = expit(design @ line)
        return float(np.mean(np.logaddexp(0, design @ line) - score * (design @ line))), (
            design.T @ (e - score) / len(score)
        )

    found = minimize(loss, np.array([0.0, 1.0]), jac=True, method="BFGS")
    return np.asarray(found.x), float(found.fun)


# ------------------------------------------------------------------------------------ TrueSkill Through Time

HOME = "advantage"
TTT_GRID = {
    "sigma": (0.2, 0.3, 0.45, 0.7, 1.0, 1.4, 2.0, 2.8),
    "gamma": (0.05, 0.1, 0.15, 0.22, 0.33, 0.5, 0.7, 1.0),
    "advantage_drift": (0.0, 0.03, 0.06, 0.12),
    "tie": (0.7, 0.85, 1.0, 1.2, 1.45, 1.75),  # of the share of ties
}


def through_time(games: Games) -> Floats:
    """TrueSkill Through Time."""
    grid = {name: values for name, values in TTT_GRID.items() if matters(name, games)}

    def loss(settings: Settings) -> float:
        p = TTT(games, settings).forward(times_of(games, 0, games.test))
        return tuning_loss(p[games.tune :], games.score[games.tune : games.test])

    settings = search(grid, loss)
    parts = []
    for block in blocks(games, games.test, len(games.c), REFITS):
        ttt = TTT(games, settings)
        ttt.converge(block.start)
        parts.append(ttt.forward(times_of(games, block.start, block.stop)))
    return np.concatenate(parts)


class TTT:
    """A history of TrueSkill Through Time that is continued time by time."""

    def __init__(self, games: Games, settings: Settings) -> None:
        import trueskillthroughtime as ttt

        self.library = ttt
        self.prior = ttt.Player(ttt.Gaussian(0.0, settings["sigma"]), 1.0, settings["gamma"])
        home = ttt.Player(ttt.Gaussian(0.0, 1.0), 0.0, settings.get("advantage_drift", 0.0))
        self.players: dict[Any, Any] = {HOME: home}
        self.tie_share = 0.0
        if games.has_ties:
            self.tie_share = max(games.tie_share * settings["tie"], LEAST_TIES)
        left, right = games.members("left"), games.members("right")
        homes = games.at_home > 0
        self.sides = [[[*a, HOME] if home else a, b] for a, b, home in zip(left, right, homes, strict=True)]
        self.results = [[1, 0] if s == 1 else [0, 1] if s == 0 else [0, 0] for s in games.score]
        self.years = games.years.tolist()
        self.agents: dict[Any, Any] = {}

    def converge(self, last: int) -> None:
        """Iterate the history of the first games to convergence, and leave every skill at its last time."""
        history = self.library.History(
            self.sides[:last],
            self.results[:last],
            self.years[:last],
            priors={
                **{name: self.prior for side in self.sides[:last] for team in side for name in team},
                **self.players,
            },
            p_draw=self.tie_share,
        )
        history.convergence(iterations=ITERATIONS, verbose=False)
        self.agents = history.agents
        for batch in history.batches:
            self._leave(batch)

    def _leave(self, batch: Any) -> None:
        for name in batch.skills:
            self.agents[name].last_time = batch.time
            self.agents[name].message = batch.forward_prior_out(name)

    def forward(self, times: Times) -> Floats:
        """Predict the games of each time, then learn from them."""
        parts = []
        for rows in times:
            now = self.years[rows.start]
            sides, results = self.sides[rows], self.results[rows]
            for name in {name for side in sides for team in side for name in team}:
                if name not in self.agents:
                    player = self.players.get(name, self.prior)
                    self.agents[name] = self.library.Agent(player, self.library.Ninf, -np.inf)
            parts.append([self._chances(side, now) for side in sides])
            self._leave(self.library.Batch(sides, results, now, self.agents, self.tie_share))
        return np.array([row for part in parts for row in part])

    def _chances(self, side: list[list[Any]], now: float) -> list[float]:
        mean, variance, noise = 0.0, 0.0, 0.0
        for sign, team in zip((1, -1), side, strict=True):
            for name in team:
                agent = self.agents[name]
                elapsed = self.library.compute_elapsed(agent.last_time, now)
                skill = agent.receive(elapsed)
                mean += sign * skill.mu
                variance += skill.sigma**2
                noise += agent.player.beta**2
        margin = self.library.compute_margin(self.tie_share, noise**0.5) if self.tie_share else 0.0
        spread = (variance + noise) ** 0.5
        left = 1 - self.library.cdf(margin, mean, spread)
        right = self.library.cdf(-margin, mean, spread) if self.tie_share else 1 - left
        return [left, 1 - left - right, right]


# ------------------------------------------------------------------------------------ kickscore

KICKSCORE_GRID = {
    "constant": (0.1, 0.2, 0.4, 0.7, 1.2),
    "moving": (0.3, 0.5, 0.8, 1.3, 2.0),
    "years": (0.5, 1.0, 2.0, 4.0, 8.0, 16.0),
    "advantage_drift": (0.02, 0.05, 0.1),
    "tie": (0.85, 1.0, 1.2, 1.45),  # of the margin that the share of ties suggests
}


def kickscore(games: Games) -> Floats:
    """Kickscore, with the settings of the largest marginal likelihood."""
    grid = {name: values for name, values in KICKSCORE_GRID.items() if matters(name, games)}

    def loss(settings: Settings) -> float:
        model = Kickscore(games, settings)
        model.observe(slice(0, games.test))
        model.fit()
        return -float(model.model.log_likelihood) / games.test

    model = Kickscore(games, search(grid, loss))
    model.observe(slice(0, games.test))
    parts = []
    for block in blocks(games, games.test, len(games.c), REFITS):
        model.fit()
        for rows in times_of(games, block.start, block.stop):
            parts.append(model.chances(rows))
            model.learn(rows)
    return np.concatenate(parts)


class Kickscore:
    """A model of kickscore that is continued time by time."""

    def __init__(self, games: Games, settings: Settings) -> None:
        import kickscore as ks

        self.games, self.left, self.right = games, games.members("left"), games.members("right")
        self.at_home = games.at_home > 0
        self.model = ks.BinaryModel("logit")
        if games.has_ties:
            margin = 2 * np.arctanh(games.tie_share) * settings["tie"]
            self.model = ks.TernaryModel(margin, "logit")
        constant, moving = settings["constant"] ** 2, settings["moving"] ** 2
        for name in {name for team in (*self.left, *self.right) for name in team}:
            kernel = ks.kernel.Constant(constant) + ks.kernel.Exponential(moving, settings["years"])
            self.model.add_item(name, kernel=kernel)
        if games.has_advantage:
            self.model.add_item(
                HOME, kernel=ks.kernel.Wiener(settings["advantage_drift"] ** 2, t0=0.0, var_t0=1.0)
            )

    def sides(self, row: int) -> tuple[list[Any], list[Any]]:
        left: list[Any] = self.left[row]
        return ([*left, HOME] if self.at_home[row] else left), self.right[row]

    def observe(self, rows: slice) -> None:
        score, years = self.games.score, self.games.years
        for row in range(rows.start, rows.stop):
            sides = self.sides(row)
            winners, losers = sides if score[row] else sides[::-1]
            tie = {"tie": True} if score[row] == 0.5 else {}
            self.model.observe(winners, losers, t=float(years[row]), **tie)

    def fit(self) -> None:
        self.model.fit(tol=1e-2, max_iter=30)

    def learn(self, rows: slice) -> None:
        """Expectation propagation on the observations of one time; the earlier ones stay as they are."""
        old = len(self.model.observations)
        self.observe(rows)
        new = self.model.observations[old:]
        fitters = {item.fitter for each in new for item in each._items}
        for fitter in fitters:
            fitter.allocate()
            fitter.fit()  # the state at the new time
        for _ in range(2 if len(fitters) < 2 * len(new) else 1):
            for each in new:
                each.ep_update()
            for fitter in fitters:
                fitter.fit()

    def chances(self, rows: slice) -> Floats:
        years = float(self.games.years[rows.start])
        p = np.array(
            [self.model.probabilities(*self.sides(row), t=years) for row in range(rows.start, rows.stop)]
        )
        return p if p.shape[1] == 3 else without_ties(p[:, 0])
