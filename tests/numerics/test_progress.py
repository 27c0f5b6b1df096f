import pytest

from podium.numerics.progress import progress_of


def test_progress_can_be_a_bar_a_function_or_nothing(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    with progress_of(False, "games") as tell:
        assert tell is None
    seen = []
    with progress_of(lambda done, of: seen.append((done, of)), "games") as tell:
        assert tell is not None
        tell(1, 2)
    assert seen == [(1, 2)]
    with progress_of(True, "games") as tell:
        assert tell is not None
        for k in range(3):
            tell(k + 1, 3)
    out, err = capfd.readouterr()
    assert out == ""
    assert "games" in err
    assert "3 of 3" in err


def test_there_is_no_bar_without_a_terminal(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    with progress_of(True, "games") as tell:
        assert tell is not None
        tell(3, 3)
    assert "games" not in capfd.readouterr().err
