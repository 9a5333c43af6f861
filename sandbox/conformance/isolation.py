"""What a program must not see, reach or do: the host's files, processes, network and kernel."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sandbox.base import Status
from sandbox.conformance.bench import Bench, brief, limits, probe
from sandbox.conformance.host import credentials, end_processes, new_marker
from sandbox.conformance.probes.syscall import CALLS


async def identity(bench: Bench) -> None:
    """No capability, no new privileges, no terminal, no descriptor but three, no core dumps."""
    await bench.probe("identity")


async def identity_outside(bench: Bench) -> None:
    """As the host's kernel sees it, where it is the same: not root, no capability, a seccomp filter."""
    name = new_marker()
    running = asyncio.create_task(bench.run(probe("hang"), "sleep", name, limits=limits(wall_s=2 * bench.brief_s)))
    seen = [credentials(pid) for pid in await bench.until_seen(name, running)]
    await running
    end_processes(name)
    for status in seen:
        bench.expect("0" not in status["Uid"].split() + status["Gid"].split(), f"root outside: {status['Uid']}")
        bench.expect(status["Groups"].split() in ([], status["Gid"].split()[:1]), f"groups {status['Groups']}")
        held = {kind: status[kind] for kind in ("CapInh", "CapPrm", "CapEff", "CapAmb") if int(status[kind], 16)}
        bench.expect(not held, f"capabilities outside: {held}")
        bench.expect(status["NoNewPrivs"] == "1", "no_new_privs is not set")
        bench.expect(status["Seccomp"] == "2", f"no seccomp filter: mode {status['Seccomp']}")


async def environment(bench: Bench) -> None:
    """No secret of the host, nor one of another run, is in the environment, the objects or the memory."""
    secret = bench.host.secret
    async with bench.open(f"print({secret!r})", secret, files={"secret.txt": secret.encode()}) as workspace:
        for _ in range(4):
            await workspace.run(secret.encode())
    async with bench.open(probe("secrets_in_reach")) as workspace:
        for _ in range(4):
            bench.heed(await workspace.run(), "secrets_in_reach")
    execution = await bench.run("import os; print(*os.environ)")
    leaked = {name for name in execution.stdout.decode().split() if name.startswith(("TRUEWARD", "AWS", "DOCKER"))}
    bench.expect(not leaked, f"the host's variables {sorted(leaked)} are there")


async def filesystem(bench: Bench) -> None:
    """No file of the host can be read, and nothing but the program's own places can be written."""
    await bench.probe("filesystem", str(bench.host.secret_file), bench.host.secret[::-1])


async def proc_and_sys(bench: Bench) -> None:
    """No process of others, no switch of the kernel."""
    await bench.probe("proc", *map(str, bench.host.canaries))


async def host_figures(bench: Bench) -> None:
    """No figure of the host's load, no counter of what all programs do, no name of the service's files."""
    await bench.probe("figures", str(Path(__file__).parents[2])[::-1])


async def network(bench: Bench) -> None:
    """No TCP, no UDP and with it no DNS, no Unix socket of the host, no interface that leads out."""
    tcp, udp = bench.host.ports
    host = bench.host
    ways = (str(tcp), str(udp), str(host.unix_path), host.unix_name[1:], *host.addresses)
    await bench.probe("network", *ways)
    for way in host.list_reached():
        bench.fault(f"the host was reached by {way}")


async def system_calls(bench: Bench) -> None:
    """Calls that only an attack makes are denied, or end the program as ``forbidden``."""
    for name in CALLS:
        execution = await bench.run(probe("syscall"), name, str(bench.host.canaries[0]))
        ended = bench.expect_status(execution, Status.FINISHED, Status.FORBIDDEN, of=name)
        if ended and execution.status is Status.FINISHED:
            said = execution.stdout.decode(errors="replace").strip()
            bench.expect(said == "denied", f"{name} is {said or brief(execution)}")


async def other_processes(bench: Bench) -> None:
    """Processes of the host cannot be signalled; nor is the sandbox harmed by signals to all that can be reached."""
    execution = await bench.run(probe("canaries"), *map(str, bench.host.canaries))
    lost = bench.host.count_lost_canaries()
    bench.expect(lost == 0, f"{lost} processes of the host were killed")
    # One may be a process of the jail by chance; all of them cannot.
    if len(execution.stdout.split()) == len(bench.host.canaries):
        bench.fault("processes of the host can be addressed; signals to the parent are not tried")
        return
    for target in ("parent", "group", "everyone"):
        run = bench.run(probe("signals"), target, limits=limits(wall_s=3.0))
        execution, elapsed_s = await bench.time_run(run)
        allowed = (Status.FINISHED, Status.SIGNALLED, Status.TIME_LIMIT, Status.FORBIDDEN)
        bench.expect_status(execution, *allowed, of=f"a program that signals its {target}")
        bench.expect(elapsed_s <= 3.0 + bench.grace_s, f"signals to its {target} took {elapsed_s:.1f} s of 3 s")
        for _ in range(3):
            after = await bench.run("print('alive')")
            bench.expect(after.stdout == b"alive\n", f"after signals to its {target}: {brief(after)}")


CHECKS = (
    identity,
    identity_outside,
    environment,
    filesystem,
    proc_and_sys,
    host_figures,
    network,
    system_calls,
    other_processes,
)
