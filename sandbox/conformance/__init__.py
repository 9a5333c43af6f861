"""The conformance suite of sandboxes: the same one for built-in and third-party backends.

::

    def test_conforms() -> None:
        check_sandbox(MySandbox)

Programs that do what hostile ones do are run in the sandbox under test, most of them the Python files in
``probes/``: they look for what they should not see, try what they should not be able to do, and say so. What a
program cannot tell by itself (a canary process that died, a datagram that arrived, a process or a file left
behind, root as the host's kernel sees it) is looked up on the host while it runs. Every probe is harmless on a
host that nothing protects: it aims at processes, files and sockets that the suite made for it, and its bombs are
small. One sandbox goes through all checks, so that what one leaves is there for the next.

Needs Linux and Python as a language of the sandbox; what needs C or pairs is listed as unsupported where they are
missing. Not covered: how fast it is, whether it survives thousands of runs (``benchmarks``), side channels,
holes of the kernel itself, and leftovers of a backend on another machine.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from sandbox.base import Sandbox, SandboxFailure, Unsupported
from sandbox.conformance import bounds, channels, failures, isolation, leftovers, pairs, statuses
from sandbox.conformance.bench import Bench
from sandbox.conformance.failures import Outage, outage
from sandbox.conformance.host import Host
from sandbox.conformance.report import ConformanceFailure, Report, Violation

__all__ = ["CHECKS", "ConformanceFailure", "Outage", "Report", "Violation", "check_sandbox"]

Check = Callable[[Bench], Awaitable[None]]

_GROUPS = (statuses, channels, bounds, isolation, leftovers, pairs, failures)
CHECKS: dict[str, Check] = {check.__name__: check for group in _GROUPS for check in group.CHECKS}
"""Every check by name; its docstring is the clause that it holds the sandbox to."""

WAITING: frozenset[Check] = frozenset(
    {
        statuses.usage_is_told,
        statuses.hostile_compilations,
        channels.closed_output,
        bounds.wall_clock,
        bounds.cpu_time,
        bounds.memory,
        bounds.silence,
        isolation.identity_outside,
        leftovers.side_by_side,
        leftovers.shared_files,
        leftovers.shared_devices,
        leftovers.cancelled_runs,
        pairs.first_ends,
        pairs.nobody_listens,
        pairs.pair_limits,
        pairs.pair_isolation,
    }
)
"""Checks that mostly wait for limits, and ask nothing of what other programs do meanwhile."""

_CHECK_S = 120.0


def check_sandbox(
    make: Callable[[], Sandbox],
    *,
    grace_s: float = 1.0,
    strike: Outage | None = None,
    only: Iterable[str] = CHECKS,
    at_once: int = 1,
) -> Report:
    """Runs the suite on sandboxes that ``make`` gives. Raises :class:`ConformanceFailure` with every violation.

    ``grace_s`` is how late the end of a run may be told, in seconds. ``strike``, where given, breaks a sandbox
    while it runs programs (kills its server, stops its daemon): the check ``outages`` then asks that no program is
    blamed. ``only`` names the checks to run; without it all of :data:`CHECKS`. So many of :data:`WAITING` as
    ``at_once`` says run side by side, which saves time where the sandbox runs four programs at once for each.
    """
    checks = {name: CHECKS[name] for name in only}
    if strike is not None:
        checks["outages"] = outage(strike)
    report = asyncio.run(_suite(make, grace_s, checks, at_once))
    if report.violations:
        raise ConformanceFailure(report)
    return report


async def _suite(make: Callable[[], Sandbox], grace_s: float, checks: dict[str, Check], at_once: int) -> Report:
    with Host() as host:
        sandbox = make()
        report = Report(sandbox.name)
        benches = {name: Bench(name, sandbox, make, host, report, grace_s) for name in checks}
        waiting = [name for name, check in checks.items() if at_once > 1 and check in WAITING]
        places = asyncio.Semaphore(at_once)

        async def placed(name: str) -> None:
            async with places:
                await _one(checks[name], benches[name])

        try:
            await asyncio.gather(*map(placed, waiting))
            for name in [name for name in checks if name not in waiting]:
                await _one(checks[name], benches[name])
        finally:
            await sandbox.close()
    return report


async def _one(check: Check, bench: Bench) -> None:
    loop = asyncio.get_running_loop()
    start_s = loop.time()
    try:
        async with asyncio.timeout(_CHECK_S):
            await check(bench)
    except Unsupported as refusal:
        bench.report.unsupported[bench.check] = str(refusal)
    except SandboxFailure as failure:
        bench.fault(f"the sandbox failed: {failure}")
    except TimeoutError:
        bench.fault(f"it did not end within {_CHECK_S:g} s")
    except Exception as error:  # noqa: BLE001 - a foreign backend may raise anything, and that is a violation
        bench.fault(f"raised {type(error).__name__}: {' '.join(str(error).split())[:300]}")
    bench.report.elapsed_s[bench.check] = loop.time() - start_s
