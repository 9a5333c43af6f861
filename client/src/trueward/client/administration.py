"""What a client of an administrator does: keys, projects, deletions, and who did what.

Its twin in ``administration_async`` awaits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack

from trueward.client import key_calls
from trueward.client.paging import Period
from trueward.client.sending import CallSender
from trueward.wire.deletion import Deletion, DeletionCount, DeletionRequest
from trueward.wire.key import ActView, KeyChange, KeyRequest, KeyView, NewKey, Rotation
from trueward.wire.project import ProjectChange, ProjectRequest, ProjectView


class Administration(CallSender):
    """It needs a key with the scope ``admin``."""

    def keys(self) -> list[KeyView]:
        """All keys that one may see, those that were revoked too."""
        return self.call(key_calls.keys())

    def create_key(self, key: KeyRequest | key_calls.Fields) -> NewKey:
        """A new key; its text is not shown again."""
        return self.call(key_calls.create_key(key))

    def change_key(self, key_id: str, change: KeyChange | key_calls.Fields) -> KeyView:
        """Quotas and end of a key; what is not named stays."""
        return self.call(key_calls.change_key(key_id, change))

    def revoke_key(self, key_id: str) -> KeyView:
        """Ends a key at once."""
        return self.call(key_calls.revoke_key(key_id))

    def rotate_key(self, key_id: str, rotation: Rotation | key_calls.Fields | None = None) -> NewKey:
        """A new key instead of this one, which still works for a while."""
        return self.call(key_calls.rotate_key(key_id, rotation or {}))

    def iter_acts(self, **filters: Unpack[key_calls.ActFilters]) -> Iterator[ActView]:
        """What administrators did, newest first."""
        return self.entries(key_calls.acts(filters))

    def projects(self) -> list[ProjectView]:
        """All projects that one may see."""
        return self.call(key_calls.projects())

    def project(self, name: str) -> ProjectView:
        """One project."""
        return self.call(key_calls.project(name))

    def create_project(self, project: ProjectRequest | key_calls.Fields) -> ProjectView:
        """A new project."""
        return self.call(key_calls.create_project(project))

    def change_project(self, name: str, change: ProjectChange | key_calls.Fields) -> ProjectView:
        """Weight and retention of a project; what is not named stays."""
        return self.call(key_calls.change_project(name, change))

    def delete_project(self, name: str) -> ProjectView:
        """Deletes a project that has nothing."""
        return self.call(key_calls.delete_project(name))

    def count_deletion(self, deletion: DeletionRequest | key_calls.Fields) -> DeletionCount:
        """What a deletion would take now; takes nothing."""
        return self.call(key_calls.count_deletion(deletion))

    def create_deletion(self, deletion: DeletionRequest | key_calls.Fields) -> Deletion:
        """Deletes for good, in the background: by age, a run, or what is a subject's."""
        return self.call(key_calls.create_deletion(deletion))

    def iter_deletions(self, **period: Unpack[Period]) -> Iterator[Deletion]:
        """Deletions, newest first."""
        return self.entries(key_calls.deletions(period))

    def deletion(self, deletion_id: str) -> Deletion:
        """How far a deletion is, and what it waits for."""
        return self.call(key_calls.deletion(deletion_id))
