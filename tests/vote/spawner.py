"""Starts servers of a vote that can be killed: `python -m tests.vote.spawner DATABASE`.

Each line on its standard input asks for one more server, and is answered with its process id and its port.
Everything is imported once, and the servers are forks, so that they start in a fraction of a second.
"""

import os
import signal
import sys

from podium.vote.app import create_app
from podium.vote.opening import open_vote
from podium.vote.serve import LOOPBACK, listen, serve


def main(source: str) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # killed servers leave nothing behind
    for _ in sys.stdin:
        if os.fork() == 0:
            _serve(source)
            os._exit(0)


def _serve(source: str) -> None:
    opened = open_vote(source)
    listening = listen("127.0.0.1", 0)
    port = listening.getsockname()[1]
    app = create_app(opened.store, opened.settings)
    serve(app, listening, names=LOOPBACK, ready=lambda: print(os.getpid(), port, flush=True))


if __name__ == "__main__":
    main(sys.argv[1])
