"""Asks PyPI's advisories about every pinned version: ``python scripts/audit.py`` ends with 1 where one is vulnerable.

Where the advisories cannot be had, as on a machine without internet or behind an index that has packages alone, it says
so and ends with 0: nothing was audited, and nothing is called clean. A version that is known to be vulnerable is asked
about first, for an index may answer without advisories. Not covered: Debian's packages, the vendored scripts.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
CANARY = "jinja2==2.10"
"""CVE-2019-10906, and more since."""
Found = Mapping[str, object]
Ask = Callable[[Path], Sequence[Found] | None]


def ask(requirements: Path) -> Sequence[Found] | None:
    """What pip-audit says of each pinned line; None where it could ask nobody."""
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(requirements), "--no-deps", "--disable-pip"]
    command += ["--format", "json", "--progress-spinner", "off"]
    ran = subprocess.run(command, capture_output=True, text=True)  # noqa: S603 - our own words
    try:
        found: list[Found] = json.loads(ran.stdout)["dependencies"]
    except (ValueError, KeyError):
        return None
    return found


def audit(files: Sequence[Path], ask: Ask = ask) -> tuple[list[str], bool]:
    """Lines to print, and whether a version is vulnerable."""
    if not _reaches_advisories(ask):
        return [
            "The advisories are not reachable from here: NOT AUDITED.",
            *(f"  {path.name}" for path in files),
        ], False
    lines, bad = [], False
    for path in files:
        found = ask(path)
        if found is None:
            lines.append(f"{path.name}: NOT AUDITED, the advisories stopped answering")
            continue
        skipped = [str(one["name"]) for one in found if "vulns" not in one]
        lines.append(f"{path.name}: {len(found) - len(skipped)} audited")
        lines += [f"  NOT AUDITED: {', '.join(skipped)}"] if skipped else []
        for one in found:
            for flaw in one.get("vulns", ()):  # type: ignore[attr-defined]
                lines.append(
                    f"  {one['name']} {one['version']}: {flaw['id']}, fixed in {flaw['fix_versions'] or 'no version'}"
                )
                bad = True
    return lines, bad


def _reaches_advisories(ask: Ask) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        canary = Path(folder) / "canary.txt"
        canary.write_text(CANARY + "\n", encoding="utf-8")
        return any(one.get("vulns") for one in ask(canary) or ())


if __name__ == "__main__":
    lines, bad = audit(sorted(ROOT.glob("locks/*.txt")))
    print("\n".join(lines))
    sys.exit(bad)
