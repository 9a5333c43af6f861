"""Who answers for a model: an engine of this machine, one process a device, or another model server.

Nothing is started, and nothing heavy imported, before a model is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from app.settings import Settings
from judges.backend import Backend, ModelStatus
from judges.base import ModelUnavailable
from trueward.wire.model import ModelEntry

INSTALL = "pip install -e '.[models]' (without a GPU install torch's CPU build first)"
NEEDED = ("torch", "transformers", "safetensors")
_GPUS = (Path("/dev/nvidia0"), Path("/dev/kfd"))
_UNTIL_FULL = 2**60
_CPU_BATCH, _GPU_BATCH = 2_048, 16_384


class Engines:
    """``backend_of`` says who answers for an entry, and starts it where that is needed."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._engines: dict[str, Backend] = {}

    def backend_of(self, entry: ModelEntry) -> Backend:
        """Raises :class:`ModelUnavailable` where this service has none for it."""
        if entry.backend != "local":
            if entry.backend not in self._engines:
                from judges.remote import RemoteBackend

                requests = self._settings.model_server_requests
                self._engines[entry.backend] = RemoteBackend(entry.backend, connections=requests)
            return self._engines[entry.backend]
        device = self._device_of(entry)
        if device not in self._engines:
            self._engines[device] = self._engine(device)
        return self._engines[device]

    async def status(self) -> dict[str, ModelStatus]:
        """Of the models that were asked for, by name."""
        found: dict[str, ModelStatus] = {}
        for engine in self._engines.values():
            found.update(await engine.status())
        return found

    async def drop(self, name: str) -> None:
        for engine in self._engines.values():
            await engine.drop(name)

    async def close(self) -> None:
        for engine in self._engines.values():
            await engine.close()

    def counters(self) -> Mapping[str, Mapping[str, float]]:
        """What each engine counted since its start, by device."""
        return {device: engine.counters() for device, engine in self._engines.items()}

    @property
    def at_once(self) -> int:
        """Questions that one model is asked at once, where its entry says nothing else."""
        return self._settings.model_server_requests

    def batch_tokens(self, entry: ModelEntry) -> int:
        """Tokens of one batch on the device that the entry's model runs on."""
        return self._batch_tokens(self._device_of(entry))

    def _batch_tokens(self, device: str) -> int:
        """By default no more than a lone request may have to wait for, and no fewer than keep the device busy."""
        return self._settings.model_batch_tokens or (_CPU_BATCH if device == "cpu" else _GPU_BATCH)

    def _device_of(self, entry: ModelEntry) -> str:
        return _device(self._settings.model_device if entry.device == "auto" else entry.device)

    def _engine(self, device: str) -> Backend:
        missing = [name for name in NEEDED if find_spec(name) is None]
        if missing:
            raise ModelUnavailable(f"models need {', '.join(missing)}, which are not installed here: {INSTALL}")
        from judges.engine.process import EngineProcess

        settings = self._settings
        return EngineProcess(
            device,
            memory_bytes=settings.model_memory_bytes or _memory_bytes(device),
            batch_tokens=self._batch_tokens(device),
            queue_tokens=settings.model_queue_tokens,
            hang_s=settings.model_hang_s,
        )


def _device(named: str) -> str:
    """One name a device, so that none gets two engines; ``auto`` is the first GPU where the machine has one."""
    if named == "auto":
        named = "cuda" if any(gpu.exists() for gpu in _GPUS) else "cpu"
    return "cuda:0" if named == "cuda" else named


def _memory_bytes(device: str) -> int:
    """Half of the machine's memory; on a GPU, where running out of it is found out and mended, no bound."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2 if device == "cpu" else _UNTIL_FULL
