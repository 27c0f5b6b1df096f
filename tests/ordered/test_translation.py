"""The origin of the features does not matter for models of ordered labels either."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import podium as pod

RNG = np.random.default_rng(0)
X = RNG.integers(-20, 20, size=(80, 20)).astype(float)
Y = np.digitize(X[:, 0] + 2 * X[:, 1] + RNG.normal(size=80), [-20, 0, 20])


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("at", [1e8, 1.7e12])
@pytest.mark.parametrize(
    "model",
    [
        pod.SwappedPairsSVM(C=0.01, random_state=0),
        pod.SwappedPairsSVM("rbf", random_state=0),
        pod.HerbrichSVM(C=0.01, random_state=0),
        pod.HerbrichSVM(kernel="rbf", random_state=0),
        pod.OrdinalSVM(C=0.01),
        pod.OrdinalSVM(kernel="rbf"),
        pod.PreferenceGame("rbf", gamma=1e-3, ridge=0.1),
    ],
)
def test_far_from_0_the_fit_is_the_same(model: Any, at: float, sparse: bool) -> None:
    far = csr_array(X + at) if sparse else X + at
    model.fit(X, Y)
    objective, predicted = model.result_.objective, model.predict(X)
    there = model.fit(far, Y)
    assert there.result_.converged
    assert there.result_.objective == pytest.approx(objective, rel=1e-3)
    if hasattr(there, "classes_"):
        np.testing.assert_array_equal(there.predict(far), predicted)
    else:
        assert np.corrcoef(there.predict(far), predicted)[0, 1] > 0.9999
