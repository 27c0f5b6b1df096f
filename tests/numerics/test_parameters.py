"""For every model, a bad parameter gives an error of one sentence that names it."""

from typing import Any

import numpy as np
import pytest

import podium as pod
from podium.comparers.kernel_machine import KernelMachine
from podium.numerics.parameters import check_not_negative, check_positive, check_share, check_whole, is_number

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(20, 2)), np.arange(20) % 3
PAIRS, OUTCOMES = RNG.normal(size=(20, 2, 2)), RNG.integers(-1, 2, 20)

BAD: list[tuple[Any, str, list[Any]]] = [
    (pod.SVMCompare, "C", ["1", None, [1.0], True, np.nan, 0]),
    (pod.SVMCompare, "tol", [None, "small", 0]),
    (pod.SVMCompare, "max_iter", ["many", None, 2.5, 0]),
    (pod.SVMCompare, "gamma", [None, [1.0], "wide", -1.0]),
    (pod.SVMCompare, "kernel", [3, None, "cosine"]),
    (pod.SVMCompare, "class_weight", [{0: "1"}, {1: None}, 3]),
    (pod.SVMRank, "threshold", [None, "test", [1.0], -1]),
    (pod.SVMCompareLP, "C", ["1", 0]),
    (pod.SVMCompareLP, "l1", [None, "x", -1.0]),
    (pod.OnlineSVMRank, "C", ["1", np.inf]),
    (pod.OnlineSVMRank, "epochs", ["3", 2.5, None]),
    (pod.OnlineSVMRank, "step_size", [None, "big", 0]),
    (pod.OnlineSVC, "horizon", ["1", 0]),
    (pod.PreferenceGame, "ridge", ["1", -1, None]),
    (pod.PreferenceGame, "n_games", ["a", 0, 1.5]),
    (pod.PreferenceGame, "sample_size", [None, "a", 0.0]),
    (pod.PreferenceGame, "feedback", ["a", 2]),
    (pod.HerbrichSVM, "C", ["1", None]),
    (pod.HerbrichSVM, "tol", [None]),
    (pod.HerbrichSVM, "max_iter", ["many"]),
]


@pytest.mark.parametrize(("model", "name", "values"), BAD, ids=lambda part: getattr(part, "__name__", None))
def test_the_parameter_is_named(model: Any, name: str, values: list[Any]) -> None:
    data = (PAIRS, OUTCOMES) if issubclass(model, (KernelMachine, pod.OnlineSVMRank)) else (X, Y)
    for value in values:
        with pytest.raises(ValueError, match=rf"^{name} (.*is|must be) "):
            model(**{name: value}).fit(*data)


@pytest.mark.parametrize(
    ("name", "value"), [("degree", "2"), ("degree", 1.5), ("coef0", None), ("coef0", -1)]
)
def test_parameters_of_the_polynomial_kernel(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"^{name} is a"):
        pod.SVMCompare("poly", **{name: value}).fit(PAIRS, OUTCOMES)


def test_what_is_a_number() -> None:
    numbers = [1, 1.5, 10**30, np.float32(1), np.int8(1), np.nan]
    others = ["1", None, True, np.True_, [1], 1j, np.ones(1)]
    assert all(map(is_number, numbers))
    assert not any(map(is_number, others))


def test_allowed_values_raise_nothing() -> None:
    check_positive("C", np.inf, finite=False)
    check_positive("gamma", "auto", unless=("scale", "auto"))
    check_positive("horizon", None, unless=(None,))
    check_not_negative("ridge", 0)
    check_share("feedback", 1)
    check_whole("epochs", 5.0)


def test_the_sentence_says_what_is_allowed() -> None:
    with pytest.raises(
        ValueError, match=r"^gamma is 'scale', 'auto' or a positive finite number, not 'wide'$"
    ):
        check_positive("gamma", "wide", unless=("scale", "auto"))
    with pytest.raises(ValueError, match=r"^max_iter is a whole number of at least 1, not 'many'$"):
        check_whole("max_iter", "many")
