"""What generators of clients need of the OpenAPI document, and FastAPI does not give them.

A refusal's only content is its problem document: where a second stands beside it without a schema, the clients of
openapi-fetch know nothing of an error. A default that is an object is told in words, as openapi-python-client leaves
out every operation that has one.
"""

from __future__ import annotations

import json
from typing import Any

from app.kit.problems import MEDIA_TYPE

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
