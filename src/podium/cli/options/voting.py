"""What 'podium vote' can be told: the settings of the vote, and where the page is served."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Annotated, Any

import typer

PAGE, JUDGES, SERVER = "The page", "Judges", "The server"


class TextKind(StrEnum):
    text = "text"
    markdown = "markdown"
    code = "code"


@dataclass(frozen=True)
class VoteOptions:
    """The settings of a vote, named as in `Settings`; None leaves a setting as it was."""

    question: Annotated[
        str | None,
        typer.Option(
            help="The question above every pair.", show_default="Which is better?", rich_help_panel=PAGE
        ),
    ] = None
    both_bad: Annotated[
        bool | None, typer.Option(help="Add a fourth button: both are bad.", rich_help_panel=PAGE)
    ] = None
    hide_board: Annotated[
        bool | None, typer.Option(help="Show the board only to the owner.", rich_help_panel=PAGE)
    ] = None
    goal: Annotated[
        str | None,
        typer.Option(
            help="What the votes are for: the order of all items, the best item, or the K best.",
            show_default="ranking",
            metavar="ranking|best|top-K",
            rich_help_panel=PAGE,
        ),
    ] = None
    explore: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, help="Probability of a pair drawn at random.  [0.2]", rich_help_panel=PAGE
        ),
    ] = None
    ask_name: Annotated[bool | None, typer.Option(help="Ask judges for a name.", rich_help_panel=JUDGES)] = (
        None
    )
    consent: Annotated[
        str | None,
        typer.Option(help="A text that judges must agree to; '' for none.", rich_help_panel=JUDGES),
    ] = None
    invited_only: Annotated[
        bool | None, typer.Option(help="Let only people with an invitation vote.", rich_help_panel=JUDGES)
    ] = None
    votes_per_judge: Annotated[
        int | None,
        typer.Option(min=0, help="The most votes of one judge; 0 for no limit.", rich_help_panel=JUDGES),
    ] = None
    votes_per_minute: Annotated[
        int | None,
        typer.Option(
            min=1, help="The most votes of one judge in a minute.", show_default="60", rich_help_panel=JUDGES
        ),
    ] = None
    expires: Annotated[
        float | None,
        typer.Option(
            min=1,
            help="Minutes in which a shown pair can be voted on.",
            show_default="60",
            rich_help_panel=JUDGES,
        ),
    ] = None
    keep_addresses: Annotated[
        bool | None, typer.Option(help="Store the network addresses of judges.", rich_help_panel=JUDGES)
    ] = None

    def changes(self) -> dict[str, Any]:
        """The settings that are given, checked."""
        from podium.vote.nouns import Settings

        given = {name: value for name, value in asdict(self).items() if value is not None}
        if "votes_per_judge" in given:
            given["votes_per_judge"] = given["votes_per_judge"] or None
        if "expires" in given:
            given["expires"] *= 60  # a setting in seconds
        Settings(**given)
        return given


@dataclass(frozen=True)
class ServerOptions:
    """Where the page is served."""

    host: Annotated[
        str,
        typer.Option(
            help="The address to listen on; 0.0.0.0 lets other computers in.", rich_help_panel=SERVER
        ),
    ] = "127.0.0.1"
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0 for any free one.", rich_help_panel=SERVER)
    ] = 8000
    url: Annotated[
        str | None,
        typer.Option(
            help="The address that voters use, such as https://vote.example.org, if a web server passes "
            "their requests on.",
            rich_help_panel=SERVER,
        ),
    ] = None
    open_browser: Annotated[
        bool, typer.Option("--open", help="Open the page in a browser.", rich_help_panel=SERVER)
    ] = False

    def site(self) -> str | None:
        """``--url`` without a slash at its end; an error unless it is the address of a whole site."""
        from urllib.parse import urlsplit

        if self.url is None:
            return None
        parts = urlsplit(self.url)
        more = parts.path.strip("/") or parts.query or parts.fragment
        if parts.scheme not in ("http", "https") or not parts.hostname or more:
            raise ValueError(
                f"--url is the address of a site without a path, such as https://vote.example.org, not "
                f"'{self.url}'"
            )
        return self.url.rstrip("/")
