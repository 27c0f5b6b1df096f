"""The package as a whole: what it loads, and what its command line says."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

import podium
from podium.cli import app

HEAVY = {
    "numpy",
    "pyarrow",
    "pandas",
    "duckdb",
    "sklearn",
    "scipy",
    "matplotlib",
    "numba",
    "narwhals",
    "polars",
}
HEAVY |= {"fastapi", "uvicorn", "sqlalchemy", "jinja2"}  # of the vote page


@pytest.mark.parametrize("what", ["import podium", "import podium.cli"])
def test_heavy_parts_load_lazily(what: str) -> None:
    code = f"import sys; {what}; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not HEAVY & set(out.split())


ARRAYS = """
labels = numpy.array([["ann", "bob", "eve", "bob"], ["bob", "eve", "ann", "ann"]])
podium.Comparisons.from_arrays(*labels, [1.0, 0.0, -1.0, 1.0])
podium.Comparisons.from_arrays(labels[0].astype(object), labels[1].tolist(), numpy.array([1, 0, -1, 1]))
c = podium.Comparisons.from_arrays([7, 8, 9, 8], numpy.array([8, 9, 7, 7]), [1, 0, -1, 1])
"""


@pytest.mark.parametrize(
    ("data", "also_unused"),
    [(ARRAYS, {"duckdb", "podium.reading"}), ("c = podium.datasets.load_chess_club()", set())],
)
def test_a_fit_loads_only_what_it_needs(data: str, also_unused: set[str]) -> None:
    fit = "print(podium.BradleyTerry().fit(c).leaderboard())"
    code = f"import sys, numpy, podium\n{data}\n{fit}\nprint(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    unused = {"matplotlib", "rich.console", "pydantic"}  # scikit-learn loads pandas and scipy.stats
    assert not (unused | also_unused) & set(out.split())


def test_public_names_exist() -> None:
    for name in podium.__all__:
        assert getattr(podium, name) is not None
    for name in podium.datasets.__all__:
        assert callable(getattr(podium.datasets, name))


def test_help_and_version() -> None:
    runner = CliRunner()
    assert "demo" in runner.invoke(app, ["--help"]).output
    assert podium.__version__ in runner.invoke(app, ["--version"]).output


def test_module_runs_as_a_command() -> None:
    command = [sys.executable, "-m", "podium", "--version"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert out.split() == ["podium", podium.__version__]
