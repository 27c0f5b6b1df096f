"""Models of comparisons on partitions: the same result as on one machine."""

import os
import signal
from collections.abc import Callable
from dataclasses import replace
from threading import Timer
from typing import Any

import numpy as np
import pytest

import podium as pod
from podium.arrays.partitions.rounds import Partitions
from podium.arrays.partitions.table import comparisons_in_partitions
from podium.comparers.primal.partitioned import fit_partitioned_pairs, partitioned_pairs

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

Pairs = tuple[Any, Any, Any, Any]


pytestmark = pytest.mark.xdist_group("dask")  # one cluster for all


def pairs(n: int = 3_000, p: int = 4, ties: float = 1.5, seed: int = 0, items: int | None = None) -> Pairs:
    """Features of the two sides, outcomes and weights."""
    rng = np.random.RandomState(seed)
    X = rng.randn(items or 2 * n, p)
    left, right = (X[rng.randint(len(X), size=n)] if items else X[k * n : (k + 1) * n] for k in range(2))
    z = (right - left) @ rng.randn(p) + rng.randn(n)
    return left, right, np.where(np.abs(z) < ties, 0, np.sign(z)).astype(int), rng.rand(n) + 0.5


def processes(client: Any) -> list[int]:
    """The process of each worker."""
    return list(client.run(os.getpid).values())


def lazy(values: Any, chunks: Any) -> Any:
    return da.from_array(values, chunks=(chunks, *np.shape(values)[1:]))


def in_partitions(data: Pairs, chunks: Any) -> Any:
    return pod.PartitionedComparisons.from_features(*(lazy(values, chunks) for values in data))


def check_same(one: Any, many: Any, atol: float = 1e-6) -> None:
    np.testing.assert_allclose(many.coef_, one.coef_, rtol=0, atol=atol)
    np.testing.assert_allclose(many.bias_, one.bias_, rtol=0, atol=atol)
    np.testing.assert_allclose(many.threshold_, one.threshold_, rtol=1e-5)
    assert many.result_.objective == pytest.approx(one.result_.objective, rel=1e-9)
    assert many.result_.gap <= many.tol
    # The dual of either proves the primal of the other.
    assert many.result_.details["dual"] <= one.result_.objective * (1 + 1e-9)
    assert one.result_.details["dual"] <= many.result_.objective * (1 + 1e-9)


