"""The filter, followed step by step as the kernel does, gives the answers of its table on both architectures."""

from __future__ import annotations

import errno
import re
from pathlib import Path

import pytest

from sandbox.local.jail import seccomp

ALLOW, KILL, NOTIFY = 0x7FFF0000, 0x80000000, 0x7FC00000
EPERM, ENOSYS, EINVAL = 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS, 0x50000 | errno.EINVAL
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


def answer(
    machine: str,
    number: int,
    *arguments: int,
    architecture: int | None = None,
    listened: bool = True,
    sockets: bool = True,
) -> int:
    """What the filter returns for a call, by an interpreter of its five instructions."""
    data = {0: number, 4: architecture or ARCHITECTURES[machine]}
    data |= {16 + 8 * index: value & 0xFFFFFFFF for index, value in enumerate((*arguments, 0, 0, 0))}
    program, at, loaded = seccomp.instructions(machine, listened=listened, sockets=sockets), 0, 0
    while True:
        code, if_true, if_false, value = program[at]
        at += 1
        if code == 0x06:
            return value
        if code == 0x20:
            loaded = data[value]
        else:
            holds = {0x15: loaded == value, 0x35: loaded >= value, 0x45: bool(loaded & value)}[code]
            at += if_true if holds else if_false


def number(machine: str, name: str) -> int:
    return seccomp._NUMBERS[name][list(ARCHITECTURES).index(machine)]


@pytest.mark.parametrize("sockets", [True, False])
@pytest.mark.parametrize("listened", [True, False])
@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_every_call_of_the_table_gets_its_answer_and_every_other_one_is_allowed(
    machine: str, listened: bool, sockets: bool
) -> None:
    expected = dict.fromkeys(range(seccomp._NEWEST + 1), ALLOW)
    for names, wanted in ((seccomp._KILLED, KILL), (seccomp._REFUSED, EPERM), (seccomp._ABSENT, ENOSYS)):
        expected |= {number(machine, name): wanted for name in names}
    expected |= {number(machine, name): NOTIFY if listened else ALLOW for name in seccomp._ANSWERED}
    expected |= {number(machine, name): ALLOW if sockets else EPERM for name in seccomp._OF_SOCKETS}
    expected.pop(-1, None)
    for name in ("clone", "socket", "socketpair", "setpriority", *seccomp._ON_PROCESS, *seccomp._OF_A_CLOCK):
        del expected[number(machine, name)]
    assert {call: answer(machine, call, listened=listened, sockets=sockets) for call in expected} == expected


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_calls_that_depend_on_their_arguments(machine: str) -> None:
    def of(name: str, *arguments: int) -> int:
        return answer(machine, number(machine, name), *arguments)

    assert of("clone", 0x01200011) == ALLOW
    assert {of("clone", flag | 17) for flag in (0x20000, 0x02000000, 0x10000000, 0x20000000, 0x40000000)} == {EPERM}
    for name in ("socket", "socketpair"):
        assert (of(name, 1), of(name, 2), of(name, 10), of(name, 16)) == (ALLOW, EPERM, EPERM, EPERM)
    assert answer(machine, number(machine, "socket"), 1, sockets=False) == EPERM
    assert (of("setpriority", 0, 0, 5), of("setpriority", 0, 1), of("setpriority", 1), of("setpriority", 2, 7)) == (
        ALLOW, EPERM, EPERM, EPERM,
    )  # fmt: skip
    for name in seccomp._OF_A_CLOCK:
        refused = {of(name, (~1 << 3 | kind) & 0xFFFFFFFF) for kind in range(8)}
        other = {of(name, (~pid << 3 | kind) & 0xFFFFFFFF) for pid in (0, 2, 3, 77) for kind in range(8)}
        assert (refused, other, {of(name, clock) for clock in range(16)}) == ({EINVAL}, {ALLOW}, {ALLOW})
    for name in seccomp._ON_PROCESS:
        assert (of(name, 0), of(name, 1), of(name, 77)) == (ALLOW, EPERM, ALLOW)


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_other_architectures_are_killed_and_newer_calls_do_not_exist(machine: str) -> None:
    other = next(value for name, value in ARCHITECTURES.items() if name != machine)
    assert answer(machine, 0, architecture=other) == KILL
    assert answer(machine, 0, architecture=0x40000003) == KILL
    assert {answer(machine, call) for call in (451, 462, 10_000, 0x40000000, 0xFFFFFFFF)} == {ENOSYS}


@pytest.mark.parametrize(
    ("machine", "header"),
    [("x86_64", "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), ("aarch64", "/usr/include/asm-generic/unistd.h")],
)
def test_numbers_are_those_of_the_kernels_headers(machine: str, header: str) -> None:
    if not Path(header).exists():
        pytest.skip("linux-libc-dev is not installed")
    lines = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", Path(header).read_text(encoding="ascii"))
    known = {name: int(value) for name, value in lines}
    ours = {name: number(machine, name) for name in seccomp._NUMBERS if name in known or number(machine, name) >= 0}
    assert {name: known.get(name, value) for name, value in ours.items()} == ours
    assert len(known.keys() & ours.keys()) > 70
