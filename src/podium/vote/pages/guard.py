"""What protects the pages: limits on size and pace, and no forms of other sites."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from secrets import compare_digest
from typing import Any
from urllib.parse import unquote_to_bytes

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

SMALL = 16 * 1024  # bytes of the largest form of a judge
LARGE = 32 * 1024**2  # bytes of the files that the owner uploads at once
PATIENCE = 10.0  # seconds in which the body of a small request has to arrive; a large one has ten times that
MOST_JUDGES = 100_000  # whose pace is remembered

HEADERS = {
    # Bars of the board and cells of tables take their lengths and colours from style attributes.
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "style-src-attr 'unsafe-inline'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # With "no-referrer", browsers hide where a form comes from; this tells the host, never the owner's link.
    "referrer-policy": "strict-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """Middleware that limits bodies, refuses forms of other sites, and adds headers.

    Only requests below ``owner``, the path of the owner's pages, may have a large body.
    """

    def __init__(self, app: App, owner: str) -> None:
        self._app = app
        self._owner = owner.encode()

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                given = {name for name, _ in message["headers"]}
                more = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message["headers"], *(pair for pair in more if pair[0] not in given)]
            await send(message)

        try:
            body = await self._checked(scope, receive)
            await self._app(scope, _replay(body, receive), send_with_headers)
        except _BadRequestError as error:
            await _refuse(send_with_headers, *error.args)
        except _GoneError:
            return
        except Exception:
            if not started:
                await _refuse(send_with_headers, 500, "Something went wrong; the server's log says what.")
            raise

    async def _checked(self, scope: MutableMapping[str, Any], receive: Receive) -> bytes:
        """The body of a request that may reach a page."""
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if scope["method"] not in ("GET", "HEAD") and _from_elsewhere(headers):
            raise _BadRequestError(403, "This form was sent by another site.")
        start = scope["path"].encode("utf-8", "replace")[: len(self._owner)]
        body = await _body(receive, headers, large=compare_digest(start, self._owner))
        is_form = headers.get("content-type", "").startswith("application/x-www-form-urlencoded")
        if "\0" in scope["path"] or (is_form and not _is_text(body)):
            raise _BadRequestError(400, "The request has characters that are not text.")
        return body


def _from_elsewhere(headers: dict[str, str]) -> bool:
    """Whether a browser says that another site sent this form."""
    site = headers.get("sec-fetch-site")
    if site is not None:  # more reliable than the host, which a server in between may change
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] != headers.get("host")


def _is_text(form: bytes) -> bool:
    """Whether a form has neither broken UTF-8 nor null bytes, which databases do not store."""
    try:
        return "\0" not in unquote_to_bytes(form).decode()
    except UnicodeDecodeError:
        return False


class _BadRequestError(Exception):
    """A request that is refused, with its status and a sentence."""


class _GoneError(Exception):
    """The client left before the request was complete."""


async def _body(receive: Receive, headers: dict[str, str], *, large: bool) -> bytes:
    most, patience = (LARGE, 10 * PATIENCE) if large else (SMALL, PATIENCE)
    too_large = _BadRequestError(413, f"The request is larger than {most // 1024:,} KiB.")
    announced = headers.get("content-length", "0")
    if announced.isdecimal() and int(announced) > most:
        raise too_large
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(patience):
            more = True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":  # half a form is none
                    raise _GoneError
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > most:
                    raise too_large
                more = message.get("more_body", False)
    except TimeoutError:
        raise _BadRequestError(408, "The request took too long to arrive.") from None
    return b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    """A receive that first gives the whole body."""
    whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return whole.pop() if whole else await receive()

    return replay


async def _refuse(send: Send, status: int, sentence: str) -> None:
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"connection", b"close"),
        (b"hx-retarget", b"#notice"),  # so that the pair stays on the page
        (b"hx-reswap", b"innerHTML"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": sentence.encode()})


class Pace:
    """Limits the votes of each judge per minute. A third of them may come at once."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._gap = 60 / per_minute
        self._burst = max(per_minute / 3, 1) * self._gap
        self._clock = clock
        self._free: OrderedDict[str, float] = OrderedDict()  # when the votes so far will have been paid for

    def allows(self, judge: str) -> bool:
        """Count one more vote, unless it comes too fast."""
        now = self._clock()
        free = max(self._free.get(judge, now), now) + self._gap
        if free - now > self._burst:
            return False
        self._free[judge] = free
        self._free.move_to_end(judge)
        if len(self._free) > MOST_JUDGES:
            self._free.popitem(last=False)
        return True
