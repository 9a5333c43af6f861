"""``code``: a response's program, run against tests in a sandbox.

Kinds of tests (:mod:`verifiers.code.suite`): standard input and output, calls, assertions, test files with a command,
interactive. The program never meets an expected value: outputs and returned values are compared here, on the host;
assertions run in another process under another user. What the program does to itself (it hangs, crashes, floods) is
a test that is not passed; what the sandbox does is raised through; what the caller's tests do is ``abstained``.

Not covered: whether the tests are good, programs of several files, packages beyond those of the sandbox.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from pydantic import JsonValue

from sandbox.base import Sandbox, Unsupported
from trueward.authoring.verifier import Abstain, Example, Params, Task, Text, defect
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict
from trueward.wire.verifier import Scale
from verifiers.code.assertions import SPLIT, WrongLanguage, run_assertions, run_files
from verifiers.code.block import Code, code
from verifiers.code.calls import CALLED, run_calls
from verifiers.code.feedback import feedback
from verifiers.code.interactive import run_interactive
from verifiers.code.params import CodeParams, resolve_language
from verifiers.code.result import Report
from verifiers.code.session import Session
from verifiers.code.stdio import run_stdio
from verifiers.code.suite import Suite, format_reference, suite
from verifiers.extract import NoAnswer
from verifiers.sandboxed import SandboxVerifier

_RUNNERS = {
    "stdio": run_stdio,
    "calls": run_calls,
    "assertions": run_assertions,
    "files": run_files,
    "interactive": run_interactive,
}


class Trial(NamedTuple):
    """What has to be run: the program, and the references as JSON.

    ``stated``: the caller said which language it is; ``chosen``: the response did.
    """

    code: str
    language: str
    stated: bool
    chosen: bool
    blocks: int
    references: tuple[str, ...]


def _example(program: str, outcome: str) -> Example:
    reference: JsonValue = {"stdio": [{"stdin": "2 3\n", "stdout": "5\n"}, {"stdin": "-1 1\n", "stdout": "0\n"}]}
    return Example(sample=Sample(response=f"```python\n{program}\n```", reference=reference), outcome=outcome)


class CodeVerifier(SandboxVerifier[CodeParams]):
    name: ClassVar[str] = "code"
    version: ClassVar[str] = "11"
    summary: ClassVar[str] = "A program run against tests: input and output, calls, assertions, test files, interactive"
    scale: ClassVar[Scale] = "graded"
    Reference: ClassVar[Any] = Suite | Text
    Params: ClassVar[type[Params]] = CodeParams
    examples: ClassVar[tuple[Example, ...]] = (
        _example("print(sum(map(int, input().split())))", "correct"),
        _example("print(5)", "partial"),
        _example("print('hello')", "incorrect"),
        Example(
            sample=Sample(
                response="```python\ndef double(x):\n    return 2 * x\n```",
                reference={"calls": [{"function": "double", "args": [21], "expected": 42}]},
            ),
            outcome="correct",
        ),
        Example(
            sample=Sample(response="It is x plus x.", reference={"assertions": ["assert double(21) == 42"]}),
            outcome="invalid",
        ),
    )

    @property
    def limit_s(self) -> float:
        return self.params.limits.wall_s

    def triage(self, sample: Sample) -> Verdict | Task:
        found = defect(sample, self.needs)
        if found is not None:
            return found
        references = tuple(dict.fromkeys(format_reference(reference) for reference in sample.references))
        suites = [suite(text) for text in references]
        stated = self._language(sample)
        program = code(sample, stated, self.params.block, lambda: {name for one in suites for name in one.tested})
        if isinstance(program, NoAnswer):
            return Verdict.invalid(program.reason_code, program.reason)
        for one in suites:
            refusal = self._refusal(one, program)
            if refusal is not None and program.chosen:
                return Verdict.invalid("unsupported_language", f"{refusal.reason}; the code block chose the language")
            if refusal is not None:
                raise refusal
        return Trial(program.text, program.language, stated is not None, program.chosen, program.blocks, references)

    def _language(self, sample: Sample) -> str | None:
        if self.params.language is not None:
            return self.params.language
        stated = (sample.metadata or {}).get("language")
        if stated is None:
            return None
        try:
            return resolve_language(str(stated))
        except ValueError as failure:
            raise Abstain("bad_language", f"metadata.language: {failure}") from failure

    def _refusal(self, tests: Suite, program: Code) -> Abstain | None:
        """Why these tests cannot be run in this language, whatever the sandbox."""
        language = program.language
        if tests.calls and language not in CALLED:
            return Abstain("unsupported_kind", f"calls are not supported in {language}: use stdio")
        if tests.files and language != "python":
            return Abstain("unsupported_kind", f"test files with a command are run in Python, not in {language}")
        if tests.assertions and language not in SPLIT and not self.params.same_process:
            return Abstain("needs_same_process", f"tests in {language} link into the program: set same_process: true")
        if tests.assertions and language not in SPLIT and program.chosen:
            # a shell program that ends with exit code 0 would pass any test
            return Abstain("language_not_stated", f"tests that link into {language} need the parameter language")
        return None

    async def execute(self, task: Task, sandbox: Sandbox) -> Verdict:
        """The best verdict that any of the references gives."""
        assert isinstance(task, Trial)
        found: Verdict | None = None
        for text in task.references:
            verdict = await self._tried(task, suite(text), sandbox)
            if verdict.outcome is Outcome.CORRECT:
                return verdict
            # of two references one that cannot be judged leaves the question open
            if found is None or verdict.score is None or (found.score is not None and verdict.score > found.score):
                found = verdict
        assert found is not None
        return found

    async def _tried(self, task: Trial, tests: Suite, sandbox: Sandbox) -> Verdict:
        limits = tests.override_limits(self.params.limits)
        # alternatives share the time of one suite, so that hanging in all of them takes no longer
        left_s = limits.suite_s / len(task.references)
        session = Session(sandbox, task.code, task.language, tests, task.stated, self.params, limits, left_s)
        try:
            for kind, runner in _RUNNERS.items():
                if kind in tests.kinds:
                    await runner(session)
        except WrongLanguage as wrong:
            return Verdict.invalid("unjudgeable_response", str(wrong))
        except Abstain as refusal:
            return Verdict.abstained(refusal.reason_code, refusal.reason)
        except Unsupported:
            reasons = await sandbox.languages()
            lacking = reasons.get(task.language, "unknown")
            if not task.chosen or not lacking or all(reasons.values()):
                raise
            return Verdict.invalid(
                "unsupported_language", f"{task.language} of the code block is missing here: {lacking}"
            )
        return self._verdict(task, session.report)

    def _verdict(self, task: Trial, report: Report) -> Verdict:
        total = len(report.results)
        if not total:
            return Verdict.abstained("no_tests", "the tests' command ran no test")
        evidence: dict[str, JsonValue] = {"language": task.language, "blocks": task.blocks, **report.evidence()}
        said = feedback(report, self.params.feedback)
        if report.compile_output is not None:
            return Verdict.incorrect("compile_error", "the program does not compile", evidence=evidence, feedback=said)
        reason = f"{report.passed} of {total} tests passed"
        if report.passed == total:
            return Verdict.correct("all_passed", reason, evidence=evidence, feedback=said)
        if not report.passed:
            return Verdict.incorrect("none_passed", reason, evidence=evidence, feedback=said)
        return Verdict.partial(report.fraction, "some_passed", reason, evidence=evidence, feedback=said)
