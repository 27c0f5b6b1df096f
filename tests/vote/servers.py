"""Real servers for tests: one in a thread, and one in a process that can be killed."""

import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from podium.vote import serve
from podium.vote.app import create_app
from podium.vote.opening import Opened

PATIENCE = 60.0  # seconds until a test gives up


def soon(holds: Callable[[], bool], patience: float = PATIENCE) -> bool:
    """Whether something becomes true in time."""
    end = time.monotonic() + patience
    while not (found := holds()) and time.monotonic() < end:
        time.sleep(0.02)
    return found


@contextmanager
def in_thread(opened: Opened, names: tuple[str, ...] = serve.LOOPBACK) -> Iterator[int]:
    """The port of a server that runs in this process."""
    servers: list[serve._Server] = []
    ready = threading.Event()

    class Recorded(serve._Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            servers.append(self)
            await super().startup(sockets)

    app = create_app(opened.store, opened.settings)
    listening = serve.listen("127.0.0.1", 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(serve, "_Server", Recorded)
        thread = threading.Thread(
            target=serve.serve, args=(app, listening), kwargs={"names": names, "ready": ready.set}
        )
        thread.start()
        try:
            assert ready.wait(PATIENCE)
            yield listening.getsockname()[1]
        finally:
            servers[0].should_exit = True
            thread.join(PATIENCE)
            listening.close()
            assert not thread.is_alive()


class Process:
    """`podium vote` in a process of its own."""

    def __init__(self, source: str, folder: Path, *options: str) -> None:
        self._said = folder / f"server-{time.monotonic_ns()}.txt"
        command = [sys.executable, "-m", "podium", "vote", *options, "--db", source, "--port", "0"]
        with self._said.open("wb") as file:
            self.process = subprocess.Popen(
                command, stdout=file, stderr=file, env={**os.environ, "PYTHONUNBUFFERED": "1"}
            )

    @property
    def said(self) -> str:
        return self._said.read_text("utf-8")

    def address(self) -> str:
        """Where the page is, once it is served."""
        assert soon(lambda: "Stop with Ctrl-C" in self.said or self.process.poll() is not None)
        found = re.search(r"http://127\.0\.0\.1:\d+", self.said)
        assert found, self.said
        return found[0]

    @property
    def owner(self) -> str:
        """The path of the owner's page."""
        found = re.search(r"/owner/\S+", self.said)
        assert found, self.said
        return found[0]

    def kill(self) -> None:
        """End the process at once, as a power cut would."""
        self.process.kill()
        self.process.wait(PATIENCE)
