"""Runs the short form of a benchmark, and reads the document that it leaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import JsonValue

ROOT = Path(__file__).parents[2]
Document = dict[str, JsonValue]


def ran(name: str, results: Path) -> Document:
    """In this process: a broken claim ends it with SystemExit, which fails the test."""
    import_module(f"benchmarks.{name}").main(["--short", "--results", str(results)])
    return read(name, results)


def ran_apart(name: str, results: Path) -> Document:
    """In a process of its own, with a folder for temporary files of its own, for what counts what belongs to it."""
    command = [sys.executable, "-m", f"benchmarks.{name}", "--short", "--results", str(results)]
    with TemporaryDirectory() as temporary:
        variables = {**os.environ, "TMPDIR": temporary}
        done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    return read(name, results)


def read(name: str, results: Path) -> Document:
    """Says what was measured, and how large; all that it claims holds."""
    document: Document = json.loads((results / f"{name}.short.json").read_text())
    assert {"benchmark", "form", "at", "commit", "python", "machine", "claims", "scale"} <= document.keys()
    claims = document["claims"]
    assert isinstance(claims, dict)
    assert claims
    assert all(claims.values())
    return document
