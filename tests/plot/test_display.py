import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from podium.plot import CalibrationDisplay, LeaderboardDisplay, WinMatrixDisplay, save_figure
from tests.plot.drawing import board, chances, drawn, names, predictions

pytest.importorskip("matplotlib")

HOSTILE = ["=1+1", "a|b", "<script>", "two\nlines", "Ωmega é ½", "$\\frac$", ("ann", "bob")]
SHOWN = ["=1+1", "a|b", "<script>", "two\\nlines", "Ωmega é ½", "$\\frac$", "ann + bob"]


def displays() -> list[Any]:
    return [
        LeaderboardDisplay.from_leaderboard(board(HOSTILE, title="$ and $\\frac$")),
        WinMatrixDisplay.from_matrix(HOSTILE, chances(len(HOSTILE))),
        CalibrationDisplay.from_predictions(*predictions()),
    ]


def test_hostile_names_are_shown_as_they_are(tmp_path: Path) -> None:
    leaderboard, matrix, _ = displays()
    assert names(leaderboard.ax_.yaxis) == names(matrix.ax_.yaxis) == names(matrix.ax_.xaxis) == SHOWN
    for number, display in enumerate((leaderboard, matrix)):
        assert drawn(display)
        save_figure(display.figure_, tmp_path / f"{number}.svg")
        assert "<script>" not in (tmp_path / f"{number}.svg").read_text(encoding="utf-8")


def test_displays_draw_on_given_axes_and_again() -> None:
    from matplotlib.figure import Figure

    for display in displays():
        own = display.ax_
        ax = Figure().add_subplot()
        assert display.plot(ax) is display
        assert display.ax_ is ax
        assert display.figure_ is ax.figure
        assert display._repr_png_() is None  # pyplot shows a figure that it was given
        assert len(ax.texts) == len(own.texts)


def test_displays_work_in_threads_and_without_pyplot(tmp_path: Path) -> None:
    def draw(number: int) -> bytes:
        path = tmp_path / f"{number}.png"
        save_figure(displays()[number % 3].figure_, path, dpi=60)
        return path.read_bytes()

    loaded = "matplotlib.pyplot" in sys.modules
    with ThreadPoolExecutor(4) as pool:
        pictures = list(pool.map(draw, range(6)))
    assert pictures[:3] == pictures[3:]
    assert ("matplotlib.pyplot" in sys.modules) == loaded


@pytest.mark.parametrize(
    ("name", "start"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.PNG", b"\x89PNG")]
)
def test_save_figure(name: str, start: bytes, tmp_path: Path) -> None:
    save_figure(displays()[0].figure_, tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(start)
    assert len(list(tmp_path.iterdir())) == 1


def test_save_figure_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "a.png"
    path.write_bytes(b"before")
    figure = displays()[0].figure_
    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        save_figure(figure, path)
    with pytest.raises(ValueError, match=re.escape("ends in none of .png and .svg; choose one of them")):
        save_figure(figure, tmp_path / "a.pdf")
    with pytest.raises(ValueError, match="there is no folder"):
        save_figure(figure, tmp_path / "no" / "a.png")
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    sentence = re.escape("plots need matplotlib: pip install 'podium-learn[plot]'")
    with pytest.raises(ImportError, match=f"^{sentence}$"):
        LeaderboardDisplay.from_leaderboard(board(["a"]))
    with pytest.raises(ImportError, match=f"^{sentence}$"):
        WinMatrixDisplay.from_matrix(["a"], [[0.5]])
    with pytest.raises(ImportError, match=f"^{sentence}$"):
        CalibrationDisplay.from_predictions(*predictions())
