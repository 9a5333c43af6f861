"""A patched repository: the hidden tests win over the patch, and a failure of the patch is never free."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from sandbox.languages import languages
from sandbox.local import LocalSandbox
from trueward import Sample, Verdict
from verifiers.patch.repository import RepositoryPatchParams, RepositoryPatchVerifier

pytestmark = pytest.mark.asyncio(loop_scope="module")
REFERENCE = {
    "files": {"pkg/half.py": "def half(n):\n    return n\n", "pkg/__init__.py": ""},
    "tests": {"tests/check.py": "from pkg.half import half\nassert half(5) == 2.5, 'zq7canary'\n"},
    "command": "PYTHONPATH=. python3 -B tests/check.py",
}
REPAIR = "--- a/pkg/half.py\n+++ b/pkg/half.py\n@@ -1,2 +1,2 @@\n def half(n):\n-    return n\n+    return {}\n"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sandbox() -> AsyncIterator[LocalSandbox]:
    made = LocalSandbox(workers=1)
    yield made
    await made.close()


async def judged(sandbox: LocalSandbox, patch: str, **params: object) -> Verdict:
    verifier = RepositoryPatchVerifier(RepositoryPatchParams.model_validate(params))
    task = verifier.triage(Sample(response=f"```diff\n{patch}```", reference=REFERENCE))
    assert not isinstance(task, Verdict)
    return await verifier.execute(task, sandbox)


async def test_a_repair_passes_and_says_that_it_could_be_forged(sandbox: LocalSandbox) -> None:
    verdict = await judged(sandbox, REPAIR.format("n / 2"))
    assert (verdict.outcome, verdict.evidence["forgeable"]) == ("correct", True)
    assert verdict.evidence["changed"] == ["pkg/half.py"]


@pytest.mark.parametrize(
    "extra",
    [
        "--- /dev/null\n+++ b/tests/check.py\n@@ -0,0 +1 @@\n+pass\n",
        "--- /dev/null\n+++ b/tests\n@@ -0,0 +1 @@\n+pass\n",
        "--- /dev/null\n+++ b/tests/check.py/x\n@@ -0,0 +1 @@\n+pass\n",
    ],
)
async def test_no_patch_replaces_a_hidden_test(sandbox: LocalSandbox, extra: str) -> None:
    verdict = await judged(sandbox, REPAIR.format("n / 3") + extra)
    assert (verdict.outcome, verdict.reason_code) == ("incorrect", "command_failed")
    assert (await judged(sandbox, REPAIR.format("n / 2") + extra)).outcome == "correct"


@pytest.mark.parametrize("body", ["exit(3)", "(lambda f: f(f))(lambda f: f(f))", "'x' * (1 << 36)"])
async def test_a_program_that_breaks_is_not_passed(sandbox: LocalSandbox, body: str) -> None:
    verdict = await judged(sandbox, REPAIR.format(body))
    assert (verdict.outcome, verdict.score) == ("incorrect", 0.0)


async def test_a_program_that_hangs_is_ended(sandbox: LocalSandbox) -> None:
    verdict = await judged(sandbox, REPAIR.format("[0 for _ in iter(int, 1)]"), limits={"wall_s": 1.0})
    assert (verdict.outcome, verdict.score) == ("incorrect", 0.0)


@pytest.mark.parametrize("level", ["none", "status", "redacted", "full"])
async def test_hidden_tests_are_told_at_full_level_alone(sandbox: LocalSandbox, level: str) -> None:
    verdict = await judged(sandbox, REPAIR.format("n / 3"), feedback=level)
    assert ("zq7canary" in verdict.model_dump_json()) is (level == "full")
    assert (verdict.feedback is None) is (level == "none")


@pytest.mark.parametrize("language", languages())
async def test_a_patch_cannot_put_a_folder_where_the_source_file_lies(sandbox: LocalSandbox, language: str) -> None:
    patch = f"--- /dev/null\n+++ b/{languages()[language].file}/x\n@@ -0,0 +1 @@\n+1\n"
    verdict = await judged(sandbox, patch, language=language)
    assert (verdict.outcome, verdict.reason_code, verdict.score) == ("invalid", "bad_path", 0.0)


@pytest.mark.parametrize("path", ["漢" * 200, "/".join("abcdefghijklmnopqr"), "é" * 128 + "/x"])
async def test_a_path_that_no_sandbox_lays_out_is_the_patchs_doing(sandbox: LocalSandbox, path: str) -> None:
    verdict = await judged(sandbox, f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+1\n")
    assert (verdict.outcome, verdict.reason_code, verdict.score) == ("invalid", "bad_path", 0.0)
