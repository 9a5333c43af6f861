"""Who learns that a thing exists: whatever an operation takes in its path, another project's id is answered as one that
nobody has.

The operations are those of the OpenAPI document, each with what the first project has of that kind in its path and, in
a second request, with a name that was made up in its form. Bodies are the least that a schema allows.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pydantic import JsonValue

from tests.app.projects.tenants import FIRST, RUN, SECOND, SECRET, Tenants, planted, tenants
from tests.openapi import document, paths

OWN = ("job", "audit", "draw", "run", "alarm", "reference", "delivery", "project", "label", "deletion")
KINDS = {"record": ("verdict", "reward"), "key_id": ("key",), **{one: (one,) for one in OWN}}
"""What the first project has that a parameter of a path names; what all share is not among them."""
NAMED = {"/v1/watches/{name}": "watch", "/v1/recipes/{recipe}/freeze": "recipe"}
TAKEN = {
    ("PUT", "/v1/runs/{run}"),
    ("PUT", "/v1/watches/{name}"),
    ("PUT", "/v1/recipes/{recipe}/freeze"),
    ("DELETE", "/v1/recipes/{recipe}/freeze"),
}
"""Names of runs and of watches are taken for all, and a content of a recipe is all projects': docs/tenancy.md."""
_CHANGING = re.compile(r'"request_id":"[^"]*"|[0-9A-HJKMNP-TV-Z]{26}')


def least(schema: dict[str, Any]) -> JsonValue:
    """A value of a schema with nothing that may be left out."""
    if "$ref" in schema:
        return least(document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema:
            return least(schema[word][0])
    if "const" in schema or "enum" in schema or "default" in schema:
        found: JsonValue = schema.get("const", schema.get("default", schema.get("enum", [None])[0]))
        return found
    kinds: dict[str, JsonValue] = {"string": "exact", "integer": 1, "number": 1, "boolean": True, "null": None}
    if schema.get("type") == "array":
        return [least(schema["items"])] * schema.get("minItems", 0)
    if schema.get("type") == "object":
        return {name: least(schema["properties"][name]) for name in schema.get("required", ())}
    return kinds.get(schema.get("type", "null"))


def operations() -> Iterator[tuple[str, str, dict[str, JsonValue], JsonValue]]:
    """Those with a name or an id in their path: method, path, the query that they need, the least body."""
    for path, methods in paths().items():
        for method, operation in methods.items() if "{" in path else ():
            query = {
                one["name"]: least(one["schema"])
                for one in operation.get("parameters", ())
                if one["in"] == "query" and one.get("required")
            }
            content = operation.get("requestBody", {}).get("content", {})
            yield (
                method.upper(),
                path,
                query,
                least(content.get("application/json", {}).get("schema", {"type": "null"})),
            )


def made_up(name: str, draw: random.Random) -> str:
    """A name that nobody has, of the same form."""
    if name in (RUN, SECRET, FIRST):
        return name[:-3] + "".join(draw.choices(string.ascii_lowercase, k=3))
    start, _, _ = name.rpartition(":")
    alphabet = "0123456789abcdef" if start else "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    return name[:-8] + "".join(draw.choices(alphabet, k=8))


async def _names(service: Tenants) -> dict[str, str]:
    names = await planted(service)
    keys = (await service.get("root", "/v1/keys")).json()["keys"]
    label = (await service.get(FIRST, "/v1/labels")).json()["labels"][0]
    gone = await service.done(FIRST, "POST", "/v1/deletions", {"run": "none-of-mine"})
    more = {"key": next(key["id"] for key in keys if key["project"] == FIRST), "label": label["id"]}
    return {**names, **more, "sample": label["sample"], "deletion": gone["id"]}


async def test_another_project_s_id_is_answered_as_one_that_nobody_has(tmp_path: Path, database_url: str) -> None:
    draw = random.Random(7)
    told: list[tuple[str, ...]] = []
    asked: set[str] = set()
    async with tenants(tmp_path, database_url) as service:
        names = await _names(service)
        for method, path, query, body in operations():
            [parameter] = re.findall(r"\{(?!position)([^}]*)\}", path) or [""]
            for kind in KINDS.get(parameter, (NAMED[path],) if path in NAMED else ()):
                answers = []
                for one in (names[kind], made_up(names[kind], draw)):
                    url = re.sub(r"\{[^}]*\}", quote(one, safe=""), path.replace("{position}", "0"))
                    answer = await service.ask(SECOND, method, url, params=query, json=body)
                    plain = answer.text.replace(quote(one, safe=""), "ID").replace(one, "ID")
                    answers.append((answer.status_code, _CHANGING.sub("", plain)))
                asked.add(kind)
                if answers[0] != answers[1]:
                    told.append((method, path, *map(str, answers)))
    assert {one[:2] for one in told} == TAKEN, "\n".join(" ".join(one) for one in told)
    assert asked == {*NAMED.values(), *(kind for kinds in KINDS.values() for kind in kinds)}
