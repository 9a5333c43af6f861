"""Models: register, list, delete, load, give weights, ask."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from app.admission.demand import Demand
from app.http.route import BodyRoute, read_bounded
from app.keys.acts import Acts
from app.keys.admission import Principal, Scorer, SharedAdmin, Viewer
from app.kit.body import parse
from app.kit.problems import PROBLEMS
from app.kit.tokens import new_id
from app.models.asking import answer_of, question_of, refuse_too_long, translate_failures
from app.models.upload import upload
from app.state import ActsDep, ModelsDep, PathDep, SettingsDep
from trueward.wire.model import AskRequest, ModelAnswer, ModelEntry, ModelList, ModelView, Weights, WeightsRequest

router = APIRouter(prefix="/v1/models", route_class=BodyRoute, tags=["models"], responses=PROBLEMS)

Name = Annotated[str, Path(max_length=128)]
Version = Annotated[int | None, Query(ge=1, le=2**53, description="of an upload; default: the next")]
UPLOAD = "application/octet-stream"
WEIGHTS: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": WeightsRequest.model_json_schema()},
            UPLOAD: {"schema": {"type": "string", "format": "binary"}},
        },
    }
}


@router.get("")
async def list_models(models: ModelsDep, key: Viewer) -> ModelList:
    """The models, in OpenAI's list form, each with its entry, its state and the version of its weights."""
    return await models.list()


@router.post("", status_code=201)
async def add_model(entry: ModelEntry, models: ModelsDep, acts: ActsDep, key: SharedAdmin) -> ModelView:
    """Registers a model. The same entry again is answered as it is, another one under its name is 409."""
    added = await models.add(entry, key.owner)
    await acts.record(key.owner, "model.add", entry.name, {"kind": added.kind, "digest": added.digest})
    return added


@router.get("/{name}")
async def show_model(name: Name, models: ModelsDep, key: Viewer) -> ModelView:
    """One model: how it is doing, and why it could not be loaded."""
    return await models.show(name)


@router.delete("/{name}")
async def delete_model(name: Name, models: ModelsDep, acts: ActsDep, key: SharedAdmin) -> ModelView:
    """Nobody can ask it any more; what was recorded with it stays."""
    deleted = await models.delete(name)
    await acts.record(key.owner, "model.delete", name, {"kind": deleted.kind, "digest": deleted.digest})
    return deleted


@router.post("/{name}/load")
async def load_model(name: Name, models: ModelsDep, key: SharedAdmin) -> ModelView:
    """Loads a model before it is first asked; answers when it is ready."""
    return await models.load(name)


@router.post("/{name}/weights", openapi_extra=WEIGHTS)
async def push_weights(
    name: Name,
    request: Request,
    models: ModelsDep,
    settings: SettingsDep,
    acts: ActsDep,
    key: SharedAdmin,
    version: Version = None,
) -> Weights:
    """Gives a model new weights, between two batches: from a path that the service can read, or one safetensors file
    as `application/octet-stream`. The version rises, else 409. Requests on their way get the old weights or the new."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() == UPLOAD:
        weights = await upload(models, name, version, request.stream(), settings.model_upload_bytes)
        return await _on_record(acts, key, name, weights)
    body = parse(await read_bounded(request, settings.max_body_bytes))
    try:
        wanted = WeightsRequest.model_validate(body)
    except ValidationError as wrong:
        raise RequestValidationError(wrong.errors()) from wrong
    return await _on_record(acts, key, name, await models.push(name, wanted))


async def _on_record(acts: Acts, key: Principal, name: str, weights: Weights) -> Weights:
    await acts.record(key.owner, "model.weights", name, {"version": weights.version, "whole": weights.whole})
    return weights


@router.post("/{name}/ask")
async def ask_model(
    name: Name, body: AskRequest, models: ModelsDep, path: PathDep, settings: SettingsDep, key: Scorer
) -> ModelAnswer:
    """Asks one question of a model and gives its numbers as they are. Nothing is recorded, for no reward is made."""
    question = question_of(body.question)
    refuse_too_long([question], settings.max_characters)
    allowed_s = min(body.deadline_s or settings.deadline_s, settings.max_deadline_s)
    deadline = asyncio.get_running_loop().time() + allowed_s
    async with path.gate.enter(key.owner, key.project, 1):
        with translate_failures():
            answer = await models.lane.answer(name, question, Demand(new_id(), {name: body.min_weights}), deadline)
    return answer_of(answer)
