"""PySpark in local mode counts its own rows, with the result of one machine; see `make test-engines`."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import podium
from podium import BradleyTerry, PlackettLuce
from tests.reading.rankings.test_counted_rankings import as_lists, text, wide
from tests.reading.test_counted import check_same

pytestmark = pytest.mark.engines

N = 2000
PAGE = Path(__file__).parents[2] / "docs/large_data.md"
SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "512m",
    "spark.sql.adaptive.enabled": "false",  # otherwise one query may run as several jobs
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
}


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session with two threads that only listens on the loopback interface."""
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    if shutil.which("java") is None:
        pytest.skip("there is no Java: apt-get install default-jre-headless")
    builder = sql.SparkSession.builder.master("local[2]").appName("podium")
    folder = str(tmp_path_factory.mktemp("spark"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        session = builder.config(map=SETTINGS | {"spark.local.dir": folder}).getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        yield session
        session.stop()


@pytest.fixture(scope="module")
def games() -> pd.DataFrame:
    """Games with teams, outcomes in several spellings, judges, countries, counts and weights."""
    rng = np.random.default_rng(0)
    names = np.array(["Ann", "Bob", "Cat", "Dan/Eve", "Zoë", " Flo"])
    left = rng.integers(0, 6, N)
    right = (left + rng.integers(1, 6, N)) % 6
    turn = rng.integers(1, 4, N)
    return pd.DataFrame(
        {
            "white": names[left],
            "black": names[right],
            "result": rng.choice(["1-0", "0-1", "1/2-1/2", "½-½"], N),
            "time": rng.integers(0, 100, N),
            "judge": rng.choice([f"judge {i}" for i in range(20)], N),
            "country": rng.choice(["pt", "nz"], N),
            "turn": turn,
            "count": turn,
            "weight": turn / 7,
        }
    )


def on_spark(spark: Any, frame: pd.DataFrame) -> Any:
    return spark.createDataFrame(pa.Table.from_pandas(frame, preserve_index=False)).repartition(3)


def check_counts(spark: Any, frame: pd.DataFrame, **options: Any) -> None:
    counted = podium.read_comparisons(on_spark(spark, frame), **options)
    assert len(counted) < len(frame)
    check_same(counted, podium.read_comparisons(frame, **options))


# ------------------------------------------------------------------------------------ counting


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"group": "judge", "category": "country"},
        {"where": "turn < 3 and country = 'pt'"},
        {"team_separator": "/"},
        {"drop_ties": True},
        {"covariates": {"turn": "turn"}},
    ],
    ids=lambda options: "+".join(options) or "plain",
)
def test_spark_counts_as_one_machine_does(spark: Any, games: pd.DataFrame, options: dict[str, Any]) -> None:
    check_counts(spark, games, **options)


@pytest.mark.parametrize(
    ("spellings", "options"),
    [
        (["win", "loss", "draw"], {}),
        (["left", "right", "tie", "tie (bothbad)"], {}),
        ([1.0, 0.0, 0.5], {"outcome_format": "score"}),
        ([-1, 0, 1], {"outcome_format": "sign"}),
        (["3:1", "0:0", "1:2"], {}),
    ],
    ids=["words", "sides", "score", "sign", "goals"],
)
def test_outcomes_in_every_spelling(
    spark: Any, games: pd.DataFrame, spellings: list[Any], options: dict[str, Any]
) -> None:
    outcome = np.random.default_rng(1).choice(spellings, N)
    check_counts(spark, games.assign(result=outcome), outcome="result", **options)


def test_the_name_of_the_winner(spark: Any, games: pd.DataFrame) -> None:
    winner = np.where(games["turn"] == 1, games["white"], np.where(games["turn"] == 2, games["black"], "tie"))
    check_counts(spark, games.drop(columns="result").assign(winner=winner))


def test_scores_in_two_columns(spark: Any, games: pd.DataFrame) -> None:
    frame = games.drop(columns="result").assign(goals_w=games["turn"], goals_b=games["turn"].to_numpy()[::-1])
    check_counts(spark, frame, outcome=("goals_w", "goals_b"))


def test_nulls_are_named_or_skipped(spark: Any, games: pd.DataFrame) -> None:
    spoiled = games.assign(result=games["result"].where(games["turn"] > 1, None))
    lost = int((games["turn"] == 1).sum())
    with pytest.raises(ValueError, match="column 'result' has no outcome"):
        podium.read_comparisons(on_spark(spark, spoiled))
    with pytest.warns(UserWarning, match=rf"{lost:,} of {N:,} rows cannot be read: no outcome \({lost:,}\)"):
        check_counts(spark, spoiled, bad_rows="skip")


def test_columns_of_any_name(spark: Any, games: pd.DataFrame) -> None:
    """Fields within columns, and dots and backticks in names, which Spark reads as paths and quotes."""
    table = pa.table(
        {
            "player": pa.StructArray.from_arrays(
                [pa.array(games["white"], pa.string()), pa.array(games["black"], pa.string())],
                ["a.white", "black"],
            ),
            "the.result": pa.array(games["result"], pa.string()),
            "a`judge": pa.array(games["judge"], pa.string()),
        }
    )
    counted, read = (
        podium.read_comparisons(
            x, left="player.a.white", right="player.black", outcome="the.result", group="a`judge"
        )
        for x in (spark.createDataFrame(table), table)
    )
    check_same(counted, read)


