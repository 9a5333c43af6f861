"""One response judged by the ``code`` verifier in a given sandbox, as the service's lane does it."""

from __future__ import annotations

from pydantic import JsonValue

from sandbox.base import Sandbox, Unsupported
from trueward import Sample, Verdict
from trueward.authoring.verifier import Abstain
from verifiers.code import CodeVerifier
from verifiers.code.params import CodeParams
from verifiers.sandboxed import report_unsupported

FAST: dict[str, JsonValue] = {"wall_s": 1.0, "suite_s": 6.0}


async def judged(
    sandbox: Sandbox, response: str, reference: JsonValue, params: dict[str, JsonValue] | None = None
) -> Verdict:
    """With a second a test, where ``params`` say nothing else; a sandbox's failure is raised."""
    verifier = CodeVerifier(CodeParams.model_validate({"limits": FAST, **(params or {})}))
    try:
        found = verifier.triage(Sample(response=response, reference=reference))
        return found if isinstance(found, Verdict) else await verifier.execute(found, sandbox)
    except Abstain as refusal:
        return Verdict.abstained(refusal.reason_code, refusal.reason)
    except Unsupported as refusal:
        return report_unsupported(refusal)


def fenced(code: str, language: str = "python") -> str:
    return f"Here it is:\n\n```{language}\n{code}\n```\n"


def statuses(verdict: Verdict) -> list[JsonValue]:
    tests = verdict.evidence["tests"]
    assert isinstance(tests, list)
    return [test["status"] for test in tests if isinstance(test, dict)]
