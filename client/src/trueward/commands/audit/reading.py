"""What comes from files and options: specifications in YAML or JSON, parts of them. Wrong ones are usage errors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeVar

import typer
from pydantic import BaseModel, TypeAdapter, ValidationError

from trueward.commands.jsonl import read_text
from trueward.errors import NotInstalled
from trueward.wire.audit import AuditSpec

M = TypeVar("M", bound=BaseModel)
_SPEC: TypeAdapter[AuditSpec] = TypeAdapter(AuditSpec)
_SHOWN = 3


def read_spec(source: str) -> AuditSpec:
    """A specification in a file, or in stdin for ``-``: JSON, or YAML where PyYAML is installed."""
    text = read_text(source, "--spec")
    try:
        return _SPEC.validate_python(_document(text, source))
    except ValidationError as refusal:
        raise _wrong(refusal, "--spec") from refusal


def valid(kind: type[M], said: Mapping[str, object], option: str | None = None) -> M:
    """The model that options say together; ``option`` names them in a refusal, else their fields do."""
    try:
        return kind.model_validate(said)
    except ValidationError as refusal:
        raise _wrong(refusal, option) from refusal


def read_as(kind: type[M], source: str, option: str) -> M:
    """The model in a file, JSON or YAML, or in stdin for ``-``."""
    found = _document(read_text(source, option), source)
    return valid(kind, found if isinstance(found, Mapping) else {"": found}, option)


def valid_json(kind: type[M], text: str, option: str) -> M:
    """The same from a file; members that a newer service added are passed over."""
    try:
        return kind.model_validate_json(text, extra="ignore")
    except ValidationError as refusal:
        raise _wrong(refusal, option) from refusal


def _document(text: str, source: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as refusal:
        if text.lstrip().startswith("{") and source.endswith(".json"):
            raise typer.BadParameter(f"{source} is not JSON: {refusal}", param_hint="--spec") from refusal
    try:
        import yaml
    except ImportError as missing:
        raise NotInstalled(
            "a specification in YAML needs PyYAML, which is not installed here: pip install 'trueward[yaml]', or write "
            "it as JSON"
        ) from missing
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as refusal:
        reason = " ".join(str(refusal).split())
        raise typer.BadParameter(f"{source} is neither JSON nor YAML: {reason}", param_hint="--spec") from refusal


def _wrong(refusal: ValidationError, option: str | None) -> typer.BadParameter:
    found = refusal.errors(include_url=False, include_input=False)
    said = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}".removeprefix(": ") for item in found[:_SHOWN])
    return typer.BadParameter(said, param_hint=option)
