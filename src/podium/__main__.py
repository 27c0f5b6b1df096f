"""The command `podium`, and `python -m podium`: ready for Ctrl-C before anything heavy is loaded."""

import os
import sys

INTERRUPTED = 130  # what shells say of Ctrl-C


def main() -> None:
    """Run the command line. Ctrl-C ends it in one sentence, whatever it was loading or computing."""
    try:
        import signal

        from podium import cli

        cli.main()
    except KeyboardInterrupt:  # before a command has begun; later the command says it
        print("podium: interrupted; nothing was written", file=sys.stderr)
        _leave()
    except SystemExit as end:
        if end.code == INTERRUPTED:
            _leave()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done, and Python only tidies up
        raise


def _leave() -> None:
    """At once: threads may still compute, and Python would end by the signal after some of these."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
