"""podium vote: a page that collects votes."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.output.errors import sentences
from podium.cli.output.screen import busy, console, plain

if TYPE_CHECKING:
    from rich.console import Console

    from podium.vote.opening import Opened

PAGE, JUDGES, SERVER = "The page", "Judges", "The server"


def vote(
    items: Annotated[
        Path | None,
        typer.Argument(
            help="What is compared: a folder of texts, code or images, a table of items, or the answers of "
            "several models to the same prompts. Without it, the database goes on with its own.",
            show_default=False,
        ),
    ] = None,
    db: Annotated[
        str | None,
        typer.Option(
            help="The database: a SQLite file, or postgresql://…  [default: votes.db]", show_default=False
        ),
    ] = None,
    demo: Annotated[bool, typer.Option("--demo", help="Show a vote that comes with podium.")] = False,
    kind: Annotated[
        str | None,
        typer.Option("--as", help="Show texts as text, markdown or code.", metavar="text|markdown|code"),
    ] = None,
    question: Annotated[
        str | None, typer.Option(help="The question above every pair.", rich_help_panel=PAGE)
    ] = None,
    both_bad: Annotated[
        bool | None, typer.Option(help="A fourth button: both are bad.", rich_help_panel=PAGE)
    ] = None,
    hide_board: Annotated[
        bool | None, typer.Option(help="Show the board only to the owner.", rich_help_panel=PAGE)
    ] = None,
    goal: Annotated[
        str | None,
        typer.Option(help="What the votes are for.", metavar="ranking|best|top-K", rich_help_panel=PAGE),
    ] = None,
    explore: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Probability of a pair drawn at random.", rich_help_panel=PAGE),
    ] = None,
    ask_name: Annotated[
        bool | None, typer.Option(help="Ask judges for a name.", rich_help_panel=JUDGES)
    ] = None,
    consent: Annotated[
        str | None, typer.Option(help="A text that judges must agree to.", rich_help_panel=JUDGES)
    ] = None,
    invited_only: Annotated[
        bool | None,
        typer.Option(help="Let only people with an invitation vote.", rich_help_panel=JUDGES),
    ] = None,
    votes_per_judge: Annotated[
        int | None, typer.Option(min=1, help="The most votes of one judge.", rich_help_panel=JUDGES)
    ] = None,
    votes_per_minute: Annotated[
        int | None,
        typer.Option(min=1, help="The most votes of one judge in a minute.", rich_help_panel=JUDGES),
    ] = None,
    expires: Annotated[
        float | None,
        typer.Option(min=1, help="Minutes in which a shown pair can be voted on.", rich_help_panel=JUDGES),
    ] = None,
    keep_addresses: Annotated[
        bool | None, typer.Option(help="Store the network addresses of judges.", rich_help_panel=JUDGES)
    ] = None,
    host: Annotated[
        str,
        typer.Option(help="The address to listen on; 0.0.0.0 for all networks.", rich_help_panel=SERVER),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0 for any.", rich_help_panel=SERVER)
    ] = 8000,
    url: Annotated[
        str | None,
        typer.Option(
            help="The address that voters use, such as https://vote.example.org, if another server passes "
            "requests on.",
            rich_help_panel=SERVER,
        ),
    ] = None,
    open_browser: Annotated[
        bool, typer.Option("--open", help="Open the page.", rich_help_panel=SERVER)
    ] = False,
) -> None:
    """Serve a page that collects votes: two things side by side, and a board that follows the votes.

    Pairs are chosen where votes help most, and partly at random. Every vote is in the database before it is
    confirmed. Stop with Ctrl-C and start again at any time; settings, items and votes are kept. The owner's
    page adds and withdraws items, invites judges and downloads the votes; 'podium rank votes.db' ranks them.
    """
    changes = {
        "question": question,
        "both_bad": both_bad,
        "hide_board": hide_board,
        "goal": goal,
        "explore": explore,
        "ask_name": ask_name,
        "consent": consent,
        "invited_only": invited_only,
        "votes_per_judge": votes_per_judge,
        "votes_per_minute": votes_per_minute,
        "expires": None if expires is None else 60 * expires,
        "keep_addresses": keep_addresses,
    }
    given = {name: value for name, value in changes.items() if value is not None}
    screen = console()
    with _database(db, demo) as source:
        with sentences():  # warnings about items are said before the page is served
            opened = _open(screen, source, items, demo, kind, given)
        with sentences():
            _serve(screen, opened, (host, port), url, open_browser)
        if not demo:
            screen.print(plain(f"The votes are in {source}; rank them with: podium rank {quote(source)}"))


@contextmanager
def _database(db: str | None, demo: bool) -> Iterator[str]:
    """The database; that of a demo is thrown away."""
    if db is not None or not demo:
        yield db or "votes.db"
        return
    with tempfile.TemporaryDirectory(prefix="podium-") as folder:
        yield str(Path(folder) / "votes.db")


def _open(
    screen: "Console", source: str, items: Path | None, demo: bool, kind: str | None, changes: dict[str, Any]
) -> "Opened":
    from podium.vote.demo import DEMO_QUESTION, demo_items, store_demo_votes
    from podium.vote.items import read_items
    from podium.vote.opening import open_vote

    if demo and items is not None:
        raise ValueError("--demo has items of its own; leave out ITEMS or --demo")
    if items is None and not demo and "://" not in source and not Path(source).exists():
        raise ValueError(
            "there is nothing to vote on; name a folder or a table of items, or with --db a database of an "
            f"earlier vote ('{source}' does not exist); podium vote --demo shows how it works"
        )
    with busy(screen, "reading"):
        shown = demo_items() if demo else [] if items is None else read_items(items, kind)
        opened = open_vote(source, shown, {"question": DEMO_QUESTION, **changes} if demo else changes)
    new = opened.added
    if demo:
        opened.store.write(store_demo_votes).result()
        screen.print("The demo starts with simulated votes, so that its board has something to show.")
    elif new.contents:
        screen.print(plain(f"{new.items:,} new items with {new.contents:,} things to show in {source}"))
    return opened


def _serve(
    screen: "Console", opened: "Opened", where: tuple[str, int], url: str | None, open_browser: bool
) -> None:
    import webbrowser
    from urllib.parse import urlsplit

    from podium.vote.app import create_app
    from podium.vote.serve import LOOPBACK, is_loopback, listen, serve

    host, port = where
    listening = listen(host, port)
    local = is_loopback(host)
    public = (
        url.rstrip("/")
        if url
        else f"http://{host if ':' not in host else f'[{host}]'}:{listening.getsockname()[1]}"
    )
    if not local and not public.startswith("https:"):
        warn = (
            "Everyone who can reach this machine can open the page, and others can read what they send. Put a "
            "server with HTTPS in front of it, and give its address with --url https://…"
        )
        screen.print(plain(warn), style="yellow")
    names = (*LOOPBACK, str(urlsplit(public).hostname)) if local else ()

    def ready() -> None:
        screen.print(plain(f"Vote:  {public}/\nBoard: {public}/board\nOwner: {public}/owner/{opened.owner}"))
        screen.print("Keep the owner's link secret. Stop with Ctrl-C.")
        if open_browser:
            webbrowser.open(public)

    serve(create_app(opened.store, opened.settings), listening, names=names, ready=ready)
