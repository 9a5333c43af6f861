"""A suite gains only by what it tells apart: whatever it claims of itself is worth nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sandbox.local import LocalSandbox
from trueward import Sample, Verdict
from verifiers.unit_tests import UnitTestsVerifier, verifier
from verifiers.unit_tests.suite import Ran
from verifiers.unit_tests.verifier import UnitTestsParams

pytestmark = pytest.mark.asyncio(loop_scope="module")
REFERENCE: dict[str, Any] = {
    "solution": "def half(n):\n    return n / 2\n",
    "mutants": ["def half(n):\n    return n // 2\n", "def half(n):\n    return n\n"],
}
GOOD = "from solution import half\n\ndef test_odd():\n    assert half(3) == 1.5\n"


async def judged(sandbox: LocalSandbox, suite: str, mutants: list[str] | None = None, **params: object) -> Verdict:
    found = UnitTestsVerifier(UnitTestsParams.model_validate(params))
    reference = {**REFERENCE, **({"mutants": mutants} if mutants else {})}
    task = found.triage(Sample(response=f"```python\n{suite}\n```", reference=reference))
    assert not isinstance(task, Verdict)
    return await found.execute(task, sandbox)


async def test_a_good_suite_kills_every_mutant(sandbox: LocalSandbox) -> None:
    verdict = await judged(sandbox, GOOD)
    assert (verdict.outcome, verdict.score, verdict.evidence["killed"]) == ("correct", 1.0, [0, 1])


CLAIM = "open('results.ndjson', 'w').write('{}'); import os; os._exit(0)"


@pytest.mark.parametrize(
    "trick",
    [
        "import sys; sys.exit(1)",
        "import os; os._exit(1)",
        "raise SystemExit",
        "import os; os.kill(os.getpid(), 9)",
        "import os; os.write(1, b'junk' * 99)",
        CLAIM.format('{"tests": 7}'),
        CLAIM.format('{"tests": [[]]}'),
        CLAIM.format(r'{"tests": ["a"]}\n{"name": [], "status": "passed"}'),
        CLAIM.format(r'{"tests": ["a"]}\n{"name": "a", "status": "odd"}'),
        CLAIM.format(r'{"tests": ["a"]}\n{"name": "a", "status": "passed", "elapsed_s": "x"}'),
        "import os; os.truncate('results.ndjson', 0); os._exit(0)",
        "import time; time.sleep(60)",
        "x = 'a' * (1 << 40)",
        "import inspect, solution; assert '//' not in inspect.getsource(solution.half)",
        "import solution; assert solution.half.__code__.co_code",
        "import solution; open(solution.__file__).read()",
    ],
)
async def test_no_trick_makes_a_suite_that_tests_nothing_score(sandbox: LocalSandbox, trick: str) -> None:
    suite = f"def test_it():\n    assert half(0) == 0\n    {trick}\n"
    verdict = await judged(sandbox, suite, limits={"wall_s": 1.0}, repeats=1)
    assert (verdict.outcome, verdict.score) == ("incorrect", 0.0)


WRITTEN = """
def half(n):
    '''The half.'''
    # by hand: a comment,
    #
    return ( n/2 )   # and blanks
"""
LOOKS = [
    "text = half.__globals__['__builtins__']['open']('candidate.py').read(); assert '#' in text",
    "text = half.__globals__['__builtins__']['open']('candidate.py').read(); assert '( n' in text",
    "text = half.__globals__['__builtins__']['open']('candidate.py').read(); assert len(text) > 60",
    "assert max(line or 0 for _, _, line in half.__code__.co_lines()) > 3",
    "assert half.__code__.co_firstlineno == 2",
]


@pytest.mark.parametrize("look", LOOKS)
async def test_no_suite_tells_the_solution_by_how_it_is_written(sandbox: LocalSandbox, look: str) -> None:
    mutants = [mutant.replace(":\n", ":\n    '''The half.'''\n") for mutant in REFERENCE["mutants"]]
    sample = Sample(
        response=f"```python\nfrom solution import half\ndef test_it():\n    {look}\n```",
        reference={"solution": WRITTEN, "mutants": [*mutants]},
    )
    verifier = UnitTestsVerifier(UnitTestsParams(repeats=1))
    task = verifier.triage(sample)
    assert not isinstance(task, Verdict)
    assert (await verifier.execute(task, sandbox)).score == 0.0


COMPARES = [
    "assert half.__code__.co_code == known.__code__.co_code",
    "assert half.__code__.co_consts == known.__code__.co_consts",
    "text = '{0.__code__.co_code}'\n    raw = object.__getattribute__(half, '_remote').session\n"
    "    assert raw.call(text, 'format', (half,), {}) == text.format(known)",
]


@pytest.mark.parametrize("compare", COMPARES)
async def test_no_suite_tells_the_solution_by_the_code_of_one_that_it_knows(
    sandbox: LocalSandbox, compare: str
) -> None:
    """The policy often knows the solution: comparing it with what is run would reject whatever differs, untested."""
    suite = f"from solution import half\ndef known(n):\n    return n / 2\ndef test_it():\n    {compare}\n"
    assert (await judged(sandbox, suite, repeats=1)).score == 0.0


async def test_mutants_that_differ_in_their_layout_alone_are_none(sandbox: LocalSandbox) -> None:
    reference = {"solution": WRITTEN, "mutants": [WRITTEN.replace("#", "# more")]}
    verifier = UnitTestsVerifier(UnitTestsParams())
    task = verifier.triage(Sample(response=f"```python\n{GOOD}\n```", reference={**reference}))
    assert not isinstance(task, Verdict)
    assert (await verifier.execute(task, sandbox)).reason_code == "no_mutants"


async def test_a_suite_that_fails_by_chance_is_found_out(sandbox: LocalSandbox) -> None:
    coin = "import random\ndef test_it():\n    assert half(2) == 1\n    assert random.SystemRandom().random() < 0.02\n"
    assert (await judged(sandbox, coin, repeats=3)).score == 0.0


async def test_a_suite_that_goes_by_the_clock_is_found_out(
    sandbox: LocalSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It passes in its first two runs, in which the right solution is met where that comes first, and fails later."""
    scores = []
    for late in range(12):
        early = iter([True, True])

        async def meet(*_: object, early: Iterator[bool] = early) -> Ran:
            return Ran(next(early, False), "failed", b"")

        monkeypatch.setattr(verifier, "meet", meet)
        mutants = [f"def half(n):\n    return n + {late + more}\n" for more in range(1, 6)]
        scores.append((await judged(sandbox, GOOD, mutants)).score or 0.0)
    assert sum(scores) / len(scores) < 0.25


async def test_coverage_weighs_as_asked_for(sandbox: LocalSandbox) -> None:
    lazy = "from solution import half\n\ndef test_it():\n    assert callable(half)\n"
    verdict = await judged(sandbox, lazy, coverage_weight=0.5, repeats=1)
    # the line of the definition runs on import, the one within it does not
    assert (verdict.evidence["coverage"], verdict.score) == (0.5, 0.25)


async def test_mutants_that_time_leaves_out_are_not_killed(sandbox: LocalSandbox) -> None:
    slow = GOOD.replace("    assert", "    import time\n    time.sleep(0.5)\n    assert")
    verdict = await judged(sandbox, slow, limits={"wall_s": 2.0, "suite_s": 0.3}, repeats=1)
    assert verdict.evidence["kill"] == 0.5
    assert (verdict.outcome, verdict.score) == ("partial", 0.5)
