"""Writes the software bill of materials of the server's environment: ``python scripts/sbom.py sbom.json``.

CycloneDX, JSON, reproducible: what the image has of Python packages, with licences. The developers' environment that it
is read from has more, so it is cut to what the server needs. Not covered: the base image, other extras, the vendored
scripts.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
SERVER = "trueward-server"
EXTRAS = frozenset({"docker", "redis"})
"""Those of the lock that the Dockerfile installs."""


def needed() -> set[str]:
    """Everything that the server's installation brings, itself included, by canonical name."""
    found: set[str] = set()
    open_ends = [(SERVER, EXTRAS)]
    seen: set[tuple[str, frozenset[str]]] = set()
    while open_ends:
        end = open_ends.pop()
        if end in seen:
            continue
        seen.add(end)
        found.add(canonicalize_name(end[0]))
        for line in distribution(end[0]).requires or ():
            requirement = Requirement(line)
            if requirement.marker is None or any(
                requirement.marker.evaluate({"extra": extra}) for extra in {"", *end[1]}
            ):
                open_ends.append((requirement.name, frozenset(requirement.extras)))
    return found


def bill() -> dict[str, Any]:
    """The CycloneDX document."""
    command = [
        str(ROOT / ".venv-sbom" / "bin" / "cyclonedx-py"),
        "environment",
        "--output-reproducible",
        "--output-format",
        "JSON",
    ]
    made = subprocess.run(  # noqa: S603 - our own words
        [*command, "--pyproject", str(ROOT / "pyproject.toml"), sys.executable], capture_output=True, check=True
    )
    document: dict[str, Any] = json.loads(made.stdout)
    names = needed()
    kept = [part for part in document["components"] if canonicalize_name(part["name"]) in names]
    for part in kept:  # where it lies on this machine is nobody's business
        part["externalReferences"] = [
            one for one in part.get("externalReferences", []) if not one["url"].startswith("file:")
        ]
    references = {part["bom-ref"] for part in kept} | {document["metadata"]["component"]["bom-ref"]}
    document["components"] = kept
    document["dependencies"] = [
        {**edge, "dependsOn": [end for end in edge.get("dependsOn", []) if end in references]}
        for edge in document["dependencies"]
        if edge["ref"] in references
    ]
    return document


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(bill(), indent=1) + "\n", encoding="utf-8")
