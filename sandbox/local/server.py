"""The service's side of the server: starts it, asks it for slots, ends it."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

from sandbox.base import SandboxFailure
from sandbox.harness.packages import FOLDER, packages
from sandbox.languages import ENVIRONMENT, languages
from sandbox.local.jail.message import PACKET_BYTES, Hello, Setting

_HERE = Path(__file__).parent
_HARNESS = _HERE.parent / "harness"
_START_S = 30.0
_LAST_WORDS_BYTES = 4000
# -I and -S: nothing of the service's own packages; `jail` is taken from its folder and the path forgotten again
_BOOT = "import sys; sys.path.insert(0, sys.argv[2]); from jail.server import main; del sys.path[0]; main(sys.argv[1])"


class Server:
    """A running server. ``hello`` says what the kernel granted it."""

    def __init__(self, process: subprocess.Popen[bytes], control: socket.socket, hello: Hello) -> None:
        self.hello = hello
        self._process = process
        self._control = control

    @classmethod
    async def start(cls, python: str) -> Server:
        """Starts a server. Raises SandboxFailure where it does not even answer."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        try:
            with theirs:
                process = subprocess.Popen(  # noqa: ASYNC220, S603 - returns after the exec; both paths are our own
                    [python, "-I", "-S", "-c", _BOOT, str(theirs.fileno()), str(_HERE)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    env=dict(ENVIRONMENT),
                    cwd="/",
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                )
        except OSError as failure:
            ours.close()
            raise SandboxFailure(f"the sandbox's Python {python} cannot be started: {failure}") from failure
        etc = sorted({name for language in languages().values() for name in language.etc})
        shown = {name: str(path) for name, path in packages().items()}
        setting: Setting = {"harness": str(_HARNESS), "packages": {FOLDER: shown}, "etc": etc}
        server = cls(process, ours, {"steps": [], "python": "", "broken": ""})
        try:
            await send(ours, setting)
            server.hello = await receive(ours, _START_S)
        except (OSError, EOFError) as failure:
            raise SandboxFailure(f"the sandbox server did not start: {server.close() or failure}") from failure
        except BaseException:  # raised again, cleaned up
            server.close()
            raise
        return server

    @property
    def alive(self) -> bool:
        """Whether its process still runs."""
        return self._process.poll() is None

    async def slot(self) -> tuple[socket.socket, int]:
        """A new slot's channel and process id. Raises SandboxFailure."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        try:
            with theirs:
                socket.send_fds(self._control, [b"{}"], [theirs.fileno()])
            answer = await receive(ours, _START_S)
        except (OSError, EOFError) as failure:
            ours.close()
            raise SandboxFailure(f"the sandbox server gives no slot: {failure}") from failure
        except BaseException:  # raised again, cleaned up
            ours.close()
            raise
        if "failure" in answer:
            ours.close()
            raise SandboxFailure(f"a slot could not be made: {answer['failure']}")
        return ours, answer["pid"]

    def close(self) -> str:
        """Ends the server and with it every slot; its last words."""
        self._control.close()
        self._process.kill()
        self._process.wait()
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        os.set_blocking(self._process.stdout.fileno(), False)
        with self._process.stdout as output:
            return (output.read(_LAST_WORDS_BYTES) or b"").decode(errors="replace").strip()


async def send(channel: socket.socket, message: object) -> None:
    """Sends one message."""
    await asyncio.get_running_loop().sock_sendall(channel, json.dumps(message).encode())


async def receive(channel: socket.socket, within_s: float) -> Any:
    """The next message. Raises EOFError where the other side is gone, TimeoutError (an OSError) after that long."""
    async with asyncio.timeout(within_s):
        packet = await asyncio.get_running_loop().sock_recv(channel, PACKET_BYTES)
    if not packet:
        raise EOFError("it ended")
    with suppress(ValueError):
        return json.loads(packet)
    raise EOFError("it does not speak sense")
