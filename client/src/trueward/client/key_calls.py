"""The calls of administrators: keys, projects, deletions, and who did what."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from trueward.client.call import Call, segment
from trueward.client.paging import Pages, Period, pages
from trueward.client.plan import fields_of, model, post_json, send_json
from trueward.wire.deletion import Deletion, DeletionCount, DeletionPage, DeletionRequest
from trueward.wire.key import ActPage, ActView, KeyChange, KeyList, KeyRequest, KeyView, NewKey, Rotation
from trueward.wire.project import ProjectChange, ProjectList, ProjectRequest, ProjectView

Fields = Mapping[str, JsonValue]
_KEYS, _PROJECTS, _DELETIONS = "/v1/keys", "/v1/projects", "/v1/deletions"


class ActFilters(Period, total=False):
    """``action``: such as ``key.create``."""

    action: str | None


def keys() -> Call[list[KeyView]]:
    return Call("GET", _KEYS, lambda body: model(KeyList)(body).keys)


def create_key(key: KeyRequest | Fields) -> Call[NewKey]:
    return post_json(_KEYS, fields_of(key), model(NewKey))


def change_key(key_id: str, change: KeyChange | Fields) -> Call[KeyView]:
    return send_json("PATCH", f"{_KEYS}/{segment(key_id)}", fields_of(change), model(KeyView))


def revoke_key(key_id: str) -> Call[KeyView]:
    return Call("DELETE", f"{_KEYS}/{segment(key_id)}", model(KeyView))


def rotate_key(key_id: str, rotation: Rotation | Fields) -> Call[NewKey]:
    return post_json(f"{_KEYS}/{segment(key_id)}/rotate", fields_of(rotation), model(NewKey))


def acts(asked: ActFilters) -> Pages[ActView]:
    return pages("/v1/acts", ActPage, lambda page: (page.acts, page.next), asked)


def projects() -> Call[list[ProjectView]]:
    return Call("GET", _PROJECTS, lambda body: model(ProjectList)(body).projects)


def project(name: str) -> Call[ProjectView]:
    return Call("GET", f"{_PROJECTS}/{segment(name)}", model(ProjectView))


def create_project(project: ProjectRequest | Fields) -> Call[ProjectView]:
    return post_json(_PROJECTS, fields_of(project), model(ProjectView))


def change_project(name: str, change: ProjectChange | Fields) -> Call[ProjectView]:
    return send_json("PATCH", f"{_PROJECTS}/{segment(name)}", fields_of(change), model(ProjectView))


def delete_project(name: str) -> Call[ProjectView]:
    return Call("DELETE", f"{_PROJECTS}/{segment(name)}", model(ProjectView))


def count_deletion(deletion: DeletionRequest | Fields) -> Call[DeletionCount]:
    return post_json(f"{_DELETIONS}/count", fields_of(deletion), model(DeletionCount))


def create_deletion(deletion: DeletionRequest | Fields) -> Call[Deletion]:
    return post_json(_DELETIONS, fields_of(deletion), model(Deletion))


def deletions(asked: Period) -> Pages[Deletion]:
    return pages(_DELETIONS, DeletionPage, lambda page: (page.deletions, page.next), asked)


def deletion(name: str) -> Call[Deletion]:
    return Call("GET", f"{_DELETIONS}/{segment(name)}", model(Deletion))
