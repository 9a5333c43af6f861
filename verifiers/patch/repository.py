"""``repository_patch``: does a command pass in a small repository once the response's patch is applied?

The patch (a unified diff, or search/replace blocks) is applied here, to files held in memory, by a strict reader
that refuses paths outside the repository, symbolic links and git's own folder; then the hidden test files are laid
over the result, so that no patch replaces them, and the command runs in the sandbox. Passing is exit status 0.

The patched code and the tests share a process by nature, so a patch can end it with status 0 before a test has run:
each verdict says ``forgeable: true`` in its evidence. Not covered: repositories in git, binary files, a check that
the command fails without the patch.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, ClassVar, NamedTuple, NotRequired

from pydantic import Field, JsonValue, with_config
from typing_extensions import TypedDict

from sandbox.base import Execution, Program, Sandbox, Status, run
from sandbox.languages import find_language
from trueward.authoring.verifier import Abstain, Example, Params, Task, Text, defect
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers.code.block import blocks
from verifiers.code.params import CodeLimits, LanguageName, Level
from verifiers.extract import NoAnswer
from verifiers.fields import fields
from verifiers.legible import legible
from verifiers.patch.edits import Files, PatchError, apply_edits
from verifiers.patch.reference import texts
from verifiers.patch.unified import apply_diff
from verifiers.sandboxed import SandboxVerifier
from verifiers.scope import Scope, extract_scope

LONGEST = 200_000
"""Characters that a patch may have."""

_SEARCH = "<<<<<<< SEARCH"


class RepositoryPatchParams(Params):
    language: LanguageName = Field(default="python", description="the language whose tool chain the command uses")
    limits: CodeLimits = Field(
        default=CodeLimits(wall_s=30.0), description="bounds of the command; `suite_s` does not matter here"
    )
    feedback: Level = Field(
        default="status",
        description="what the verdict's feedback tells: nothing (`none`), how the command ended (`status`, "
        "`redacted`), or also what it printed (`full`)",
    )


class Patch(NamedTuple):
    """What is applied to what, the reference in JSON."""

    text: str
    reference: str


@with_config(extra="forbid")
class RepositoryReference(TypedDict):
    """As it is sent; or as the text of its JSON."""

    files: dict[Text, Text]
    tests: NotRequired[dict[Text, Text]]
    command: Text | list[Text]


class Repository(NamedTuple):
    """The reference as it is used."""

    files: dict[str, str]
    tests: dict[str, str]
    command: tuple[str, ...]


class RepositoryPatchVerifier(SandboxVerifier[RepositoryPatchParams]):
    name: ClassVar[str] = "repository_patch"
    version: ClassVar[str] = "5"
    summary: ClassVar[str] = "A diff applied to a small repository, then a command with hidden tests in the sandbox"
    Reference: ClassVar[Any] = RepositoryReference | Text
    Params: ClassVar[type[Params]] = RepositoryPatchParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            sample=Sample(
                response="```diff\n--- a/half.py\n+++ b/half.py\n@@ -1,2 +1,2 @@\n def half(n):\n-    return n\n"
                "+    return n / 2\n```",
                reference={
                    "files": {"half.py": "def half(n):\n    return n\n"},
                    "tests": {"check.py": "from half import half\nassert half(4) == 2\n"},
                    "command": "python3 check.py",
                },
            ),
            outcome="correct",
        ),
        Example(
            sample=Sample(
                response="```diff\n--- a/half.py\n+++ b/half.py\n@@ -1,2 +1,2 @@\n def half(n):\n-    return n\n"
                "+    return n / 3\n```",
                reference={
                    "files": {"half.py": "def half(n):\n    return n\n"},
                    "tests": {"check.py": "from half import half\nassert half(4) == 2\n"},
                    "command": "python3 check.py",
                },
            ),
            outcome="incorrect",
        ),
        Example(
            sample=Sample(
                response="```diff\n--- a/../x\n+++ b/../x\n@@ -0,0 +1 @@\n+1\n```",
                reference={"files": {"half.py": ""}, "command": "true"},
            ),
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
        if len(sample.references) != 1:
            raise Abstain("reference_type", "a repository is one reference, not several")
        reference = sample.references[0]
        _repository(reference)
        answer = extract_scope(sample, Scope.ANSWER)
        if isinstance(answer, NoAnswer):
            return Verdict.invalid(answer.reason_code, answer.reason)
        text = _patch_text(answer.text)
        if len(text) > LONGEST:
            return Verdict.invalid("too_long", f"the patch has more than {LONGEST} characters")
        return Patch(text, json.dumps(reference))

    async def execute(self, task: Task, sandbox: Sandbox) -> Verdict:
        assert isinstance(task, Patch)
        repository = _repository(json.loads(task.reference))
        try:
            changed = await asyncio.to_thread(_applied, task.text, repository.files, self._source)
        except PatchError as failure:
            return Verdict.invalid(failure.reason_code, str(failure))
        evidence: dict[str, JsonValue] = {"forgeable": True, "changed": [*sorted(changed)[:100]]}
        files = _laid_out(repository, changed)
        program = _program(self.params.language, self._source, files, repository.command)
        execution = await run(sandbox, program, self.params.limits.of_a_test())
        return self._verdict(execution, evidence)

    @property
    def _source(self) -> str:
        """The name under which a sandbox lays out the language's own source file, whatever else is there."""
        known = find_language(self.params.language)
        assert known is not None
        return known.file

    def _verdict(self, execution: Execution, evidence: dict[str, JsonValue]) -> Verdict:
        evidence["status"] = str(execution.status)
        if execution.status is Status.FINISHED:
            return Verdict.correct("command_passed", "the command ended with status 0", evidence=evidence)
        code = "command_failed" if execution.status is Status.NONZERO_EXIT else str(execution.status)
        exit_code = "" if execution.exit_code is None else f" {execution.exit_code}"
        reason = f"the command ended with {execution.status}{exit_code}"
        return Verdict.incorrect(code, reason, evidence=evidence, feedback=self._feedback(reason, execution))

    def _feedback(self, reason: str, execution: Execution) -> str | None:
        if self.params.feedback == "none":
            return None
        if self.params.feedback != "full":
            return reason
        # the ends of both streams say most, and four thousand characters have to do
        ends = (stream[-4000:].decode(errors="replace")[-1900:] for stream in (execution.stdout, execution.stderr))
        return legible("\n".join([reason, *ends]))[:4000]