@pytest.mark.parametrize(
    ("loss", "data", "options"),
    [
        ("logistic", pairs(), {}),
        ("logistic", pairs(20_000, items=300), {"class_weight": "balanced"}),
        ("logistic", pairs(p=40), {"C": 0.01, "class_weight": {0: 2.0, 1: 0.5}}),
        ("logistic", pairs(ties=0.0), {}),
        ("hinge", pairs(), {"C": 0.01}),
        ("hinge", pairs(p=1, ties=0.0), {"C": 0.001}),
    ],
)
def test_linear_compare_is_that_of_one_machine(cluster: Any, loss: Any, data: Pairs, options: Any) -> None:
    options |= {"tol": 1e-11 if loss == "logistic" else 1e-10, "random_state": 0}
    n = len(data[2])
    one = pod.LinearCompare(loss, **options).fit(pod.Comparisons.from_features(*data))
    sizes = (n // 2, 0, n // 5, n - n // 2 - n // 5)
    many = pod.LinearCompare(loss, **options).fit(in_partitions(data, sizes))
    check_same(one, many)
    np.testing.assert_allclose(many._stream.now, one._stream.now, atol=1e-5)
    assert (many._stream.seen, many._stream.steps) == (one._stream.seen, one._stream.steps)


def test_products_with_second_derivatives_in_rounds(cluster: Any) -> None:
    data, rng = pairs(2_000), np.random.RandomState(0)
    one = pod.LinearCompare("logistic", tol=1e-10).fit(pod.Comparisons.from_features(*data)).result_
    parts = comparisons_in_partitions(in_partitions(data, 1_000), None, None)
    problem = replace(partitioned_pairs(parts, "logistic", 1.0, None, rng)[0], dense_features=3)
    many: Any = fit_partitioned_pairs(problem, "logistic", 1e-10, random_state=rng)
    np.testing.assert_allclose(many.solution, one.solution, rtol=0, atol=1e-6)
    assert many.objective == pytest.approx(one.objective, rel=1e-9)
    assert many.gap <= 1e-10
    assert many.details["dual"] <= one.objective * (1 + 1e-9)
    assert one.details["dual"] <= many.objective * (1 + 1e-9)


def test_more_decisive_pairs_than_ties_fall_back_to_no_bias(cluster: Any) -> None:
    data = pairs(ties=0.2)
    with pytest.warns(UserWarning, match="β"):
        one = pod.LinearCompare("logistic", tol=1e-11).fit(pod.Comparisons.from_features(*data))
    with pytest.warns(UserWarning, match="β"):
        many = pod.LinearCompare("logistic", tol=1e-11).fit(in_partitions(data, 1_500))
    assert np.isnan(many.margin_)
    check_same(one, many)


def test_frames_and_arrays_of_both_sides(cluster: Any) -> None:
    import pandas as pd

    left, right, outcome, weight = pairs(1_000, p=2)
    columns = {"left_a": left[:, 0], "left_b": left[:, 1], "right_b": right[:, 1], "right_a": right[:, 0]}
    frame = pd.DataFrame({"note": "x", **columns, "won": outcome, "weight": weight})
    frame = dd.from_pandas(frame, npartitions=3)
    c = pod.PartitionedComparisons.from_frame(frame, outcome="won", weight="weight")
    eager = pod.Comparisons.from_features(left, right, outcome, weight)
    one = pod.LinearCompare("logistic", tol=1e-11).fit(eager)
    check_same(one, many := pod.LinearCompare("logistic", tol=1e-11).fit(c))
    assert list(many.feature_names_in_) == ["a", "b"]
    both = np.stack([left, right], axis=1)
    again = pod.LinearCompare("logistic", tol=1e-11)
    check_same(one, again.fit(lazy(both, 400), lazy(outcome, 400), lazy(weight, 400)))
    np.testing.assert_array_equal(np.asarray(again.predict(lazy(both, 300))), again.predict(both))
    np.testing.assert_array_equal(again.decision_function(lazy(both, 300)), again.decision_function(both))


@pytest.mark.engines  # a worker that is a thread cannot be killed
def test_a_killed_worker_changes_nothing(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    data, rounds, before = pairs(6_000), [], processes(cluster)
    one = pod.LinearCompare("logistic", tol=1e-11).fit(pod.Comparisons.from_features(*data))
    total: Callable[..., Any] = Partitions.total

    def interrupted(self: Partitions, *arguments: Any) -> Any:
        rounds.append(arguments[0])
        if len(rounds) == 3:
            Timer(0.02, os.kill, [before[0], signal.SIGKILL]).start()  # in this round, or just after it
        return total(self, *arguments)

    monkeypatch.setattr(Partitions, "total", interrupted)
    many = pod.LinearCompare("logistic", tol=1e-11).fit(in_partitions(data, 1_000))
    assert len(rounds) > 5
    check_same(one, many)
    cluster.wait_for_workers(2)
    assert before[0] not in processes(cluster)


def test_the_online_machine_visits_one_partition_after_another(cluster: Any) -> None:
    left, right, outcome, weight = pairs(1_200, p=3)
    both = np.stack([left, right], axis=1)
    one, many = pod.OnlineSVMRank(), pod.OnlineSVMRank()
    for rows in (slice(0, 500), slice(500, 900), slice(900, None)):
        one.partial_fit(both[rows], outcome[rows], weight[rows])
    assert many.partial_fit(in_partitions((left, right, outcome, weight), (500, 0, 400, 300))) is many
    np.testing.assert_array_equal(many.coef_, one.coef_)
    assert (many.threshold_, many.n_steps_, many.losses_) == (one.threshold_, one.n_steps_, one.losses_)
    one.partial_fit(both[:9], outcome[:9])
    many.partial_fit(lazy(both[:9], 9), lazy(outcome[:9], 9))
    np.testing.assert_array_equal(many.coef_, one.coef_)
    with pytest.raises(ValueError, match="partial_fit takes partitions"):
        many.fit(lazy(both, 9), lazy(outcome, 9))


def test_without_a_cluster_this_process_does_the_work() -> None:
    import dask

    data = pairs(300, p=2)
    one = pod.LinearCompare("logistic", tol=1e-13).fit(pod.Comparisons.from_features(*data))
    with dask.config.set(scheduler="synchronous"):
        check_same(one, pod.LinearCompare("logistic", tol=1e-13).fit(in_partitions(data, 100)))


@pytest.mark.parametrize(
    ("c", "y", "message"),
    [
        (lazy(np.zeros((4, 2, 1)), 2), None, "no outcome to learn from; give it as y"),
        (lazy(np.zeros((4, 2, 1)), 2), np.zeros(4), "y is not a Dask array or frame"),
        (lazy(np.zeros((4, 2, 1)), 2), lazy(np.zeros(4), 4), "y has 1 partitions and c has 2"),
        (lazy(np.zeros((4, 2, 1)), 2), lazy(np.zeros(4), (1, 3)), "y and c are cut at different rows"),
        (lazy(np.zeros((4, 3, 1)), 2), lazy(np.zeros(4), 2), r"shape \(n, 2, p\), not of shape \(4, 3, 1\)"),
        (lazy(np.full((4, 2, 1), np.nan), 2), lazy(np.zeros(4), 2), "in partition [12]: X_left has a value"),
        (lazy(np.zeros((0, 2, 1)), 2), lazy(np.zeros(0), 2), "there are no comparisons to learn from"),
        (in_partitions(pairs(10), 5), lazy(np.zeros(4), 2), "hold their outcomes and weights"),
    ],
)
def test_wrong_partitions_are_refused(c: Any, y: Any, message: str) -> None:
    import dask

    with dask.config.set(scheduler="synchronous"), pytest.raises(ValueError, match=message):
        pod.LinearCompare().fit(c, y)


def test_wrong_frames_are_refused() -> None:
    import pandas as pd

    frame = dd.from_pandas(pd.DataFrame({"left_a": [1.0], "right_b": [1.0], "outcome": [1]}), npartitions=1)
    with pytest.raises(ValueError, match="the feature 'a' needs two columns, 'left_a' and 'right_a'"):
        pod.PartitionedComparisons.from_frame(frame)
    with pytest.raises(ValueError, match="there is no column 'won'; the columns are"):
        pod.PartitionedComparisons.from_frame(frame, outcome="won")
    with pytest.raises(ValueError, match="there are no features"):
        pod.PartitionedComparisons.from_frame(frame[["outcome"]])
    with pytest.raises(ValueError, match="a Dask frame is expected, not DataFrame"):
        pod.PartitionedComparisons.from_frame(pd.DataFrame())
    with pytest.raises(ValueError, match="scale=True is not available for partitions"):
        pod.LinearCompare(scale=True).fit(in_partitions(pairs(10), 5))
