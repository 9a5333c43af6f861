"""Style sheets, scripts and libraries of the pages: files of ours, named by their content, so that they never go stale.

The libraries in the folders of ``assets/`` are copies of published packages; ``assets/vendored.json`` records each
package's version, licence and hashes. Nothing is fetched from elsewhere.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fastapi import APIRouter, Response

from app.pages.guard import ASSET_HEADERS
from audits.report.parts import FOLDER
from trueward.errors import NotFound

_HERE = Path(__file__).parent / "assets"
MEDIA_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
_DIGITS = 16
router = APIRouter(prefix="/ui/assets", include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Asset:
    digest: str
    content: bytes
    media_type: str


def address(name: str) -> str:
    """The URL of an asset, such as ``htmx.min.js``; raises :class:`KeyError` for a name that is none."""
    return f"/ui/assets/{_assets()[name].digest}/{name}"


@router.get("/{digest}/{name}")
async def asset(digest: str, name: str) -> Response:
    """For everybody: the sign-in page needs them."""
    found = _assets().get(name)
    if found is None or found.digest != digest:
        raise NotFound("there is no such asset; pages name those of this version of the service")
    return Response(found.content, media_type=found.media_type, headers=ASSET_HEADERS)


@cache
def _assets() -> dict[str, Asset]:
    """By file name, which is unique over the folders."""
    paths = [path for path in [*_HERE.rglob("*"), FOLDER / "report.css"] if path.suffix in MEDIA_TYPES]
    return {path.name: _read(path) for path in paths}


def _read(path: Path) -> Asset:
    content = path.read_bytes()
    return Asset(hashlib.sha256(content).hexdigest()[:_DIGITS], content, MEDIA_TYPES[path.suffix])
