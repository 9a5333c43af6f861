"""What service and slot tell each other: JSON objects, one a packet, on a SOCK_SEQPACKET socket pair.

Service to server: ``Setting`` once, then ``{}`` with one descriptor for each new slot: the slot's end of its own
channel. Service to slot: a :class:`Run` with the descriptors payload, stdin, stdout, stderr and, where files are to
come back, a memfd for them; ``{"stop": true}`` ends the run early, and so does ``{"silent_s": s}``, the seconds beyond
its limit of silence, where the program was not kept from running for longer than that. Slot to service: ``{"pid": n}``
once, then one :class:`Report` for each run.
"""

from __future__ import annotations

from typing import TypedDict

PACKET_BYTES = 2**17


class Setting(TypedDict):
    """``etc``: names in /etc to show; ``harness``: its folder on the host; ``packages``: folders in it by path, and
    the host's files and folders to show there, by name."""

    harness: str
    packages: dict[str, dict[str, str]]
    etc: list[str]


class Step(TypedDict):
    """One thing that the server asked of the kernel; ``error`` is empty where it was granted."""

    name: str
    error: str


class Hello(TypedDict):
    """The server's answer to its setting; ``python`` is its interpreter's path, ``broken`` why it cannot go on."""

    steps: list[Step]
    python: str
    broken: str


class Run(TypedDict):
    """Limits of one run, in seconds and bytes; 0 address space: unlimited.

    ``fetch``: files of the working directory to bring back; null: all of them. ``file_bytes`` bounds each file,
    ``proc``: there is no run without a /proc. ``most_held_s``: what the program may be given beyond ``wall_s`` for the
    time in which it, or the program of the slot ``partner`` (a process id of the host, 0: none), was kept from running.
    """

    wall_s: float
    most_held_s: float
    partner: int
    cpu_s: float
    address_space: int
    disk_bytes: int
    inodes: int
    processes: int
    proc: bool
    fetch: list[str] | None
    file_bytes: int


class Report(TypedDict):
    """How a run ended: ``status`` as wait(2) gives it. ``failure`` is our own, and then nothing else holds.

    ``wall_s`` is the program's own time; ``held_s`` more passed in which it was kept from running; ``starved``: it was
    ended for that.
    """

    failure: str
    status: int
    timed_out: bool
    wall_s: float
    cpu_s: float
    peak_bytes: int
    held_s: float
    starved: bool


class Head(TypedDict):
    """The first part of a payload: what to run, and the files that follow, as (name, mode, size)."""

    python: bool
    command: list[str]
    environment: dict[str, str]
    files: list[tuple[str, int, int]]
