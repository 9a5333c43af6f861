"""Runs the code cells of a notebook against a service, in a process of their own.

``python -m tests.notebook FILE...`` writes the outputs of the cells anew; ``TRUEWARD_URL`` names the service. The
output of a cell is what it prints. A cell whose numbers differ from run to run, because chance draws, has the tag
``varies`` in its metadata.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "examples/notebooks"
_DRIVER = """
import contextlib, io, json, stamina, sys
stamina.instrumentation.set_on_retry_hooks([])  # that a busy service is asked again is no output of a cell
cells, names, told = json.load(sys.stdin), {"__name__": "__main__"}, []
for cell in cells:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(cell, "<cell>", "exec"), names)
    told.append(printed.getvalue())
json.dump(told, sys.stdout)
"""
_NUMBER = re.compile(r"\d+(\.\d+)?")

Notebook = dict[str, Any]


def read(path: Path) -> Notebook:
    found: Notebook = json.loads(path.read_text(encoding="utf-8"))
    return found


def code(notebook: Notebook) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def run(notebook: Notebook, url: str) -> list[str]:
    """What each code cell prints."""
    cells = json.dumps(["".join(cell["source"]) for cell in code(notebook)])
    environment = {**os.environ, "TRUEWARD_URL": url}
    command = [sys.executable, "-c", _DRIVER]
    ran = subprocess.run(command, input=cells, env=environment, capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stderr
    told: list[str] = json.loads(ran.stdout)
    return told


def shown(cell: dict[str, Any]) -> str:
    """The output of a cell as it is committed."""
    return "".join(line for output in cell["outputs"] for line in output["text"])


def comparable(cell: dict[str, Any], text: str) -> str:
    return _NUMBER.sub("#", text) if "varies" in cell["metadata"].get("tags", ()) else text


def write(path: Path, url: str) -> None:
    notebook = read(path)
    for count, (cell, text) in enumerate(zip(code(notebook), run(notebook, url), strict=True), start=1):
        stream = {"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)}
        cell["outputs"], cell["execution_count"] = [stream] if text else [], count
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main(paths: Sequence[str]) -> None:
    for path in paths:
        write(Path(path), os.environ["TRUEWARD_URL"])


if __name__ == "__main__":
    main(sys.argv[1:])
