"""Weights that are uploaded: one safetensors file, streamed to ``<data_dir>/models/<name>/<version>/``.

The file gets its name when all of it is there; older uploads go when no weights are made of them any more.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Container
from contextlib import suppress
from pathlib import Path

from app.kit.tokens import new_id
from app.models.service import ModelsService
from trueward.errors import TooLarge
from trueward.wire.model import Weights, WeightsRequest

_BLOCK = 4 * 2**20


async def upload(
    models: ModelsService, name: str, version: int | None, chunks: AsyncIterator[bytes], limit: int
) -> Weights:
    """New weights from the bytes of one file. Raises as :meth:`ModelsService.push`, and :class:`TooLarge`."""
    version = models.rising(models.find(name), version)
    home = models.places.uploads(name)
    target = home / str(version) / f"{new_id()}.safetensors"
    arriving = target.with_suffix(".part")
    await asyncio.to_thread(target.parent.mkdir, parents=True, exist_ok=True)
    try:
        await _receive(chunks, arriving, limit)
        arriving.rename(target)
        weights = await models.reweigh(name, WeightsRequest(path=str(target), version=version))
    except BaseException:  # raised again, without what was received
        for file in (arriving, target):
            file.unlink(missing_ok=True)
        raise
    used = {source.request.path for source in models.find(name).sources}
    await asyncio.to_thread(_tidy, home, version, used)
    return weights


async def _receive(chunks: AsyncIterator[bytes], target: Path, limit: int) -> None:
    size, waiting = 0, bytearray()
    with target.open("wb") as file:
        async for chunk in chunks:
            size += len(chunk)
            if size > limit:
                raise TooLarge(f"the upload is over {limit} bytes (TRUEWARD_MODEL_UPLOAD_BYTES): name a path instead")
            waiting += chunk
            if len(waiting) >= _BLOCK:
                await asyncio.to_thread(file.write, bytes(waiting))
                waiting.clear()
        await asyncio.to_thread(file.write, bytes(waiting))


def _tidy(home: Path, version: int, used: Container[str]) -> None:
    """Removes uploads below this version that are not used."""
    for directory in home.iterdir():
        if directory.name.isdecimal() and int(directory.name) < version:
            for file in directory.glob("*.safetensors"):
                if str(file) not in used:
                    file.unlink(missing_ok=True)
            with suppress(OSError):
                directory.rmdir()  # only where nothing is left in it
