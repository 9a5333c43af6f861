"""The calls of models: register, list, delete, load, give weights, ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import overload
from urllib.parse import quote

from pydantic import JsonValue

from trueward.client.call import Call
from trueward.client.plan import fields_of, model, post_json, query_of
from trueward.errors import InvalidRequest
from trueward.wire.model import ModelAnswer, ModelEntry, ModelList, ModelQuestion, ModelView, Weights

Entry = ModelEntry | Mapping[str, JsonValue]
Question = ModelQuestion | Mapping[str, JsonValue]
BLOCK_BYTES = 4 * 2**20
_MODELS = "/v1/models"


class _Blocks(Sequence[bytes]):
    """A file, read block by block, as often as there are tries."""

    def __init__(self, file: Path) -> None:
        try:
            self._size = file.stat().st_size
        except OSError as missing:
            raise InvalidRequest(f"{file} cannot be read: {missing.strerror}") from missing
        self._file = file

    def __len__(self) -> int:
        return max(1, -(-self._size // BLOCK_BYTES))

    @overload
    def __getitem__(self, at: int) -> bytes: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[bytes]: ...
    def __getitem__(self, at: int | slice) -> bytes | Sequence[bytes]:
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        if not 0 <= at < len(self):
            raise IndexError(at)
        with self._file.open("rb") as source:
            source.seek(at * BLOCK_BYTES)
            return source.read(BLOCK_BYTES)


def listing() -> Call[list[ModelView]]:
    return Call("GET", _MODELS, lambda body: model(ModelList)(body).data)


def show(name: str) -> Call[ModelView]:
    return Call("GET", _path(name), model(ModelView))


def add(entry: Entry) -> Call[ModelView]:
    return post_json(_MODELS, fields_of(entry, unset=True), model(ModelView))


def delete(name: str) -> Call[ModelView]:
    return Call("DELETE", _path(name), model(ModelView))


def load(name: str) -> Call[ModelView]:
    return Call("POST", f"{_path(name)}/load", model(ModelView))


def push(name: str, path: str, version: int | None, *, adapter: bool) -> Call[Weights]:
    return post_json(f"{_path(name)}/weights", {"path": path, "version": version, "adapter": adapter}, model(Weights))


def upload(name: str, file: str | Path, version: int | None) -> Call[Weights]:
    """Raises :class:`InvalidRequest` for a file that cannot be read."""
    blocks = _Blocks(Path(file))
    query = query_of({"version": version})
    path = f"{_path(name)}/weights" + (f"?{query}" if query else "")
    return Call("POST", path, model(Weights), lambda remaining_s: blocks, content_type="application/octet-stream")


def ask(name: str, question: Question, min_weights: int, deadline_s: float | None) -> Call[ModelAnswer]:
    asked = {"question": fields_of(question, unset=True), "min_weights": min_weights, "deadline_s": deadline_s}
    return post_json(f"{_path(name)}/ask", asked, model(ModelAnswer))


def _path(name: str) -> str:
    return f"{_MODELS}/{quote(name, safe='')}"
