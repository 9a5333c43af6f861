"""Whether the client resolves beside what trainers install: ``python -m scripts.resolutions`` (``make resolutions``).

For each peer the index is asked twice: with the newest versions that its requirements and ours allow, and with the
lowest that ours do. A peer beside which the client cannot be installed ends it with 1. ``--write`` puts the table into
``docs/dependencies.md``. Needs the uv of ``make lock`` and an index; nothing is installed but the client alone in its
lowest versions, whose modules are imported then.
"""

from __future__ import annotations

import datetime
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from scripts.locks import LOCKS, ROOT, UV
from scripts.parts import write_part

PAGE = ROOT / "docs/dependencies.md"
BEGIN, END = "<!-- resolutions: python -m scripts.resolutions --write -->\n", "<!-- end of resolutions -->\n"
HEADER = "| beside | newest | lowest |\n|---|---|---|\n"
PEERS = (
    "",
    "verl==0.5.0",
    "verl==0.6.1",
    "verl==0.7.0",
    "verl==0.8.0",
    "verl==0.9.1",
    "areal==1.0.4",
    "trl==1.16.0",
    "openrlhf==0.11.2",
    "vllm==0.33.0",
    "ray==2.60.0",
)
SHOWN = ("httpx2", "pydantic", "stamina", "numpy")
IMPORTED = "import trueward, trueward.cli, trueward.client, trueward.trainers.trl, trueward.trainers.verl"


def resolved(peer: str, resolution: str) -> dict[str, str]:
    """Versions by package, of the client beside a peer. Raises :class:`RuntimeError` where there are none."""
    asked = "\n".join(line for line in (peer, str(ROOT / "client")) if line)
    options: list[str | Path] = [
        "--config-file",
        LOCKS / "uv.toml",
        "--python-version",
        "3.11",
        "--resolution",
        resolution,
    ]
    ran = subprocess.run(  # noqa: S603 - our own words
        [UV, "pip", "compile", "-", "--quiet", "--no-header", "--no-annotate", *options],
        input=asked,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    if ran.returncode != 0:
        raise RuntimeError(f"trueward does not resolve beside {peer or 'nothing'} ({resolution}):\n{ran.stderr}")
    return dict(re.findall(r"^([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?==(\S+)", ran.stdout, re.MULTILINE))


def row(peer: str) -> str:
    cells = [peer or "nothing"]
    for resolution in ("highest", "lowest-direct"):
        found = resolved(peer, resolution)
        cells.append(", ".join(f"{name} {found[name]}" for name in SHOWN if name in found))
    return f"| {' | '.join(cells)} |\n"


def import_lowest() -> None:
    """Installs the client alone in its lowest versions, and imports what trainers import."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder) / "env/bin/python"
        commands: tuple[list[str | Path], ...] = (
            [UV, "venv", "--quiet", "--python", sys.executable, python.parents[1]],
            [UV, "pip", "install", "--quiet", "--python", python, "--resolution", "lowest-direct", ROOT / "client"],
            [python, "-c", IMPORTED],
        )
        for command in commands:
            subprocess.run(command, check=True, cwd=folder)  # noqa: S603 - our own words


def main(arguments: Sequence[str]) -> None:
    import_lowest()
    made = HEADER + "".join(map(row, PEERS))
    print(made, end="")
    if "--write" not in arguments:
        return
    day = datetime.datetime.now(datetime.UTC).date()
    said = f"`python -m scripts.resolutions --write`, {day:%d %B %Y}, Python 3.11:\n\n{made}"
    write_part(PAGE, BEGIN, END, said)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except RuntimeError as unresolved:
        sys.exit(str(unresolved))
