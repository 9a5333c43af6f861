"""What the OpenAPI document says of all operations: how a key travels, which calls may be sent again safely, and what
generators of clients need that FastAPI does not give them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from app.http.route import BodyRoute
from app.idempotency.service import MAX_KEY
from app.keys.admission import KEY_PARAMETER
from app.kit.problems import MEDIA_TYPE

SCHEMES: dict[str, dict[str, str]] = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "`Authorization: Bearer KEY`"},
    "basic": {"type": "http", "scheme": "basic", "description": "the key as the password of `http://user:KEY@host`"},
    "query": {"type": "apiKey", "in": "query", "name": KEY_PARAMETER, "description": "the key as `?key=KEY`"},
}
"""A client needs one of them, and none of a service that asks for no keys (`{}`)."""
SECURITY: list[dict[str, list[str]]] = [{"bearer": []}, {"basic": []}, {"query": []}, {}]
EXAMPLES = Path(__file__).parent / "examples.json"
"""By operation: a request (``path``, ``query``, ``body``) and the ``answer`` of a service; the suite asks again."""
NO_KEY: dict[str, Any] = {"security": []}
"""For the ``openapi_extra`` of an operation that never asks for a key."""

_IDEMPOTENCY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "sent again with the same request, the same answer is given and nothing is done twice",
    "schema": {"type": "string", "minLength": 1, "maxLength": MAX_KEY, "title": "Idempotency-Key"},
}
_TAGS = {
    "scoring": "judge responses and give rewards",
    "recipes": "how rewards are made of verdicts",
    "jobs": "large batches, worked off beside the requests",
    "trainers": "the protocols of trainers and graders, as their own code calls them",
    "models": "judges, reward models and likelihoods; also under the protocols of other model servers",
    "programs": "programs in the sandbox",
    "runs": "training runs and their prompts",
    "ledger": "every verdict and reward that was given, with all that explains it",
    "watch": "watches and alarms of runs",
    "webhooks": "what is posted to webhooks, and how that went",
    "audits": "measured error rates of verifiers",
    "labels": "the labels of people, and what is drawn for them",
    "references": "references that seem wrong, and their corrections",
    "judges": "probes of judges",
    "keys": "keys, projects, deletions and who did what",
    "operations": "health and metrics",
}


class ServiceApp(FastAPI):
    """The application, with a whole document."""

    def setup(self) -> None:
        """The document's route. It takes more than a second to make, so a thread makes it: others are not to wait."""
        made: list[bytes] = []
        one_at_a_time = asyncio.Lock()

        async def document(request: Request) -> Response:
            async with one_at_a_time:
                if not made:
                    made.append(await asyncio.to_thread(self._written))
            return Response(made[0], media_type="application/json")

        self.add_route("/openapi.json", document, include_in_schema=False)

    def _written(self) -> bytes:
        return bytes(JSONResponse(self.openapi()).body)

    def openapi(self) -> dict[str, Any]:
        """The document; made at the first call."""
        made_before = self.openapi_schema is not None
        document = super().openapi()
        if not made_before:
            document["tags"] = [{"name": name, "description": words} for name, words in _TAGS.items()]
            document["components"]["securitySchemes"] = SCHEMES
            for operations in document["paths"].values():
                for operation in operations.values():
                    operation.setdefault("security", SECURITY)
            for route in self.routes:
                if isinstance(route, BodyRoute) and route.body_field is not None and "POST" in (route.methods or ()):
                    operation = document["paths"][route.path_format]["post"]
                    operation.setdefault("parameters", []).append(_IDEMPOTENCY)
            _show_examples(document["paths"])
            mend(document)
        return document


def _show_examples(paths: dict[str, Any]) -> None:
    """In each operation that has none of its own."""
    examples = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    for operations in paths.values():
        for operation in operations.values():
            shown = examples.get(operation["operationId"], {})
            for parameter in operation.get("parameters", ()):
                given = shown.get(parameter["in"], {})
                if parameter["name"] in given:
                    parameter["example"] = given[parameter["name"]]
            _show(operation.get("requestBody", {}), shown, "body")
            for status, response in operation["responses"].items():
                if status.startswith("2"):
                    _show(response, shown, "answer")


def _show(message: dict[str, Any], shown: dict[str, Any], part: str) -> None:
    content = message.get("content", {}).get("application/json")
    if content is not None and part in shown and not {"example", "examples"} & content.keys():
        content["example"] = shown[part]


_SHOWN = {"example", "examples"}
"""What callers wrote: no part of a schema."""


def mend(document: dict[str, Any]) -> None:
    """Changes the document in place."""
    for operations in document["paths"].values():
        for operation in operations.values():
            for response in operation["responses"].values():
                _mend_content(response.get("content", {}))
    _tell_defaults(document)


def _mend_content(content: dict[str, Any]) -> None:
    if content.get(MEDIA_TYPE) == {} and content.get("application/json"):
        content[MEDIA_TYPE] = content.pop("application/json")


def _tell_defaults(part: Any) -> None:
    if isinstance(part, list):
        for entry in part:
            _tell_defaults(entry)
    elif isinstance(part, dict):
        if isinstance(part.get("default"), dict) and part["default"]:
            words = f"Default: `{json.dumps(part.pop('default'))}`"
            part["description"] = "\n\n".join([*([part["description"]] if "description" in part else []), words])
        for name in part.keys() - _SHOWN:
            _tell_defaults(part[name])
