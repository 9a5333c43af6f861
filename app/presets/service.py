"""Presets that are stored by API: checked, written down, and known to every server of the database in two seconds."""

from __future__ import annotations

import structlog

from app.kit.background import Refreshed
from app.presets.repository import PresetsRepository
from judges import presets
from judges.presets import Preset
from judges.presets.check import problems
from trueward.errors import Conflict, FieldProblem, InvalidRequest
from trueward.wire.preset import PresetInfo, PresetUpload, PresetView

log = structlog.get_logger(__name__)


class PresetsService(Refreshed):
    """An async context manager; inside it the library of presets has those that are stored."""

    task = "presets"

    def __init__(self, repository: PresetsRepository) -> None:
        self._repository = repository
        self._known: dict[str, Preset] = {}
        self._hashes: dict[str, str] = {}

    async def refresh(self) -> None:
        hashes = await self._repository.hashes()
        if hashes == self._hashes:
            return
        found: dict[str, Preset] = {}
        for name, hash_ in hashes.items():
            known = self._known.get(name)
            if known is None or known.hash != hash_:
                try:
                    known = Preset.of(name, await self._repository.files(name))
                except ValueError as wrong:  # stored by a version that read it
                    log.warning("a stored preset cannot be used", preset=name, error=str(wrong))
                    continue
            found[name] = known
        self._known, self._hashes = found, hashes
        presets.keep(found)

    async def add(self, upload: PresetUpload, owner: str | None) -> Preset:
        """Stores a preset; the same files under the same name again change nothing.

        Raises :class:`InvalidRequest` with what is wrong with it, :class:`Conflict` where the name is another's.
        """
        try:
            preset = Preset.of(upload.name, upload.files)
        except ValueError as wrong:
            raise _refused([str(wrong)]) from wrong
        if found := problems(preset):
            raise _refused(found)
        if upload.name not in presets.names():
            await self._repository.add(preset, owner)
            await self.refresh()
        # another may have been faster, and what an earlier version stored may be unreadable
        there = presets.find(upload.name) if upload.name in presets.names() else None
        if there is None or there.hash != preset.hash:
            raise _conflict_of_name(upload.name)
        return preset


def _refused(wrong: list[str]) -> InvalidRequest:
    fields = [FieldProblem(field="files", code="preset", detail=one[:500]) for one in wrong]
    return InvalidRequest(f"the preset cannot be used: {'; '.join(wrong)}"[:2000], errors=fields)


def _conflict_of_name(name: str) -> Conflict:
    return Conflict(f"the preset {name!r} has other files: a name keeps its files, take another one")


def info(preset: Preset) -> PresetInfo:
    head = preset.head.model_dump(include={"mechanism", "version", "summary", "source", "experimental"})
    return PresetInfo(name=preset.name, hash=preset.hash, **head)


def view(preset: Preset) -> PresetView:
    return PresetView(**info(preset).model_dump(), files=dict(preset.files))
