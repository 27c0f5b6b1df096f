"""Many fits give the same result on every backend of joblib, to the last bit."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import joblib
import numpy as np
import pytest
from joblib.parallel import ThreadingBackend
from numpy.typing import NDArray
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

import podium as pod
from podium.datasets import make_norm_comparisons
from podium.evaluation import walk_forward
from podium.numerics.tasks import Shared, n_workers, run_tasks
from podium.skill.fit import ExistenceWarning
from tests.dask_cluster import two_workers

pytestmark = pytest.mark.xdist_group("dask")  # one cluster for all

BACKENDS = ["threading", "dask"]


@contextmanager
def running_on(backend: str) -> Iterator[None]:
    """Two workers of this backend."""
    if backend == "dask":
        with two_workers(), joblib.parallel_config(backend="dask"):
            yield
    else:
        with joblib.parallel_config(backend=backend, n_jobs=2):
            yield


# ------------------------------------------------------------------------------------ the four


def games(n_items: int = 30, n: int = 600) -> pod.Comparisons:
    rng = np.random.default_rng(0)
    left = rng.integers(0, n_items, n)
    right = (left + rng.integers(1, n_items, n)) % n_items
    skill = np.linspace(0, 2, n_items)
    outcome = np.sign(np.round(skill[right] - skill[left] + rng.logistic(size=n), 0)).astype(np.int8)
    return pod.Comparisons.from_codes(
        np.arange(n_items), left, right, outcome, time=np.arange(n), group=rng.integers(0, 40, n)
    )


def rows() -> list[NDArray[Any]]:
    found = pod.BradleyTerry().fit(games()).bootstrap(40, random_state=1)
    return [found.samples, found.tie]


def groups() -> list[NDArray[Any]]:
    found = pod.BradleyTerry(order_effect=True).fit(games()).bootstrap(40, random_state=1, groups=True)
    return [found.samples, found.tie, found.order_effect]


def poor_resamples() -> list[NDArray[Any]]:
    """Few games: many resamples need a prior and the full solver."""
    found = pod.BradleyTerry().fit(games(8, 50)).bootstrap(40, random_state=1)
    assert found.with_prior
    return [found.samples, np.array(found.with_prior)]


def large() -> list[NDArray[Any]]:
    """Arrays of more than a megabyte are read-only and mapped to files in the workers of loky."""
    found = pod.BradleyTerry().fit(games(700, 150_000)).bootstrap(8, random_state=1)
    return [found.samples]


def rankings() -> list[NDArray[Any]]:
    table = pod.Rankings.from_scores(np.random.default_rng(0).normal(size=(60, 6)).round(1))
    found = pod.PlackettLuce().fit(table).bootstrap(20, random_state=1)
    return [found.samples, found.tie]


def grid() -> list[NDArray[Any]]:
    train, validation = (make_norm_comparisons(40, random_state=seed) for seed in range(2))
    told: list[int] = []
    found = pod.compare_grid(
        pod.SVMCompare(),
        train,
        validation,
        C=[1, 10],
        gamma=[0.01, 0.1, 1],
        progress=lambda done, of: told.append(done),
    )
    assert told[-1] == 6
    best = found.best_estimator
    numbers = [found.best_C, found.best_gamma, found.gap]
    return [found.validation_error, found.fallback, np.array(numbers), best.decision_function(validation)]


def walk() -> list[NDArray[Any]]:
    told: list[int] = []
    found = walk_forward(
        pod.BradleyTerry(), games(), refits=4, progress=lambda done, of: told.append(done), n_bootstrap=20
    )
    assert told == [1, 2, 3, 4]
    assert found.probability is not None
    return [found.probability, found.to_frame()["low"].to_numpy()]


def coded() -> list[NDArray[Any]]:
    X, y = load_iris(return_X_y=True)
    model = pod.CodedClassifier(LogisticRegression(), code="one-vs-one").fit(X, y)
    return [model.predict_proba(X)]


@cache
def plain(fits: Callable[[], list[NDArray[Any]]]) -> list[NDArray[Any]]:
    return fits()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("fits", [rows, groups, poor_resamples, large, rankings, grid, walk, coded])
def test_every_backend_gives_the_result_of_one_process(
    fits: Callable[[], list[NDArray[Any]]], backend: str
) -> None:
    expected = plain(fits)
    with running_on(backend):
        found = fits()
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


# ------------------------------------------------------------------------------------ how they run


@pytest.mark.parametrize("backend", ["loky", "dask"])
def test_warnings_of_workers_are_given_again_here(backend: str) -> None:
    c = pod.Comparisons.from_arrays(list("aaaabbbb"), list("bbbbcccc"), [-1, -1, -1, -1, -1, -1, 1, 1])
    with running_on(backend), pytest.warns(ExistenceWarning, match="of 'a'.* have no finite"):
        walk_forward(pod.BradleyTerry(), c, test_share=0.3, refits=2, n_bootstrap=5)


def test_what_tasks_share_is_sent_to_dask_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Objects seem small to Dask, so it would otherwise send the data with every task."""
    sent: list[Any] = []
    model = pod.BradleyTerry().fit(games())
    with running_on("dask"), two_workers() as client:
        scatter = client.scatter

        def noted(value: Any, **options: Any) -> Any:
            sent.append(value)
            return scatter(value, **options)

        monkeypatch.setattr(client, "scatter", noted)
        model.bootstrap(40, random_state=1)
    assert [type(each) for each in sent] == [Shared]


class AllAtOnce(ThreadingBackend):  # type: ignore[misc]
    """A backend that cannot return results as they come, like those of multiprocessing and Ray."""

    supports_return_generator = False


@pytest.mark.parametrize("fits", [rows, grid, walk])
def test_a_backend_may_return_all_results_at_once(fits: Callable[[], list[NDArray[Any]]]) -> None:
    with joblib.parallel_config(backend=AllAtOnce(), n_jobs=2):
        found = fits()
    for one, other in zip(found, plain(fits), strict=True):
        np.testing.assert_array_equal(one, other)


def test_without_a_backend_the_tasks_run_here() -> None:
    here: list[int] = []

    def note(shared: int, task: int) -> None:
        here.append(shared + task)

    assert n_workers(None) == 1
    assert len(list(run_tasks(note, 1, range(3)))) == 3
    assert here == [1, 2, 3]
