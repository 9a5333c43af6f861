"""The lines that point a trainer at a service: text files beside this one, filled in.

A file's first line says what it is for. The rest is a :class:`string.Template`: ``$url`` as it is, ``$endpoint`` (the
URL, with the key in its path where there is one), ``$path`` (``/t/<recipe>``), ``$query`` (``?run=...``, or nothing),
``$arguments`` (what the Python plug-ins take), their two parts ``$connection`` (URL and key) and ``$asked`` (recipe and
run), and ``$headers`` (of an HTTP request, as JSON).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from string import Template
from urllib.parse import quote, urlencode

from trueward.errors import NotFound

_SUFFIX = ".txt"


@dataclass(frozen=True, slots=True)
class PasteLines:
    name: str
    summary: str
    text: str

    def fill(self, url: str, recipe: str, run: str | None, api_key: str | None) -> str:
        base = url.rstrip("/")
        asked = {"recipe": recipe} | ({"run": run} if run else {})
        key = {"api_key": api_key} if api_key else {}
        return Template(self.text).substitute(
            url=base,
            endpoint=f"{base}/k/{quote(api_key, safe='')}" if api_key else base,
            path=f"/t/{quote(recipe, safe='@')}",
            query=f"?{urlencode({'run': run})}" if run else "",
            arguments=", ".join([json.dumps(base), *_keywords(asked | key)]),
            connection=", ".join([json.dumps(base), *_keywords(key)]),
            asked=", ".join(_keywords(asked)),
            headers=json.dumps({"Authorization": f"Bearer {api_key}"} if api_key else {}),
        )


def every() -> list[PasteLines]:
    """Every trainer, by name."""
    found = [entry for entry in files("trueward.trainers").joinpath("lines").iterdir() if entry.name.endswith(_SUFFIX)]
    return [
        _read(entry.name.removesuffix(_SUFFIX), entry.read_text(encoding="utf-8"))
        for entry in sorted(found, key=lambda entry: entry.name)
    ]


def find(name: str) -> PasteLines:
    """Raises :class:`NotFound` with the names that there are."""
    known = {lines.name: lines for lines in every()}
    if name not in known:
        raise NotFound(
            f"there are no lines for the trainer {name!r}; known: {', '.join(known)}; `other` is for any other"
        )
    return known[name]


def _keywords(named: dict[str, str]) -> list[str]:
    return [f"{name}={json.dumps(value)}" for name, value in named.items()]


def _read(name: str, text: str) -> PasteLines:
    summary, _, rest = text.partition("\n")
    return PasteLines(name, summary.removeprefix("# "), rest.lstrip("\n"))
