"""The models of one device: in memory under a budget of bytes, loaded when they are needed, the longest unused let go.

A model that cannot be loaded is not tried again at once: what is asked of it fails until a pause is over, which doubles
with every failure. Weights that a model was given since its entry are applied again whenever it is loaded again.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from judges.backend import ModelStatus
from judges.base import ModelUnavailable, TooLong, Unaskable
from judges.engine.gguf_file import bytes_of
from judges.engine.work import DeviceLost, Loaded, Loader, OutOfMemory, extend_history
from judges.questions import Classify, Question, Spans, Steps
from trueward.wire.model import ModelEntry, ModelKind, ModelState, Weights, WeightsRequest

RETRY_S, RETRY_MAX_S = 5.0, 300.0
PATIENCE_S, PATIENCE_MAX_S = 1.0, 30.0
WARM_UP: dict[ModelKind, Question] = {
    "reward": Classify("a b c d"),
    "process": Steps("a b", ("c", "d")),
    "causal": Spans("a b", " c d", ((0, 4),)),
}


@dataclass(slots=True)
class _Model:
    entry: ModelEntry
    history: list[WeightsRequest] = field(default_factory=list)
    """What made the present weights, oldest first, each with its version; only those of which something is left."""
    state: ModelState = "registered"
    detail: str = ""
    bytes: int = 0
    failures: int = 0
    retry_at: float = 0.0

    @property
    def weights(self) -> int:
        return self.history[-1].version or 0 if self.history else 0

    def remember(self, request: WeightsRequest, weights: Weights) -> None:
        self.history = extend_history(self.history, request, weights)


class Residency:
    """``memory_bytes``: what the weights of all loaded models may take together."""

    def __init__(
        self, loader: Loader, *, device: str, memory_bytes: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.loads = 0
        self.evictions = 0
        self.patience_s = PATIENCE_S
        """How long a model that was loaded should be used before another: as long as a load took."""
        self._loader = loader
        self._device = device
        self._memory_bytes = memory_bytes
        self._clock = clock
        self._models: dict[str, _Model] = {}
        self._resident: OrderedDict[str, Loaded] = OrderedDict()

    def __contains__(self, name: str) -> bool:
        return name in self._models

    @property
    def resident(self) -> tuple[str, ...]:
        """Names of the models in memory, the longest unused first."""
        return tuple(self._resident)

    @property
    def bytes(self) -> int:
        return sum(model.bytes for model in list(self._models.values()) if model.state == "ready")

    def entry(self, name: str) -> ModelEntry:
        return self._models[name].entry

    def weights(self, name: str) -> int:
        """The version that a model has, or will have when it is loaded."""
        return self._models[name].weights

    def register(self, entry: ModelEntry, history: list[WeightsRequest]) -> None:
        """``history``: the weights that it was given before."""
        self._models[entry.name] = _Model(entry, history)

    def drop(self, name: str) -> None:
        self._resident.pop(name, None)
        self._models.pop(name, None)

    def status(self) -> dict[str, ModelStatus]:
        return {
            name: ModelStatus(model.state, model.detail, model.weights) for name, model in list(self._models.items())
        }

    def peek(self, name: str) -> Loaded | None:
        """The model where it is in memory."""
        return self._resident.get(name)

    def get(self, name: str) -> Loaded:
        """The model, now the last used. Raises :class:`ModelUnavailable` or :class:`DeviceLost`."""
        loaded = self._resident.get(name)
        if loaded is None:
            loaded = self._attempt(self._models[name])
        self._resident.move_to_end(name)
        return loaded

    def swap(self, name: str, request: WeightsRequest) -> Weights:
        """Raises ValueError with what is wrong with the request, :class:`ModelUnavailable` or :class:`DeviceLost`."""
        model, loaded = self._models[name], self.get(name)
        version = request.version or model.weights + 1
        if version <= model.weights:
            raise ValueError(f"{name} has weights of version {model.weights} already: send a version above that")
        try:
            weights = loaded.swap(request, version)
        except (ValueError, DeviceLost):
            raise
        except Exception as failure:  # half-swapped weights must not answer; raised again as ours
            self.evict(name)
            raise ModelUnavailable(
                f"the weights could not be swapped: {_said(failure)}; the old ones stay"
            ) from failure
        model.remember(request, weights)
        model.bytes = loaded.bytes
        return weights

    def evict(self, name: str) -> None:
        if self._resident.pop(name, None) is not None:
            self.evictions += 1
            self._models[name].state = "registered"

    def evict_others(self, name: str) -> bool:
        """Lets all models go but one; whether there were any."""
        others = [other for other in self.resident if other != name]
        for other in others:
            self.evict(other)
        return bool(others)

    def _attempt(self, model: _Model) -> Loaded:
        if self._clock() < model.retry_at:
            raise ModelUnavailable(f"{model.detail} (tried again in {model.retry_at - self._clock():.0f} s)")
        model.state, model.detail = "loading", ""
        started = self._clock()
        try:
            loaded = self._load(model)
        except DeviceLost:
            raise
        except Exception as failure:  # noted on the model, to be tried again later; raised again as ours
            model.state, model.detail = "failed", _said(failure)
            model.retry_at = self._clock() + min(RETRY_MAX_S, RETRY_S * 2**model.failures)
            model.failures += 1
            raise ModelUnavailable(model.detail) from failure
        model.state, model.failures = "ready", 0
        self.loads += 1
        self.patience_s = min(PATIENCE_MAX_S, max(PATIENCE_S, self._clock() - started))
        self._resident[model.entry.name] = loaded
        return loaded

    def _load(self, model: _Model) -> Loaded:
        """Where memory runs out, one model after the other is let go."""
        self._refuse_too_large(model)
        self._make_room(model.bytes or bytes_of(model.entry))
        while True:
            try:
                return self._load_once(model)
            except OutOfMemory:
                if not self._resident:
                    raise
            self.evict(self.resident[0])

    def _load_once(self, model: _Model) -> Loaded:
        loaded = self._loader(model.entry.model_copy(update={"device": self._device}))
        model.bytes = loaded.bytes
        self._refuse_too_large(model)
        self._make_room(model.bytes)
        for request in model.history:
            try:
                loaded.swap(request, request.version or 0)
            except ValueError as failure:
                raise ModelUnavailable(f"its weights of version {request.version} are gone: {failure}") from failure
        with suppress(TooLong, Unaskable):  # a model that takes no such text is not the worse for it
            loaded.run([loaded.encode(WARM_UP[model.entry.kind])])
        return loaded

    def _refuse_too_large(self, model: _Model) -> None:
        if model.bytes > self._memory_bytes:
            raise ModelUnavailable(
                f"its weights take {model.bytes} bytes, and all models may take {self._memory_bytes}"
            )

    def _make_room(self, needed: int) -> None:
        while self._resident and self.bytes + needed > self._memory_bytes:
            self.evict(self.resident[0])


def _said(failure: Exception) -> str:
    return str(failure) if isinstance(failure, ModelUnavailable) else f"{type(failure).__name__}: {str(failure)[:300]}"
