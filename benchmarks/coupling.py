"""Coupling binary probabilities: podium compared with scipy, and CodedClassifier with scikit-learn.

    python benchmarks/coupling.py [--quick] [--only speed|accuracy]

Speed: the data are rows of binary probabilities for 26 classes and each of the four codes. They come from
case (c) of §6.1 of [GeneralizedBT], and from random class probabilities. scipy solves a sample of the rows
one by one, with L-BFGS-B in log p and exact gradients. Its tolerance is tight enough to bring its largest
gradient close to podium's. Its time is multiplied up to all rows. Both run on one core and measure processor
time, so that other processes do not count.

Accuracy: the data sets and sizes of Table 1 of [GeneralizedBT], from the folder that PODIUM_DATA names. All
classifiers use RBF support vector machines with the same C and gamma, and results are means over splits. The
log loss is that of `predict_proba`, which OneVsOneClassifier and OutputCodeClassifier do not have.
"""

import argparse
import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

import podium as pod
from podium.classes.codes import CODES, make_code
from podium.classes.coupling.couple import solve_coupling
from podium.classes.coupling.likelihood import gradient_in_log_p

SETS = ("dna", "satimage", "segment", "usps", "letter")
C, GAMMA = 8.0, "scale"


# ------------------------------------------------------------------------------------ speed


def one_row_by_scipy(plus: Any, minus: Any, r: Any) -> Any:
    """Solve eq. (4) for one row in log p. The mean of log p is arbitrary and needs no constraint."""
    both = plus + minus
    other = 1 - r

    def value_and_gradient(theta: Any) -> tuple[float, Any]:
        p = np.exp(theta - theta.max())
        q_plus, q_minus = plus @ p, minus @ p
        q = q_plus + q_minus
        value = np.log(q).sum() - r @ np.log(q_plus) - other @ np.log(q_minus)
        return value, p * ((1 / q) @ both - (r / q_plus) @ plus - (other / q_minus) @ minus)

    options = {"maxiter": 5000, "maxfun": 20_000, "ftol": 1e-16, "gtol": 1e-9}
    found = minimize(
        value_and_gradient, np.zeros(plus.shape[1]), jac=True, method="L-BFGS-B",
        bounds=[(-60, 60)] * plus.shape[1], options=options,
    )  # fmt: skip
    p = np.exp(found.x - found.x.max())
    return p / p.sum()


def random_rows(code: Any, n: int, rng: Any) -> Any:
    """Noisy binary probabilities; the class probabilities are Dirichlet draws dominated by few classes."""
    p = rng.dirichlet(np.full(code.shape[1], 0.2), n) + 1e-6
    plus, minus = p @ (code > 0).T, p @ (code < 0).T
    return np.clip(plus / (plus + minus) * (1 + 0.1 * rng.normal(size=plus.shape)), 1e-7, 1 - 1e-7)


def speed(n: int, k: int, sample: int) -> None:
    print(f"{n:,} rows of {k} classes; scipy solves {sample} of them, and its time is scaled to all\n")
    print(
        f"{'code':12} {'rows':8} {'podium s':>9} {'scipy s':>9} {'ratio':>7}  both gradients  scipy is better"
    )
    for name in CODES:
        code = make_code(name, k, random_state=0)
        plus, minus = (code > 0).astype(float), (code < 0).astype(float)
        for kind in ("case c", "random"):
            rng = np.random.default_rng(1)
            case_c = pod.datasets.make_coded_probabilities(code, "c", n, random_state=0)[0]
            r = case_c if kind == "case c" else random_rows(code, n, rng)
            pod.couple(code, r[:2])  # compile first
            start = time.process_time()
            result = solve_coupling(code, r, 1 - r, "generalized-bt", 1e-10, 1000)
            mine = time.process_time() - start
            start = time.process_time()
            peer = np.array([one_row_by_scipy(plus, minus, row) for row in r[:sample]])
            theirs = (time.process_time() - start) * n / sample
            gradient = np.abs(gradient_in_log_p(code, r[:sample], 1 - r[:sample], peer)).max()
            worse = sum(
                objective(code, row, q) < objective(code, row, p) - 1e-9
                for row, p, q in zip(r[:sample], result.solution, peer, strict=False)
            )
            print(
                f"{name:12} {kind:8} {mine:9.3f} {theirs:9.1f} {theirs / mine:6.0f}×  "
                f"{result.gradient_norm:.0e}, {gradient:.0e}    {worse} of {sample}"
            )


