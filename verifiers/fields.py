"""References that are objects: their fields, from the object itself or from its JSON as text."""

from __future__ import annotations

from pydantic import JsonValue

from trueward.authoring.verifier import Abstain
from verifiers.json_text import NotJson, parse


def fields(value: JsonValue, form: type) -> dict[str, JsonValue]:
    """The fields of a reference. Raises :class:`Abstain` for what is no object, or has others than its TypedDict."""
    allowed = form.__annotations__.keys()
    if isinstance(value, str):
        try:
            value = parse(value)
        except NotJson as failure:
            raise Abstain(
                "reference_type", f"the reference is no object, nor JSON of one: {str(failure)[:200]}"
            ) from failure
    if not isinstance(value, dict):
        raise Abstain("reference_type", f"a reference is an object, not {type(value).__name__}")
    unknown = sorted(value.keys() - allowed)
    if unknown:
        known = ", ".join(sorted(allowed))
        raise Abstain("reference_unparsable", f"a reference has no key {unknown[0]!r:.80}, only {known}")
    return value
