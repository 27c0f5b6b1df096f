"""Serve the pages over HTTP."""

import ipaddress
import socket
from collections.abc import Callable
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI
from starlette.middleware.trustedhost import TrustedHostMiddleware
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

SILENCE = 20.0  # seconds after which a connection is closed that has not sent a whole request
MOST_CONNECTIONS = 5000  # at once; more are told to come back later
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def is_loopback(host: str) -> bool:
    """Whether an address can only be reached from this machine."""
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

    ``names`` are the hosts under which the page may be asked for; without any, all are. This keeps a page of
    another site from reaching a vote on this machine by giving its own name the address 127.0.0.1.
    """
    if names:
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(names), www_redirect=False)
    config = uvicorn.Config(
        app,
        http=Impatient,
        ws="none",
        log_level="warning",
        access_log=False,  # it would hold addresses, and the owner's secret
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=5,
        limit_concurrency=MOST_CONNECTIONS,
    )
    server = _Server(config, ready)
    server.run(sockets=[listening])


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
    """HTTP that closes connections on which no whole request arrives in time."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._deadline = self.loop.call_later(SILENCE, self._close_silent)

    def on_headers_complete(self) -> None:
        self._deadline.cancel()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._deadline.cancel()
        super().connection_lost(exc)

    def _close_silent(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
