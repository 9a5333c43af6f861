"""What the verifiers of patches read from a reference: files as texts by path."""

from __future__ import annotations

from pydantic import JsonValue

from trueward.authoring.verifier import Abstain
from verifiers.legible import legible
from verifiers.patch.edits import LARGEST
from verifiers.patch.path import defect

MOST_FILES = 1_000


def texts(value: JsonValue, name: str) -> dict[str, str]:
    """Files by path. Raises :class:`Abstain`."""
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise Abstain("reference_type", f"{name} is an object that gives the text of each file by its path")
    files = {path: legible(str(text)) for path, text in value.items()}
    if len(files) > MOST_FILES or sum(map(len, files.values())) > LARGEST:
        raise Abstain("reference_too_large", f"{name} has more than {MOST_FILES} files or {LARGEST} characters")
    for path in files:
        if problem := defect(path):
            raise Abstain("reference_unparsable", f"{name}: the path {path[:100]!r} cannot be used: {problem}")
    return files
