"""The recipes at hand: those of files, and those that were put, each name with every content that it ever stood for.

Scoring asks for recipes without waiting, so all of them are kept in memory. What another server of the same database
puts is seen within two seconds. Names of files win: what was put under such a name before is found by its hash only.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Self

import structlog
from pydantic import JsonValue, ValidationError

from app.kit.background import Refreshed
from app.kit.cache import Cache
from app.kit.clock import now
from app.path.facts import FACTS
from app.recipes.repository import RecipesRepository
from rewards.library import Library, unknown_recipe
from rewards.recipe import Recipe
from trueward.errors import InvalidRecipe, UnknownRecipe
from trueward.wire.recipe import RecipeVersion

_PARSED = 2000
log = structlog.get_logger(__name__)


class Shelf(Refreshed):
    """An async context manager; inside it the shelf keeps itself fresh."""

    task = "recipes"

    def __init__(self, files: Library, repository: RecipesRepository) -> None:
        self.files = {recipe.name: recipe for recipe in files.recipes()}
        self._repository = repository
        self._edition: tuple[int, str | None] | None = None
        self._versions: Mapping[str, Sequence[RecipeVersion]] = {}
        self._bodies: Mapping[str, dict[str, JsonValue]] = {}
        self._parsed: Cache[tuple[str, str, str], Recipe] = Cache(_PARSED)
        self._refreshing = asyncio.Lock()

    async def __aenter__(self) -> Self:
        await self.refresh()
        changed: list[Recipe] = []
        for name, recipe in self.files.items():
            latest = self.latest(name)
            if latest is None or (latest.hash, latest.description) != (recipe.hash, recipe.description):
                changed.append(recipe)
            if latest is not None and latest.origin == "put" and latest.hash is not None:
                log.warning("a file now has the name of a recipe that was put", recipe=name, put=latest.hash)
        if changed:
            await self._repository.add([(_version(recipe, "file", None), recipe) for recipe in changed])
            await self.refresh()
        return await super().__aenter__()

    def recipes(self) -> list[Recipe]:
        """Those of files, then those that were put; one that cannot be read any more is left out."""
        found = list(self.files.values())
        for name in sorted(self._versions):
            with suppress(UnknownRecipe, InvalidRecipe):
                if name not in self.files:
                    found.append(self._current(name))
        return found

    def find(self, reference: str) -> Recipe:
        """``name``, or ``name@hash`` with a prefix of the hash of any of its versions.

        Raises :class:`UnknownRecipe`, also for a recipe that was deleted.
        """
        name, at, wanted = reference.partition("@")
        current = self.files.get(name)
        if current is None:
            current = self._current(name)
        if not at or _is(current.hash, wanted):
            return current
        return self._older(name, wanted)

    def latest(self, name: str) -> RecipeVersion | None:
        """What the name stands for, or that it was deleted; None where it never stood for anything."""
        known = self._versions.get(name)
        return known[-1] if known else None

    def history(self, name: str) -> list[RecipeVersion]:
        """Newest first; of a deleted recipe too."""
        return list(reversed(self._versions.get(name, ())))

    async def add(self, recipe: Recipe, origin: str, owner: str | None) -> None:
        """The recipe's name stands for this content from now on."""
        await self._repository.add([(_version(recipe, origin, owner), recipe)])
        await self.refresh()

    async def delete(self, name: str, owner: str | None) -> RecipeVersion:
        version = RecipeVersion(name=name, hash=None, origin="put", owner=owner, created_at=now())
        await self._repository.add([(version, None)])
        await self.refresh()
        return version

    async def refresh(self) -> None:
        """Takes in what was put or deleted since."""
        async with self._refreshing:
            edition = await self._repository.edition()
            if edition == self._edition:
                return
            versions: defaultdict[str, list[RecipeVersion]] = defaultdict(list)
            for version in await self._repository.versions():
                versions[version.name].append(version)
            hashes = {version.hash for known in versions.values() for version in known if version.hash is not None}
            new = await self._repository.bodies(hashes - self._bodies.keys())
            self._bodies = {**self._bodies, **new}
            self._versions, self._edition = versions, edition

    def _current(self, name: str) -> Recipe:
        latest = self.latest(name)
        if latest is None:
            raise unknown_recipe(name, {*self.files, *filter(self._stands, self._versions)}, FACTS)
        if not self._stands(name):
            raise UnknownRecipe(_explain_absence(latest, self.history(name)))
        return self._read(latest)

    def _stands(self, name: str) -> bool:
        latest = self.latest(name)
        return name in self.files or (latest is not None and latest.hash is not None and latest.origin == "put")

    def _older(self, name: str, wanted: str) -> Recipe:
        known = {version.hash: version for version in self._versions.get(name, ()) if version.hash is not None}
        found = [version for digest, version in known.items() if _is(digest, wanted)]
        if len(found) == 1:
            return self._read(found[0])
        now_at = self.find(name).hash
        if found:
            raise UnknownRecipe(f"{len(found)} versions of {name!r} begin with {wanted[:80]!r}: write more of the hash")
        raise UnknownRecipe(
            f"recipe {name!r} has the hash {now_at} and never had {wanted[:80]!r}; GET /v1/recipes/{name}/versions "
            "lists those that it had"
        )

    def _read(self, version: RecipeVersion) -> Recipe:
        digest = version.hash or ""
        key = (version.name, digest, version.description)
        known = self._parsed.get(key)
        if known is None:
            body = {**self._bodies[digest], "name": version.name, "description": version.description}
            try:
                known = Recipe.model_validate(body)
            except ValidationError as refusal:
                raise InvalidRecipe(
                    f"recipe {version.name}@{digest} was put into an earlier version of the service, and this one "
                    f"cannot read it ({refusal.errors()[0]['msg']}): put it again in today's form"
                ) from refusal
            self._parsed.put(key, known)
        return known


def _version(recipe: Recipe, origin: str, owner: str | None) -> RecipeVersion:
    said = {"name": recipe.name, "hash": recipe.hash, "description": recipe.description}
    return RecipeVersion.model_validate({**said, "origin": origin, "owner": owner, "created_at": now()})


def _is(digest: str, wanted: str) -> bool:
    return digest.removeprefix("sha256:").startswith(wanted.removeprefix("sha256:"))


def _explain_absence(latest: RecipeVersion, history: Sequence[RecipeVersion]) -> str:
    last = next((version.hash for version in history if version.hash is not None), "nothing")
    when = latest.created_at.isoformat(timespec="seconds")
    how = f"was deleted at {when}" if latest.hash is None else "came from a file that is no longer there"
    return (
        f"recipe {latest.name!r} {how}; it was at {last}. A run that is pinned to it goes on when the same content is "
        "put again (PUT /v1/recipes/{name}), or after its pin is moved (PUT /v1/runs/{run})"
    )