def _patch_text(answer: str) -> str:
    """All of an answer with search/replace blocks, else its last fenced block, else all of it."""
    fenced = [] if _SEARCH in answer else blocks(answer)
    return legible(fenced[-1].text if fenced else answer)


def _applied(text: str, files: Files, source: str) -> dict[str, str | None]:
    """The files that the patch changes; raises :class:`PatchError`."""
    changed: dict[str, str | None] = {}
    changed.update(apply_edits(text, files) if _SEARCH in text else apply_diff(text, files))
    names = {path for path, content in changed.items() if content is not None}
    everything = {path for path in files if path not in changed} | names | {source}
    folders = {"/".join(path.split("/")[:depth]) for path in everything for depth in range(1, path.count("/") + 1)}
    if clash := sorted(folders & everything):
        raise PatchError("bad_path", f"{clash[0][:100]!r} is a file and a folder")
    return changed


def _laid_out(repository: Repository, changed: dict[str, str | None]) -> dict[str, str]:
    """The repository after the patch, with the tests over it: what stands in their way goes."""
    files = {path: text for path, text in {**repository.files, **changed}.items() if text is not None}
    for test in repository.tests:
        files = {path: text for path, text in files.items() if not _in_the_way(path, test)}
    return files | repository.tests


def _in_the_way(path: str, test: str) -> bool:
    return f"{test}/".startswith(f"{path}/") or path.startswith(f"{test}/")


def _program(language: str, source: str, files: dict[str, str], command: tuple[str, ...]) -> Program:
    """The repository as a program: the language's own source file is one of its files."""
    encoded = {path: text.encode() for path, text in files.items() if path != source}
    return Program(language, files.get(source, ""), files=encoded, command=command)


def _repository(value: JsonValue) -> Repository:
    found = fields(value, RepositoryReference)
    command = found.get("command")
    words = ["sh", "-c", command] if isinstance(command, str) and command.strip() else command
    if not isinstance(words, list) or not words or not all(isinstance(word, str) and word for word in words):
        raise Abstain("reference_type", "a reference's command is a command line or a list of its words")
    files, tests = texts(found.get("files"), "files"), texts(found.get("tests", {}), "tests")
    return Repository(files, tests, tuple(map(str, words)))
