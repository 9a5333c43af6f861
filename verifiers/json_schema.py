"""JSON Schema through the ``jsonschema`` library, for a worker process.

A schema's patterns and ``uniqueItems`` cost what the document makes them cost, hence the worker. References are
followed within the schema and to the drafts' own meta-schemas, never over the network; ``format`` is an annotation.
Multiples are those of the decimals that are written.
The draft is that of ``$schema``, else 2020-12.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import islice

from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import Draft202012Validator, extend, validator_for
from pydantic import JsonValue
from referencing.exceptions import Unresolvable
from referencing.jsonschema import EMPTY_REGISTRY

from trueward.authoring.verifier import Abstain
from verifiers.json_text import NotJson, parse
from verifiers.legible import shorten

ERRORS_SHOWN = 5


@lru_cache(maxsize=64)
def validator(schema: str) -> Validator:
    """The validator of a schema given as JSON. Raises Abstain where it cannot be one."""
    document = _object(schema)
    try:
        kind = validator_for(document, default=Draft202012Validator)
        kind.check_schema(document)
        found: Validator = _with_exact_multiples(kind)(document, registry=EMPTY_REGISTRY)
        # a schema that refers to nothing, or to itself alone, shows it with whatever document
        found.is_valid(None)
    except SchemaError as failure:
        raise Abstain("schema_invalid", f"the schema is not one: {shorten(failure.message)}") from failure
    except (Unresolvable, RecursionError, re.error) as failure:
        raise Abstain("schema_invalid", f"the schema cannot be used: {shorten(str(failure))}") from failure
    return found


def violations(schema: str, document: JsonValue) -> list[str]:
    """What a document does against a schema: at most :data:`ERRORS_SHOWN` places with words. Raises Abstain."""
    try:
        found = islice(validator(schema).iter_errors(document), ERRORS_SHOWN)
        return [shorten(f"{error.json_path[:100]}: {error.message[:200]}") for error in found]
    except Unresolvable as failure:
        raise Abstain("schema_invalid", f"the schema cannot be used: {shorten(str(failure))}") from failure


@lru_cache
def _with_exact_multiples(kind: type[Validator]) -> type[Validator]:
    """The draft's validator, but ``19.99`` is a multiple of ``0.01``: the library divides doubles."""
    changed: type[Validator] = extend(kind, {"multipleOf": _multiple}) if "multipleOf" in kind.VALIDATORS else kind
    return changed


def _multiple(draft: Validator, of: float, instance: JsonValue, _schema: JsonValue) -> Iterator[ValidationError]:
    # the shortest decimal that reads as this double is what its author wrote
    if draft.is_type(instance, "number") and Fraction(str(instance)) % Fraction(str(of)):
        yield ValidationError(f"{instance!r} is not a multiple of {of}")


def _object(schema: str) -> JsonValue:
    try:
        document = parse(schema)
    except NotJson as failure:
        raise Abstain("schema_invalid", f"the schema cannot be read: {failure}") from failure
    dialect = document.get("$schema", "") if isinstance(document, dict) else ""
    if not isinstance(document, (dict, bool)) or not isinstance(dialect, str):
        raise Abstain("schema_invalid", "a schema is an object, or true or false")
    return document
