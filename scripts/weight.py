"""What each distribution and each extra weighs: ``python -m scripts.weight`` (``make weight``) measures and writes it.

Installs each by itself, in the versions of the locks, and counts packages, megabytes of their files without compiled
code, and CPU seconds of a start. The table goes into ``docs/dependencies.md`` with the date. Needs the uv of
``make lock`` and an index.

Not covered: torch and what its builds bring, which differ by gigabytes; the base image; memory.
"""

from __future__ import annotations

import datetime
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from scripts.locks import LOCKS, OURS, PROJECTS, ROOT, UV
from scripts.parts import write_part

PAGE = ROOT / "docs/dependencies.md"
BEGIN, END = "<!-- weight: make weight -->\n", "<!-- end of weight -->\n"
HEADER = "| installed | packages | MB | `trueward --help` | imported | |\n|---|---|---|---|---|---|\n"
ROUNDS = 3
DEVELOPER = "dev"
"""An extra of our own environment, which nobody installs for use."""
TRAINING = "train"
"""The extra that is a distribution of our own."""
IMPORTS = {
    "trueward": "import trueward.client",
    "trueward-server": "import trueward_server; trueward_server.enter(); import app.main",
}


@dataclass(frozen=True)
class Weight:
    """Of one installation; the seconds are CPU time of a fresh interpreter, the median of three."""

    name: str
    packages: int
    megabytes: float
    help_s: float
    imported_s: float
    statement: str

    def row(self) -> str:
        numbers = f"{self.packages} | {self.megabytes:.0f} | {self.help_s:.2f} s | {self.imported_s:.2f} s"
        return f"| `{self.name}` | {numbers} | `{self.statement}` |\n"


def installations() -> Mapping[str, Sequence[str]]:
    """What each one asks for beside our own distributions, by its name: a distribution alone, then with each extra."""
    found: dict[str, list[str]] = {}
    client, trainer = (
        tomllib.loads(PROJECTS[name].read_text(encoding="utf-8"))["project"] for name in ("client", "trainer")
    )
    for name in ("client", "server"):
        project = tomllib.loads(PROJECTS[name].read_text(encoding="utf-8"))["project"]
        alone = [line for line in project["dependencies"] if line not in OURS]
        alone += client["dependencies"] if name == "server" else []
        found[project["name"]] = alone
        for extra, lines in project.get("optional-dependencies", {}).items():
            if extra != DEVELOPER:
                brought = trainer["dependencies"] if extra == TRAINING else lines
                found[f"{project['name']}[{extra}]"] = [*alone, *(line for line in brought if line not in OURS)]
    return found


def weigh(name: str, lines: Sequence[str], folder: Path, wheels: Sequence[Path]) -> Weight:
    """Makes an environment for it in the folder."""
    python = folder / "bin/python"
    _run(UV, "venv", "--quiet", "--python", sys.executable, folder)
    lock = next((lock for lock in ("mcp", "ray") if f"[{lock}]" in name), "developer")
    install: list[str | Path] = [UV, "pip", "install", "--quiet", "--python", python, "--no-verify-hashes"]
    chosen: list[str | Path] = ["--config-file", LOCKS / "uv.toml", "--constraint", LOCKS / f"{lock}.txt"]
    _run(*install, *chosen, "--excludes", _without_torch(folder), "--requirement", "-", given="\n".join(lines) + "\n")
    packages = len(_run(UV, "pip", "freeze", "--python", python).splitlines())
    left_out = {"server": not name.startswith("trueward-server"), "trainer": f"[{TRAINING}]" not in name}
    ours = [wheel for wheel in wheels if not any(out and part in wheel.name for part, out in left_out.items())]
    _run(*install, "--no-deps", *ours)
    statement = IMPORTS[name.partition("[")[0]]
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    megabytes = sum(path.lstat().st_size for path in files) / 1e6
    return Weight(
        name,
        packages + len(ours),
        megabytes,
        _cpu_s(folder / "bin/trueward", "--help"),
        _cpu_s(python, "-c", statement),
        statement.rpartition("; ")[2],
    )


def _without_torch(folder: Path) -> Path:
    """A file that says so."""
    excluded = folder / "excluded.txt"
    excluded.write_text("torch\n", encoding="utf-8")
    return excluded


def _cpu_s(*command: str | Path) -> float:
    """The first run, which compiles, does not count."""
    _run(*command)
    taken_s = []
    for _ in range(ROUNDS):
        before = os.times()
        _run(*command)
        after = os.times()
        taken_s.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return median(taken_s)


def _run(*command: str | Path, given: str | None = None) -> str:
    """Standard output of a command that has to work, in a folder that has nothing of ours."""
    environment = {**os.environ, "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": ""}
    ran = subprocess.run(  # noqa: S603 - our own words
        command, input=given, capture_output=True, text=True, cwd=tempfile.gettempdir(), env=environment
    )
    if ran.returncode != 0:
        raise RuntimeError(f"{command} ended with {ran.returncode}:\n{ran.stderr}")
    return ran.stdout


def table(weights: Sequence[Weight], day: datetime.date) -> str:
    """What stands in the page."""
    said = (
        f"`make weight`, {day:%d %B %Y}, Python {sys.version_info.major}.{sys.version_info.minor}, without torch:\n\n"
    )
    return said + HEADER + "".join(weight.row() for weight in weights)


def main() -> None:
    weights = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
        _run(*build, "--wheel-dir", folder / "wheels", ROOT, ROOT / "client", ROOT / "trainer")
        wheels = sorted((folder / "wheels").glob("*.whl"))
        for count, (name, lines) in enumerate(installations().items()):
            weights.append(weigh(name, lines, folder / str(count), wheels))
            print(weights[-1].row(), end="", flush=True)
    write_part(PAGE, BEGIN, END, table(weights, datetime.datetime.now(datetime.UTC).date()))


if __name__ == "__main__":
    main()
