"""The process between the service and a Ray cluster: `python -m app.lanes.ray.gateway SOCKET ADDRESS LANES`.

It is Ray's driver, which Ray ends when it loses the cluster: the service then starts another one. It ends with the
service's end of its socket. It does not judge, and it reads nothing of what it passes on.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import pickle
import socket
import sys
from collections.abc import Sequence
from typing import Any

import ray
from ray import serve

from app.lanes.ray import frames
from app.lanes.ray.batches import Batches
from app.lanes.ray.frames import Kind
from app.lanes.ray.messages import APP, Stats

POLL_S = 2.0
"""Seconds between two looks at the replicas."""

_PATIENCE_S = 5.0
_LOST_S = 30.0
"""Seconds without a word from the cluster after which another driver is tried."""


class Gateway:
    def __init__(self, writer: asyncio.StreamWriter, lanes: Sequence[str]) -> None:
        self._writer = writer
        self._handles = {lane: serve.get_deployment_handle(lane, APP).options(stream=True) for lane in lanes}
        self._batches: dict[str, Batches] = {}
        self._lanes_of: dict[int, Batches] = {}

    def open(self, sizes: dict[str, int]) -> None:
        self._batches = {lane: Batches(handle, sizes[lane], self) for lane, handle in self._handles.items()}
        self._writer.write(frames.pack(Kind.READY))

    # to the service

    def reply(self, number: int, body: bytes) -> None:
        self._lanes_of.pop(number, None)
        self._writer.write(frames.pack(Kind.REPLY, number, body))

    def report_loss(self, number: int, why: str) -> None:
        self._lanes_of.pop(number, None)
        self._writer.write(frames.pack(Kind.LOST, number, why.encode()))

    # from the service

    async def obey(self, reader: asyncio.StreamReader) -> None:
        """Until the service ends."""
        while True:
            kind, number, body = await frames.receive(reader)
            if kind is Kind.ASK:
                lane, alone, asked = pickle.loads(body)  # noqa: S301 - the service wrote it
                self._lanes_of[number] = self._batches[lane]
                self._batches[lane].add(number, asked, alone=alone)
            elif kind is Kind.CANCEL and (batches := self._lanes_of.pop(number, None)) is not None:
                batches.cancel(number)
            elif kind is Kind.DROP and "models" in self._handles:
                # a replica that does not hear of it lets the model go when it needs the room
                self._handles["models"].broadcast("drop", body.decode())

    async def look(self) -> None:
        """Tells how the replicas are, until nothing has been heard of the cluster for ``_LOST_S``."""
        loop = asyncio.get_running_loop()
        heard = loop.time()
        while loop.time() - heard < _LOST_S:
            told = dict(zip(self._handles, await asyncio.gather(*map(_stats, self._handles.values())), strict=True))
            if any(told.values()) or await _answers():
                heard = loop.time()
            self._writer.write(frames.pack(Kind.STATS, body=json.dumps(told).encode()))
            await asyncio.sleep(POLL_S)


async def _stats(handle: Any) -> list[Stats]:
    """Of each replica that answers."""
    try:
        said = await handle.broadcast("stats").results_async(timeout_s=_PATIENCE_S, return_exceptions=True)
    except Exception:  # noqa: BLE001 - whatever Ray raises, no replica can be asked now
        return []
    return [one for one in said if not isinstance(one, BaseException)]


async def _answers() -> bool:
    """Whether Serve's controller does, where no replica did: there may be none at present."""
    try:
        status = await asyncio.wait_for(asyncio.to_thread(serve.status), _PATIENCE_S)
    except Exception:  # noqa: BLE001 - whatever Ray raises, it does not
        return False
    return APP in status.applications


def sizes_of(lanes: Sequence[str]) -> dict[str, int]:
    """Items of one call, by lane. Raises LookupError with what is to be done where the cluster lacks one."""
    found = serve.status().applications.get(APP)
    if found is None:
        raise LookupError(f"the cluster has no application {APP}: `trueward ray up` deploys it")
    missing = [lane for lane in lanes if lane not in found.deployments]
    if missing:
        raise LookupError(
            f"the application {APP} has no lane {', '.join(missing)}: "
            "deploy it with another lanes.yaml, or name those that it has in TRUEWARD_RAY_LANES"
        )
    layout = serve.get_deployment_handle(lanes[0], APP).layout.remote().result(timeout_s=60.0)
    return {lane: layout[lane]["batch"] for lane in lanes}


async def main(stream: socket.socket, address: str, lanes: Sequence[str]) -> None:
    reader, writer = await asyncio.open_unix_connection(sock=stream, limit=2**22)
    try:
        await asyncio.to_thread(connect, address)
        sizes = await asyncio.to_thread(sizes_of, lanes)
        gateway = Gateway(writer, lanes)
        gateway.open(sizes)
    except Exception as failure:  # noqa: BLE001 - whatever it was, the service says it to whoever started it
        writer.write(frames.pack(Kind.REFUSED, body=str(failure)[:2000].encode()))
        writer.close()
        await writer.wait_closed()
        os._exit(1)  # as below
    tasks = [asyncio.ensure_future(gateway.obey(reader)), asyncio.ensure_future(gateway.look())]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    os._exit(0)  # threads may wait for a cluster that is gone, and nothing here is worth keeping


def connect(address: str) -> None:
    """Becomes a driver of the cluster at ``address``. Raises what Ray raises where there is none."""
    logging.getLogger("ray.serve").setLevel(logging.ERROR)
    host, _, port = address.rpartition(":")
    if host and port.isdigit():  # Ray itself would try for minutes
        socket.create_connection((host, int(port)), _PATIENCE_S).close()
    ray.init(address=address, namespace="trueward", log_to_driver=False, logging_level="error")


if __name__ == "__main__":
    asyncio.run(main(socket.socket(fileno=int(sys.argv[1])), sys.argv[2], sys.argv[3].split(",")))
