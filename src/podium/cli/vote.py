"""podium vote: a page that collects votes."""

import signal
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from podium.cli.options.reading import option, reads
from podium.cli.options.voting import ServerOptions, VoteOptions
from podium.cli.output.errors import INTERRUPTED, sentences
from podium.cli.output.screen import busy, console, plain

if TYPE_CHECKING:
    import socket

    from fastapi import FastAPI
    from rich.console import Console

    from podium.vote.nouns import Shown
    from podium.vote.opening import Opened


TextKind = Literal["text", "markdown", "code"]


@reads
def vote(
    settings: VoteOptions,
    server: ServerOptions,
    items: Annotated[
        Path | None,
        typer.Argument(
            help="What is compared: a folder of texts, code or images, a table of items, or the answers of "
            "several models to the same prompts. Leave it out to go on with an earlier vote.",
            show_default=False,
        ),
    ] = None,
    db: Annotated[
        str | None, option("The database: a SQLite file, or postgresql://…", show_default="votes.db")
    ] = None,
    demo: Annotated[bool, option("Show a vote that comes with podium.", "--demo")] = False,
    kind: Annotated[
        TextKind | None,
        option("How texts are shown; by default files and columns tell by their names.", "--as"),
    ] = None,
) -> None:
    """Serve a page that collects votes: two things side by side, and a board that follows the votes.

    Most pairs are those whose votes help most, some are random. Every vote is in the database before it is
    confirmed. Stop with Ctrl-C and start again at any time: items, votes and settings are kept. The owner's
    page adds and withdraws items, invites judges and downloads the votes; 'podium rank votes.db' ranks them.
    """
    screen = console()
    with _ended_by_sigterm(), _database(db, demo) as source, ExitStack() as closing:
        with sentences(), _explained(source):  # warnings are said before the page is served
            changes = settings.changes()
            server.site()  # raises an error if it is wrong
            _check_source(source, items, demo)
            with busy(screen, "starting"):
                from podium.vote.app import create_app
                from podium.vote.items import read_items
                from podium.vote.opening import open_vote
                from podium.vote.serve import listen

                listening = closing.enter_context(listen(server.host, server.port))
                shown = [] if items is None else read_items(items, kind)
                opened = _open_demo(source, changes) if demo else open_vote(source, shown, changes)
                closing.callback(opened.store.close)
                app = create_app(opened.store, opened.settings, server.site())
            if demo:
                screen.print("The demo starts with simulated votes, so that its board has something to show.")
            else:
                screen.print(plain(_what_is_there(source, opened, shown)))
            _warn_of_http(server)
        try:
            _serve(screen, app, opened, listening, server)
        except KeyboardInterrupt:
            raise SystemExit(INTERRUPTED) from None
        finally:
            screen.print(_farewell(source, demo and db is None), soft_wrap=True)


# ------------------------------------------------------------------------------------ start


@contextmanager
def _database(db: str | None, demo: bool) -> Iterator[str]:
    """The database; that of a demo is thrown away."""
    if db is not None or not demo:
        yield db or "votes.db"
        return
    with tempfile.TemporaryDirectory(prefix="podium-") as folder:
        yield str(Path(folder) / "votes.db")


def _check_source(source: str, items: Path | None, demo: bool) -> None:
    if demo and items is not None:
        raise ValueError("--demo has items of its own; leave out ITEMS or --demo")
    if items is None and not demo and "://" not in source and not Path(source).exists():
        raise ValueError(
            "there is nothing to vote on; name a folder or a table of items, or with --db the database of an "
            f"earlier vote ('{source}' does not exist); podium vote --demo shows how it works"
        )


def _open_demo(source: str, changes: dict[str, Any]) -> "Opened":
    from podium.vote.demo import DEMO_QUESTION, demo_items, store_demo_votes
    from podium.vote.opening import open_vote

    opened = open_vote(source, demo_items(), {"question": DEMO_QUESTION, **changes})
    opened.store.write(store_demo_votes).result()
    return opened


def _what_is_there(source: str, opened: "Opened", shown: "list[Shown]") -> str:
    """How many items there are, with a warning if some of them are not among those that were just read."""
    from podium.comparisons.messages import listed
    from podium.comparisons.summary import counted
    from podium.vote.database.catalogue import load_catalogue

    with opened.store.read() as connection:
        catalogue = load_catalogue(connection)
    known = {catalogue.names[item] for item in catalogue.items}
    if shown and (others := sorted(known - {one.item for one in shown})):
        warnings.warn(
            f"also shown, from an earlier start: {listed(others)}; withdraw items on the owner's page, or "
            "start another vote with --db",
            stacklevel=1,
        )
    new = f", {opened.added.items:,} new" if opened.added.items else ""
    return f"{_public(source)} has {counted(len(known), 'item')}{new}"


# ------------------------------------------------------------------------------------ serve


def _warn_of_http(server: ServerOptions) -> None:
    from podium.vote.serve import is_loopback

    if not is_loopback(server.host) and not (server.site() or "").startswith("https:"):
        warnings.warn(
            "everyone on the network can open the page, and read what others send to it; for more than a "
            "trusted network, put a web server with HTTPS in front and give its address with --url https://…",
            stacklevel=1,
        )


def _serve(
    screen: "Console", app: "FastAPI", opened: "Opened", listening: "socket.socket", server: ServerOptions
) -> None:
    import webbrowser
    from urllib.parse import urlsplit

    from podium.vote.serve import LOOPBACK, is_loopback, serve

    port = listening.getsockname()[1]
    address = server.address(port)

    def ready() -> None:
        # With --hide-board, only the owner's page has the board.
        board = "" if opened.settings.hide_board else f"Board: {address}/board\n"
        links = f"Vote:  {address}/\n{board}Owner: {address}/owner/{opened.owner}"
        screen.print(plain(links), soft_wrap=True)  # a link stays on one line
        if server.url:
            screen.print(f"The page listens on {server.host}, port {port}.")
        screen.print("Keep the owner's link secret. Stop with Ctrl-C.")
        if server.open_browser:
            webbrowser.open(address)

    names = (*LOOPBACK, str(urlsplit(address).hostname)) if is_loopback(server.host) else ()
    serve(app, listening, names=names, ready=ready)


# ------------------------------------------------------------------------------------ end


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """SIGTERM ends the command as an exception, so that it cleans up after itself."""

    def end(number: int, _: Any) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _explained(source: str) -> Iterator[None]:
    """Errors of the vote page in the words of the command line."""
    from podium.vote.nouns import StoreError

    try:
        yield
    except ModuleNotFoundError as error:
        raise ImportError(f"the vote page needs {error.name}: pip install 'podium-learn[vote]'") from None
    except StoreError as error:
        said = str(error)
        said = f"{said[:1].lower()}{said[1:]}".rstrip(".").replace(". ", "; ")
        name = _public(source)
        raise ValueError(said if name in said else f"'{name}' cannot be used: {said}") from None


def _farewell(source: str, thrown_away: bool) -> Any:
    if thrown_away:
        return "The votes of the demo are deleted. For a vote of your own: podium vote FOLDER"
    return plain(f"The votes are in {_public(source)}; rank them with: podium rank {quote(_public(source))}")


def _public(source: str) -> str:
    """The database without its password."""
    from podium.reading.sources.paths import without_password

    return without_password(source)
