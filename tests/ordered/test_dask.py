"""SwappedPairsSVM on partitions of whole queries: the same result as on one machine."""

from typing import Any

import numpy as np
import pytest

import podium as pod
from podium.ordered.swapped import newton, partitioned

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")


pytestmark = pytest.mark.xdist_group("dask")  # one cluster for all


def queries(n: int, p: int = 4, q: int = 40, seed: int = 0) -> tuple[Any, ...]:
    """Features, labels, sorted queries and weights; some weights are 0."""
    rng = np.random.RandomState(seed)
    X, qid = rng.randn(n, p), np.sort(rng.randint(q, size=n))
    y = np.round(X @ rng.randn(p) / np.sqrt(p) + rng.randn(n))
    return X, y, qid, rng.randint(4, size=n) / 2


def lazy(values: Any, qid: Any, firsts: list[int]) -> Any:
    """Partitions that begin at the first rows of some queries."""
    sizes = np.diff([0, *np.searchsorted(qid, firsts), len(qid)]).tolist()
    return da.from_array(values, chunks=(tuple(sizes), *values.shape[1:]))


@pytest.mark.parametrize(("n", "firsts"), [(400, [7, 7, 30]), (12_000, [20])])
def test_swapped_pairs_are_those_of_one_machine(cluster: Any, n: int, firsts: list[int]) -> None:
    data = queries(n)
    options: dict[str, Any] = {"C": 0.001, "tol": 1e-11, "random_state": 0}
    one = pod.SwappedPairsSVM(**options).fit(*data)
    many = pod.SwappedPairsSVM(**options).fit(*(lazy(values, data[2], firsts) for values in data))
    check_same(one, many)
    X = lazy(data[0], data[2], firsts)
    np.testing.assert_array_equal(one.predict(data[0]), np.asarray(one.predict(X)))


def check_same(one: Any, many: Any) -> None:
    np.testing.assert_allclose(many.coef_, one.coef_, rtol=0, atol=1e-6)
    assert many.result_.objective == pytest.approx(one.result_.objective, rel=1e-9)
    assert many.result_.gap <= many.tol
    assert many.result_.details["dual"] <= one.result_.objective * (1 + 1e-9)


def test_products_with_second_derivatives_in_rounds(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (newton, partitioned):
        monkeypatch.setattr(module, "DENSE_FEATURES", 3)
    data = queries(300)
    one = pod.SwappedPairsSVM(C=0.001, tol=1e-11).fit(*data)
    check_same(one, pod.SwappedPairsSVM(C=0.001, tol=1e-11).fit(*(lazy(v, data[2], [20]) for v in data)))


def test_frames_with_ordered_categories(cluster: Any) -> None:
    import pandas as pd

    X, y, qid, _ = queries(300, p=2)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(grade=pd.Categorical(y, ordered=True), query=qid)
    parts = dd.from_pandas(frame.set_index("query", drop=False), npartitions=2)
    model = pod.SwappedPairsSVM(tol=1e-11, C=0.001).fit(parts[["a", "b"]], parts.grade, parts["query"])
    check_same(pod.SwappedPairsSVM(tol=1e-11, C=0.001).fit(X, y, qid), model)
    assert list(model.feature_names_in_) == ["a", "b"]


def test_wrong_partitions_are_refused_and_change_nothing(cluster: Any) -> None:
    X, y, qid, _ = queries(100, q=3)
    model = pod.SwappedPairsSVM()
    cut = [da.from_array(values, chunks=(50, *values.shape[1:])) for values in (X, y, qid)]
    with pytest.raises(ValueError, match=rf"the query {qid[50]} has rows in several partitions"):
        model.fit(*cut)
    with pytest.raises(ValueError, match="need qid"):
        model.fit(*cut[:2])
    with pytest.raises(ValueError, match="no two rows with different labels within a qid"):
        model.fit(cut[0], 0 * cut[1], da.arange(100, chunks=50))
    with pytest.raises(ValueError, match="need kernel='linear'"):
        pod.SwappedPairsSVM("rbf").fit(*cut)
    assert not hasattr(model, "n_features_in_")
