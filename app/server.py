"""The HTTP server around the application."""

from __future__ import annotations

import socket
import sys
from contextlib import suppress

import uvicorn

from app.adapters.assembly import Assembly
from app.pages.overview.pulse import Pulse

_NOT_STARTED = 3


class Server(uvicorn.Server):
    """Told to stop, it first has those answered that wait for others who will not come any more, and those that look
    on."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        assembly: Assembly | None = self.lifespan.state.get("assembly")
        if assembly is not None:
            assembly.close()
        pulse: Pulse | None = self.lifespan.state.get("pulse")
        if pulse is not None:
            pulse.close()
        await super().shutdown(sockets)


def run(config: uvicorn.Config) -> None:
    """Serves until it is told to stop; ends the process where it could not start."""
    config.load_app()
    server = Server(config)
    with suppress(KeyboardInterrupt):
        server.run()
    if not server.started:
        sys.exit(_NOT_STARTED)