def test_one_group_by_is_all_that_spark_runs(
    spark: Any, games: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games.to_parquet(tmp_path / "games.parquet")
    frame = spark.read.parquet(str(tmp_path / "games.parquet"))
    collected: list[tuple[str, int]] = []
    to_arrow = type(frame).toArrow

    def noted(frame: Any) -> pa.Table:
        table = to_arrow(frame)
        collected.append((frame._jdf.queryExecution().executedPlan().toString(), table.num_rows))
        return table

    monkeypatch.setattr(type(frame), "toArrow", noted)
    scheduler = spark.sparkContext._jsc.sc().dagScheduler()
    before = scheduler.numTotalJobs()
    podium.read_comparisons(frame, group="judge")
    assert scheduler.numTotalJobs() - before == 1
    [(plan, n_rows)] = collected
    used = ["white", "black", "result", "judge", "count", "weight"]
    assert n_rows == len(games[used].drop_duplicates()) < N
    [columns] = re.findall(r"ReadSchema: struct<(.*)>", plan)
    assert sorted(re.findall(r"(\w+):", columns)) == sorted(used)
    assert plan.count("HashAggregate") == 2  # within each partition, then over all


def test_what_spark_cannot_read_is_one_sentence(spark: Any, games: pd.DataFrame, tmp_path: Path) -> None:
    frame = on_spark(spark, games)
    with pytest.raises(ValueError, match="two columns of one name"):
        podium.read_comparisons(frame.selectExpr("*", "white"))
    games.to_parquet(tmp_path / "games.parquet")
    gone = spark.read.parquet(str(tmp_path))
    (tmp_path / "games.parquet").unlink()
    with pytest.raises(ValueError, match=r"^the relation cannot be read: [^\n]*games\.parquet[^\n]*$"):
        podium.read_comparisons(gone)


# ------------------------------------------------------------------------------------ models


def test_bradley_terry_fits_a_spark_frame(spark: Any, games: pd.DataFrame) -> None:
    there = BradleyTerry().fit(on_spark(spark, games))
    here = BradleyTerry().fit(podium.read_comparisons(games))
    np.testing.assert_allclose(there.log_skill_, here.log_skill_, atol=1e-9)
    np.testing.assert_allclose(there.standard_error_, here.standard_error_, atol=1e-9)
    assert abs(there.tie_ - here.tie_) < 1e-9


@pytest.mark.parametrize("covariance", ["robust", "cluster"])
def test_errors_are_those_of_one_machine(spark: Any, games: pd.DataFrame, covariance: Any) -> None:
    sources = on_spark(spark, games), games
    there, here = (
        BradleyTerry(covariance=covariance, order_effect=True).fit(podium.read_comparisons(x, group="judge"))
        for x in sources
    )
    np.testing.assert_allclose(there.log_skill_, here.log_skill_, atol=1e-9)
    np.testing.assert_allclose(there.covariance_, here.covariance_, atol=1e-9)


@pytest.mark.parametrize("frame", [wide(), text()], ids=["wide", "text"])
def test_rankings_are_counted(spark: Any, frame: pd.DataFrame) -> None:
    there, here = podium.read_rankings(on_spark(spark, frame)), podium.read_rankings(frame)
    assert len(there) < len(frame) / 4
    assert as_lists(there) == as_lists(here.aggregate(by_group=True))
    one, other = (PlackettLuce().fit(r).log_skill_ for r in (there, here))
    np.testing.assert_allclose(one, other, atol=1e-9)


@pytest.mark.parametrize("dated", [False, True])
def test_chunks_in_order_of_time(spark: Any, games: pd.DataFrame, dated: bool) -> None:
    """All times differ, since a frame that Spark has shuffled has no order of its own."""
    time = np.random.default_rng(2).permutation(N)
    shuffled = games.assign(time=pd.Timestamp("2024-01-01") + pd.to_timedelta(time, "h") if dated else time)
    there = podium.Elo().fit(podium.read_chunks(on_spark(spark, shuffled), rows=500, time="time"))
    here = podium.Elo().fit(podium.read_comparisons(shuffled, time="time"))
    assert there.rating_.tolist() == here.rating_.tolist()


def test_chunks_of_a_cluster_are_refused(
    spark: Any, games: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark.sparkContext, "master", "spark://driver:7077")
    with pytest.raises(ValueError, match="cannot write to the disk of this machine; let Spark write Parquet"):
        next(podium.read_chunks(on_spark(spark, games)))


def test_the_recipe_of_the_documentation(spark: Any, games: pd.DataFrame, tmp_path: Path) -> None:
    for part in range(2):
        games[part::2].to_parquet(tmp_path / f"{part}.parquet")
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    [recipe] = [block for block in blocks if "pyspark" in block]
    assert "games/*.parquet" in recipe
    names: dict[str, Any] = {"podium": podium}
    exec(recipe.replace("games/", f"{tmp_path}/"), names)
    expected = BradleyTerry().fit(podium.read_comparisons(games))
    np.testing.assert_allclose(names["model"].log_skill_, expected.log_skill_, atol=1e-9)
