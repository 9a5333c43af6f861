"""What a client of an administrator does: keys, projects, deletions, and who did what.

Its twin in ``administration`` blocks.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Unpack

from trueward.client import key_calls
from trueward.client.paging import Period
from trueward.client.sending_async import AsyncSender
from trueward.wire.deletion import Deletion, DeletionCount, DeletionRequest
from trueward.wire.key import ActView, KeyChange, KeyRequest, KeyView, NewKey, Rotation
from trueward.wire.project import ProjectChange, ProjectRequest, ProjectView


class AsyncAdministration(AsyncSender):
    """:class:`~trueward.client.administration.Administration` for asyncio."""

    async def keys(self) -> list[KeyView]:
        """All keys that one may see, those that were revoked too."""
        return await self.call(key_calls.keys())

    async def create_key(self, key: KeyRequest | key_calls.Fields) -> NewKey:
        """A new key; its text is not shown again."""
        return await self.call(key_calls.create_key(key))

    async def change_key(self, key_id: str, change: KeyChange | key_calls.Fields) -> KeyView:
        """Quotas and end of a key; what is not named stays."""
        return await self.call(key_calls.change_key(key_id, change))

    async def revoke_key(self, key_id: str) -> KeyView:
        """Ends a key at once."""
        return await self.call(key_calls.revoke_key(key_id))

    async def rotate_key(self, key_id: str, rotation: Rotation | key_calls.Fields | None = None) -> NewKey:
        """A new key instead of this one, which still works for a while."""
        return await self.call(key_calls.rotate_key(key_id, rotation or {}))

    def iter_acts(self, **filters: Unpack[key_calls.ActFilters]) -> AsyncIterator[ActView]:
        """What administrators did, newest first."""
        return self.entries(key_calls.acts(filters))

    async def projects(self) -> list[ProjectView]:
        """All projects that one may see."""
        return await self.call(key_calls.projects())

    async def project(self, name: str) -> ProjectView:
        """One project."""
        return await self.call(key_calls.project(name))

    async def create_project(self, project: ProjectRequest | key_calls.Fields) -> ProjectView:
        """A new project."""
        return await self.call(key_calls.create_project(project))

    async def change_project(self, name: str, change: ProjectChange | key_calls.Fields) -> ProjectView:
        """Weight and retention of a project; what is not named stays."""
        return await self.call(key_calls.change_project(name, change))

    async def delete_project(self, name: str) -> ProjectView:
        """Deletes a project that has nothing."""
        return await self.call(key_calls.delete_project(name))

    async def count_deletion(self, deletion: DeletionRequest | key_calls.Fields) -> DeletionCount:
        """What a deletion would take now; takes nothing."""
        return await self.call(key_calls.count_deletion(deletion))

    async def create_deletion(self, deletion: DeletionRequest | key_calls.Fields) -> Deletion:
        """Deletes for good, in the background: by age, a run, or what is a subject's."""
        return await self.call(key_calls.create_deletion(deletion))

    def iter_deletions(self, **period: Unpack[Period]) -> AsyncIterator[Deletion]:
        """Deletions, newest first."""
        return self.entries(key_calls.deletions(period))

    async def deletion(self, deletion_id: str) -> Deletion:
        """How far a deletion is, and what it waits for."""
        return await self.call(key_calls.deletion(deletion_id))
