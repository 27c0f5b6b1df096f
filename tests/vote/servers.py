"""Real servers for tests: one in a thread, and processes that can be killed."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from podium.vote import serve
from podium.vote.app import create_app
from podium.vote.opening import Opened, open_vote

PATIENCE = 60.0  # seconds until a test gives up


def soon(holds: Callable[[], bool], patience: float = PATIENCE) -> bool:
    """Whether something becomes true in time."""
    end = time.monotonic() + patience
    while not (found := holds()) and time.monotonic() < end:
        time.sleep(0.01)
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


class Servers:
    """Servers of one database, one after the other, that can be killed.

    They are forks of a process that has imported everything, so that they start in a fraction of a second.
    """

    def __init__(self, source: str) -> None:
        command = [sys.executable, "-m", "tests.vote.servers", source]
        self._spawner = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._pid = 0

    def start(self) -> str:
        """The address of a new server."""
        assert self._spawner.stdin is not None
        assert self._spawner.stdout is not None
        self._spawner.stdin.write("\n")
        self._spawner.stdin.flush()
        pid, port = self._spawner.stdout.readline().split()
        self._pid = int(pid)
        return f"http://127.0.0.1:{port}"

    @property
    def running(self) -> bool:
        try:
            os.kill(self._pid, 0)
        except ProcessLookupError:
            return False
        return self._pid > 0

    def kill(self) -> None:
        """End the server at once, as a power cut would."""
        os.kill(self._pid, signal.SIGKILL)
        assert soon(lambda: not self.running)

    def close(self) -> None:
        if self.running:
            self.kill()
        self._spawner.communicate(timeout=60)


def _spawn(source: str) -> None:
    """Answer every line of the standard input with the process id and the port of one more server."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # killed servers leave nothing behind
    for _ in sys.stdin:
        if os.fork() == 0:
            _serve(source)
            os._exit(0)


def _serve(source: str) -> None:
    opened = open_vote(source)
    listening = serve.listen("127.0.0.1", 0)
    port = listening.getsockname()[1]
    app = create_app(opened.store, opened.settings)
    serve.serve(app, listening, names=serve.LOOPBACK, ready=lambda: print(os.getpid(), port, flush=True))


if __name__ == "__main__":
    _spawn(sys.argv[1])
