"""The audit of pinned versions: what it finds ends with 1, and what it cannot ask about is never called clean."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scripts.audit import Found, audit

FILES = [Path("server.txt"), Path("ray.txt")]
FLAW: Found = {"name": "jinja2", "version": "2.10", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.10.1"]}]}
CLEAN: Found = {"name": "numpy", "version": "2.4.0", "vulns": []}
UNKNOWN: Found = {"name": "torch", "skip_reason": "not found"}


class Advisories:
    """Answers the canary, then each file."""

    def __init__(self, *answers: Sequence[Found] | None) -> None:
        self._answers = list(answers)

    def __call__(self, requirements: Path) -> Sequence[Found] | None:
        return self._answers.pop(0)


def test_a_vulnerable_version_is_named_and_fails() -> None:
    lines, bad = audit(FILES, Advisories([FLAW], [CLEAN], [FLAW]))
    assert bad
    assert "  jinja2 2.10: PYSEC-1, fixed in ['2.10.1']" in lines


def test_clean_versions_are_counted() -> None:
    assert audit(FILES, Advisories([FLAW], [CLEAN], [CLEAN])) == (
        ["server.txt: 1 audited", "ray.txt: 1 audited"],
        False,
    )


def test_without_advisories_nothing_is_called_clean() -> None:
    """An index that has packages alone answers, and knows of no flaw in a version that is full of them."""
    for canary in (None, [], [UNKNOWN], [{**FLAW, "vulns": []}]):
        lines, bad = audit(FILES, Advisories(canary))
        assert not bad
        assert "NOT AUDITED" in lines[0]
        assert "clean" not in " ".join(lines)


def test_what_was_left_out_is_named() -> None:
    lines, bad = audit(FILES, Advisories([FLAW], [CLEAN, UNKNOWN], None))
    assert not bad
    assert lines == [
        "server.txt: 1 audited",
        "  NOT AUDITED: torch",
        "ray.txt: NOT AUDITED, the advisories stopped answering",
    ]
