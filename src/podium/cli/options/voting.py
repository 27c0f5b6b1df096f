"""What 'podium vote' can be told: the settings of the vote, and where the page is served."""

from dataclasses import asdict, dataclass
from functools import partial
from typing import Annotated, Any

from podium.cli.options.reading import option

_of_page, _of_judges = partial(option, panel="The page"), partial(option, panel="Judges")
_of_server = partial(option, panel="The server")


@dataclass(frozen=True)
class VoteOptions:
    """The settings of a vote, named as in `Settings`; None leaves a setting as it was."""

    question: Annotated[
        str | None, _of_page("The question above every pair.", show_default="Which is better?")
    ] = None
    both_bad: Annotated[bool | None, _of_page("Add one more button: both are bad.")] = None
    grades: Annotated[
        int | None, _of_page("Ask how much better a side is: 5 buttons, keys 1 to 5.", metavar="3|5")
    ] = None
    hide_board: Annotated[bool | None, _of_page("Show the board only to the owner.")] = None
    goal: Annotated[
        str | None,
        _of_page(
            "What the votes are for: the order of all items, the best item, or the K best.",
            show_default="ranking",
            metavar="ranking|best|top-K",
        ),
    ] = None
    explore: Annotated[
        float | None, _of_page("Probability of a pair drawn at random.  [0.2]", min=0, max=1)
    ] = None
    ask_name: Annotated[bool | None, _of_judges("Ask judges for a name.")] = None
    consent: Annotated[str | None, _of_judges("A text that judges must agree to; '' for none.")] = None
    invited_only: Annotated[bool | None, _of_judges("Let only people with an invitation vote.")] = None
    votes_per_judge: Annotated[
        int | None, _of_judges("The most votes of one judge; 0 for no limit.", min=0)
    ] = None
    votes_per_minute: Annotated[
        int | None, _of_judges("The most votes of one judge in a minute.", min=1, show_default="60")
    ] = None
    expires: Annotated[
        float | None, _of_judges("Minutes in which a shown pair can be voted on.", min=1, show_default="60")
    ] = None
    keep_addresses: Annotated[bool | None, _of_judges("Store the network addresses of judges.")] = None

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

    host: Annotated[str, _of_server("The address to listen on; 0.0.0.0 lets other computers in.")] = (
        "127.0.0.1"
    )
    port: Annotated[int, _of_server("The port; 0 for any free one.", min=0, max=65535)] = 8000
    url: Annotated[
        str | None,
        _of_server(
            "The address that voters use, such as https://vote.example.org, if a web server passes their "
            "requests on."
        ),
    ] = None
    open_browser: Annotated[bool, _of_server("Open the page in a browser.", "--open")] = False

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

    def address(self, port: int) -> str:
        """The start of all links, with the name of this computer in place of 0.0.0.0 and ::."""
        import socket

        host = f"[{self.host}]" if ":" in self.host else self.host
        name = socket.gethostname() if self.host in ("0.0.0.0", "::") else host
        return self.site() or f"http://{name}:{port}"
