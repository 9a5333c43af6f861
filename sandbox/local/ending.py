"""What a slot's report means: one status for each way in which a program can end."""

from __future__ import annotations

import os
import signal

from sandbox.base import Status
from sandbox.limits import Limits
from sandbox.local.jail.message import Report
from sandbox.out_of_memory import ran_out_of_memory

_NEAR = 0.9


def near_limit(report: Report, limits: Limits) -> bool:
    """Whether the program had nearly all the memory that it may have."""
    return report["peak_bytes"] > _NEAR * limits.memory_bytes


def status_of(report: Report, limits: Limits, *, killed_for_memory: bool, stderr: bytes) -> Status:
    """The status by what the kernel says, apart from what the service itself ended a run for."""
    status = report["status"]
    if killed_for_memory:
        return Status.MEMORY_LIMIT  # also where the rest of the program then waited for those that were killed
    if report["timed_out"]:
        return Status.TIME_LIMIT
    killed_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if killed_by == signal.SIGSYS:
        return Status.FORBIDDEN
    if killed_by == signal.SIGXCPU or report["cpu_s"] > limits.cpu_s:
        return Status.TIME_LIMIT
    if status == 0:
        return Status.FINISHED
    if near_limit(report, limits) or ran_out_of_memory(stderr):
        return Status.MEMORY_LIMIT
    return Status.SIGNALLED if killed_by else Status.NONZERO_EXIT
