"""The rest of five seasons of the Premier League, from random parts of their games, against what happened.

The plug-in plays the same games with the estimates of the same fit, as if they had no errors.
"""

from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

import podium as pod
from podium.comparisons.arrays import Floats

PARTS, N = 24, 4000
EVENTS = {"champion": slice(0, 1), "top 4": slice(0, 4), "last 3": slice(17, 20)}


def chances(model: Any, rest: Any, played: Any, n: int = N) -> Floats:
    """One row per event, one column per club in alphabetical order."""
    table = pod.simulate(model, rest, played=played, n=n, random_state=0).chances.sort_index().to_numpy()
    return np.array([table[:, places].sum(axis=1) for places in EVENTS.values()])


def plugged_in(fit: Any, n: int, rng: Any, items: Any) -> Floats:
    rest = np.arange(len(fit.items), len(fit.solution))
    return np.tile(fit.solution[np.append(items, rest)], (n, 1))


def seasons() -> Any:
    """Each season with its final table; equal points that lots would break count in part."""
    every = pod.datasets.fetch_classic("epl")
    for number in range(5):
        season = every[every.group == number]
        model = pod.BradleyTerry(prior="normal", order_effect=True).fit(season)
        yield season, chances(model, season, season)


def forecasts(share: float, n_seasons: int = 5, n_parts: int = PARTS) -> pd.DataFrame:
    """One row per season, part, event and club: the chances of both ways, and what happened."""
    found = []
    for number, (season, happened) in zip(range(n_seasons), seasons(), strict=False):
        for part in range(n_parts):
            known = np.random.default_rng([number, part]).random(len(season)).argsort() < share * len(season)
            model = pod.BradleyTerry(prior="normal", order_effect=True).fit(season[known])
            drawn = chances(model, season[~known], season[known])
            with patch("podium.simulation.season.solutions", plugged_in):
                plug_in = chances(model, season[~known], season[known])
            for event, name in enumerate(EVENTS):
                columns = {"draws": drawn[event], "plug-in": plug_in[event], "happened": happened[event]}
                found.append(pd.DataFrame(columns).assign(season=number, part=part, event=name))
    return pd.concat(found, ignore_index=True)


def losses(frame: pd.DataFrame) -> pd.DataFrame:
    """Brier score and log loss, summed over clubs: one row per season, part and event."""
    keys, truth = ["season", "part", "event"], frame["happened"]
    found = frame[keys].copy()
    for way in ("draws", "plug-in"):
        p = (frame[way] * N + 0.5) / (N + 1)
        found[f"Brier, {way}"] = (p - truth) ** 2
        found[f"log loss, {way}"] = -truth * np.log(p) - (1 - truth) * np.log(1 - p)
    return found.groupby(keys).sum().reset_index()


def interval(table: pd.DataFrame, column: str, n: int = 4000) -> tuple[float, float, float]:
    """Draws minus plug-in: the mean, and 95 % by bootstrap over seasons and over parts within them."""
    gap = table[f"{column}, draws"] - table[f"{column}, plug-in"]
    square = gap.groupby([table["season"], table["part"]]).sum().unstack().to_numpy()
    rng, (n_seasons, n_parts) = np.random.default_rng(0), square.shape
    chosen = rng.integers(0, n_seasons, (n, n_seasons))
    parts = rng.integers(0, n_parts, (n, n_seasons, n_parts))
    means = square[chosen[:, :, None], parts].mean(axis=(1, 2))
    low, high = np.quantile(means, [0.025, 0.975])
    return float(square.mean()), float(low), float(high)


def calibration(frame: pd.DataFrame, way: str) -> pd.DataFrame:
    """How often champions, top 4 and last 3 came true, by the stated chance."""
    edges = [0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0]
    bins = pd.cut(frame[way], edges, include_lowest=True)
    grouped = frame.groupby(bins, observed=True)
    return grouped.agg(stated=(way, "mean"), happened=("happened", "mean"), n=("happened", "size"))


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.25, 0.5])
def test_draws_beat_the_plug_in(share: float, real_data: Any) -> None:
    frame = forecasts(share)
    table = losses(frame)
    total = table.drop(columns="event").groupby(["season", "part"]).sum().reset_index()
    for event in (*EVENTS, "all three"):
        part = total if event == "all three" else table[table["event"] == event]
        for column in ("Brier", "log loss"):
            drawn, plug_in = (part[f"{column}, {way}"].mean() for way in ("draws", "plug-in"))
            gap, low, high = interval(part, column)
            print(f"{share} {event} {column}: {drawn:.3f} {plug_in:.3f}, {gap:.3f} ({low:.3f} to {high:.3f})")
            assert high < 0 or event != "all three"
            assert gap < 0 or column == "Brier"
    for way in ("draws", "plug-in"):
        found = calibration(frame, way)
        print(way, found.round(3), sep="\n")
    sure = [calibration(frame, way).iloc[-1] for way in ("draws", "plug-in")]
    assert abs(sure[0]["stated"] - sure[0]["happened"]) < abs(sure[1]["stated"] - sure[1]["happened"])


def test_a_sure_favourite_of_the_plug_in_is_less_sure(real_data: Any) -> None:
    frame = forecasts(0.25, n_seasons=1, n_parts=1)
    champion = frame[frame["event"] == "champion"]
    assert champion["draws"].max() < champion["plug-in"].max()
    for way in ("draws", "plug-in", "happened"):
        assert champion[way].sum() == pytest.approx(1)
