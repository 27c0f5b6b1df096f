"""Files are replaced completely; pipes and devices are written to."""

import os
import threading
from pathlib import Path

import pytest

from podium.writing.atomic import checked_path, write_whole


def test_a_file_is_replaced_and_a_link_stays_one(tmp_path: Path) -> None:
    target, link = tmp_path / "a.txt", tmp_path / "link.txt"
    target.write_bytes(b"before")
    target.chmod(0o640)
    link.symlink_to(target)
    write_whole(link, b"after")
    assert link.is_symlink()
    assert target.read_bytes() == b"after"
    assert target.stat().st_mode & 0o777 == 0o640
    assert {path.name for path in tmp_path.iterdir()} == {"a.txt", "link.txt"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, b"through")
    reader.join(timeout=10)
    assert read == [b"through"]
    assert pipe.is_fifo()


def test_an_unwritable_target_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loop, dangling, fine = (tmp_path / f"{name}.csv" for name in ("loop", "dangling", "fine"))
    loop.symlink_to(loop)
    with pytest.raises(ValueError, match="a link that leads back to itself"):
        checked_path(loop, [".csv"])
    dangling.symlink_to(tmp_path / "gone" / "there.csv")
    with pytest.raises(ValueError, match=r"there is no folder '.*gone' for the file 'there.csv'"):
        checked_path(dangling, [".csv"])
    fine.symlink_to(tmp_path / "there.csv")
    assert checked_path(fine, [".csv"]) == fine
    (tmp_path / "there.csv").touch()
    for place in (tmp_path, tmp_path / "there.csv"):
        monkeypatch.setattr(os, "access", lambda path, mode, locked=place: Path(path) != locked)
        with pytest.raises(ValueError, match=f"there is no permission to write to '{place}'"):
            checked_path(fine, [".csv"])
