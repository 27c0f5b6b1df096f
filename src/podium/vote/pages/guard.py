"""What protects the pages: limits on size and pace, and no forms of other sites."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from secrets import compare_digest
from urllib.parse import unquote_to_bytes

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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

    def __init__(self, app: ASGIApp, owner: str) -> None:
        self._app = app
        self._owner = owner.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            body = await self._checked(scope, receive)
            await self._app(scope, _replay(body, receive), send_with_headers)
        except HTTPException as error:
            await _refusal(error.status_code, error.detail)(scope, receive, send_with_headers)
        except ClientDisconnect:  # before the request was complete
            return
        except Exception:
            if not started:
                response = _refusal(500, "Something went wrong; the server's log says what.")
                await response(scope, receive, send_with_headers)
            raise

    async def _checked(self, scope: Scope, receive: Receive) -> bytes:
        """The body of a request that may reach a page."""
        headers = Headers(scope=scope)
        if scope["method"] not in ("GET", "HEAD") and _from_elsewhere(headers):
            raise HTTPException(403, "This form was sent by another site.")
        start = scope["path"].encode("utf-8", "replace")[: len(self._owner)]
        body = await _body(Request(scope, receive), large=compare_digest(start, self._owner))
        is_form = headers.get("content-type", "").startswith("application/x-www-form-urlencoded")
        if "\0" in scope["path"] or (is_form and not _is_text(body)):
            raise HTTPException(400, "The request has characters that are not text.")
        return body


def _from_elsewhere(headers: Headers) -> bool:
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


async def _body(request: Request, *, large: bool) -> bytes:
    most, patience = (LARGE, 10 * PATIENCE) if large else (SMALL, PATIENCE)
    too_large = HTTPException(413, f"The request is larger than {most // 1024:,} KiB.")
    announced = request.headers.get("content-length", "0")
    if announced.isdecimal() and int(announced) > most:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(patience):
            async for part in request.stream():
                body += part
                if len(body) > most:
                    raise too_large
    except TimeoutError:
        raise HTTPException(408, "The request took too long to arrive.") from None
    return bytes(body)


def _replay(body: bytes, receive: Receive) -> Receive:
    """A receive that first gives the whole body."""
    whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return whole.pop() if whole else await receive()

    return replay


def _refusal(status: int, sentence: str) -> PlainTextResponse:
    """A sentence that htmx shows as the notice, so that the pair stays on the page."""
    headers = {"connection": "close", "hx-retarget": "#notice", "hx-reswap": "innerHTML"}
    return PlainTextResponse(sentence, status, headers)


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
