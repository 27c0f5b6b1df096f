"""An experiment that takes no time."""

from collections.abc import Callable

from experiments.experiment import Experiment, Report


def squares(compute: Callable[[int], dict[str, float]]) -> Experiment:
    return Experiment(
        name="squares",
        paper="A paper",
        title="Table 1: squares",
        cells=lambda quick: [{"x": x} for x in range(2 if quick else 4)],
        compute=compute,
        report=lambda frame: Report(f"The largest is {frame['square'].max():g}.", frame[["x", "square"]]),
    )


def square(x: int) -> dict[str, float]:
    return {"square": x * x}


def never(x: int) -> dict[str, float]:
    raise AssertionError(f"cell {x} was finished and is computed again")
