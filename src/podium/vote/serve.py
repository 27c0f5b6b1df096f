"""Serve the pages over HTTP."""

import asyncio
import gc
import ipaddress
import socket
from collections.abc import Callable
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_HEADERS = 64 * 1024  # bytes of a request without its body
SILENCE = 20.0  # seconds in which a client has to send the headers of a request
MOST_CONNECTIONS = 5000  # at once; further ones are told to come back later
KEEP_ALIVE = 30  # seconds until an idle connection is closed
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(host: str, port: int) -> socket.socket:
    """A socket that waits for connections; port 0 takes a free one.

    Raises
    ------
    ValueError
        If the address cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        reason = str(error.strerror).partition(" (while")[0].lower()
        raise ValueError(
            f"cannot listen on {host}, port {port}: {reason}; choose another with --host or --port"
        ) from None


def serve(
    app: FastAPI, listening: socket.socket, *, names: tuple[str, ...], ready: Callable[[], Any]
) -> None:
    """Answer requests until the process is told to stop.

    ``names`` are the host names that the page answers to; without any, it answers to all. This keeps another
    site from reaching a vote on this machine by pointing its own name to 127.0.0.1 (DNS rebinding).
    """
    if names:
        hosts = Middleware(TrustedHostMiddleware, allowed_hosts=list(names), www_redirect=False)
        app.user_middleware.append(hosts)  # inside the guard, which adds its headers to every answer
    config = uvicorn.Config(
        app,
        http=Impatient,
        ws="none",
        log_level="warning",
        access_log=False,  # it would hold addresses, and the owner's secret
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=5,
        limit_concurrency=MOST_CONNECTIONS,
    )
    _collect_less()
    server = _Server(config, ready)
    server.run(sockets=[listening])


def _collect_less() -> None:
    """Collect garbage less often, and leave out the objects that are here from the start.

    By default Python collects after every 700 new objects, which took a quarter of the time of a vote.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


class _Server(uvicorn.Server):
    """A server that says when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], Any]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop at the first signal, which takes a few seconds at most; further ones change nothing."""
        if not self.should_exit:
            super().handle_exit(sig, frame)


class Impatient(HttpToolsProtocol):
    """HTTP that closes a connection if the headers of a request take too long, or are too long."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._overhead = 0
        self._deadline: asyncio.TimerHandle | None = None
        self._wait()

    def data_received(self, data: bytes) -> None:
        if self.cycle is None or self.cycle.response_complete:  # this is the start of another request
            self._wait()
        self._overhead += len(data)
        super().data_received(data)
        if self._overhead > MOST_HEADERS and not self.transport.is_closing():
            self.send_400_response("The headers of the request are too long.")

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._overhead -= len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._overhead = 0
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        """Give the client time to send the headers of a request."""
        if self._deadline is None:
            self._deadline = self.loop.call_later(SILENCE, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