def objective(code: Any, r: Any, p: Any) -> float:
    plus, minus = (code > 0) @ p, (code < 0) @ p
    return float(-(r @ np.log(plus / (plus + minus)) + (1 - r) @ np.log(minus / (plus + minus))))


# ------------------------------------------------------------------------------------ accuracy


def load(name: str, folder: Path) -> tuple[Any, Any]:
    import pandas as pd

    files = [f"{name}_train", f"{name}_test"] if name == "usps" else [name]
    table = pd.concat([pd.read_csv(folder / name / f"{file}.csv.gz") for file in files])
    return table.drop(columns="y").to_numpy(dtype=float), table["y"].to_numpy()


def classifiers(seed: int) -> dict[str, Callable[[], Any]]:
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
    from sklearn.svm import SVC

    def svm() -> Any:
        return SVC(C=C, gamma=GAMMA)

    def calibrated() -> Any:
        return CalibratedClassifierCV(svm(), method="sigmoid", cv=5, ensemble=False)

    ours = {
        f"podium {name}": lambda name=name: pod.CodedClassifier(svm(), code=name, random_state=seed)
        for name in CODES
    }
    return {
        **ours,
        "podium one-vs-one wu-lin-weng": lambda: pod.CodedClassifier(
            svm(), code="one-vs-one", method="wu-lin-weng"
        ),
        "OneVsRestClassifier": lambda: OneVsRestClassifier(calibrated()),
        "OneVsOneClassifier": lambda: OneVsOneClassifier(svm()),
        "OutputCodeClassifier": lambda: OutputCodeClassifier(svm(), code_size=1.5, random_state=seed),
        "CalibratedClassifierCV(SVC)": calibrated,
    }


def accuracy(sizes: list[tuple[int, int]], splits: int, sets: tuple[str, ...]) -> None:
    if "PODIUM_DATA" not in os.environ:
        print("\naccuracy: skipped, because PODIUM_DATA does not name a folder with data")
        return
    folder = Path(os.environ["PODIUM_DATA"])
    pod.couple(make_code("one-vs-one", 3), [[0.5, 0.5, 0.5]])  # compile first
    for name in sets:
        X, y = load(name, folder)
        for n_train, n_test in sizes:
            k = len(np.unique(y))
            print(f"\n{name}: {k} classes, {n_train} training rows, {n_test} test rows, {splits} splits")
            print(f"  {'':32} {'error %':>8} {'log loss':>9} {'seconds':>8}")
            rows = [run(X, y, n_train, n_test, seed) for seed in range(splits)]
            for label in rows[0]:
                error, loss, seconds = np.mean([row[label] for row in rows], axis=0)
                shown = "" if np.isnan(loss) else f"{loss:.3f}"
                print(f"  {label:32} {100 * error:8.2f} {shown:>9} {seconds:8.2f}")


def run(X: Any, y: Any, n_train: int, n_test: int, seed: int) -> dict[str, tuple[float, float, float]]:
    """Error, log loss and seconds of every classifier on one split."""
    from sklearn.metrics import log_loss
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler

    X_train, X_test, y_train, y_test = train_test_split(
        X, y, train_size=n_train, test_size=n_test, stratify=y, random_state=seed
    )
    scores = {}
    for label, make in classifiers(seed).items():
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = make_pipeline(MinMaxScaler((-1, 1)), make()).fit(X_train, y_train)
            wrong = float(np.mean(model.predict(X_test) != y_test))
            loss = np.nan
            if hasattr(model, "predict_proba"):
                loss = log_loss(y_test, model.predict_proba(X_test), labels=model.classes_)
        scores[label] = (wrong, float(loss), time.perf_counter() - start)
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer rows, data sets and splits")
    parser.add_argument("--only", choices=["speed", "accuracy"])
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--splits", type=int, default=2)
    options = parser.parse_args()
    if options.only != "accuracy":
        speed(1000 if options.quick else options.rows, 26, 10 if options.quick else 40)
    if options.only != "speed":
        sizes = [(300, 500)] if options.quick else [(300, 500), (800, 1000)]
        accuracy(sizes, 1 if options.quick else options.splits, SETS[:3] if options.quick else SETS)


if __name__ == "__main__":
    main()
