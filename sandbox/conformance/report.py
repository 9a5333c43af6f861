"""What the suite found: a violation a broken clause, and a report that reads by itself."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Violation:
    """A clause of the contract that does not hold: the name of the check, and what was seen."""

    check: str
    detail: str

    def __str__(self) -> str:
        return f"{self.check}: {self.detail}"


@dataclass(slots=True)
class Report:
    """What was checked on which sandbox.

    ``elapsed_s`` has every check that ran, in seconds; ``unsupported`` those that the backend cannot do at all
    (pairs, a compiler), with its reason.
    """

    sandbox: str
    elapsed_s: dict[str, float] = field(default_factory=dict)
    unsupported: dict[str, str] = field(default_factory=dict)
    violations: list[Violation] = field(default_factory=list)

    def add(self, check: str, detail: str) -> None:
        """Adds a violation once."""
        if (violation := Violation(check, detail)) not in self.violations:
            self.violations.append(violation)

    @property
    def broken(self) -> set[str]:
        """The names of the checks that found something."""
        return {violation.check for violation in self.violations}

    def __str__(self) -> str:
        lines = [f"{self.sandbox}: {len(self.elapsed_s)} checks in {sum(self.elapsed_s.values()):.1f} s"]
        lines += [f"- unsupported: {name}: {reason}" for name, reason in self.unsupported.items()]
        lines += [f"- {violation}" for violation in self.violations]
        return "\n".join(lines)


class ConformanceFailure(AssertionError):
    """The sandbox breaks its contract; ``report`` lists every violation."""

    def __init__(self, report: Report) -> None:
        super().__init__(f"{len(report.violations)} violation(s) of the contract of sandboxes\n{report}")
        self.report = report
