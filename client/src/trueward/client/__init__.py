"""Clients of a Trueward service: :class:`Client` blocks, :class:`AsyncClient` awaits; they do the same.

What a call is made of, how answers and failures are read, when to try again: all of that is written once,
without input or output (``call``, ``chunk``, ``plan``, ``deadline``), and the two clients only move bytes.
"""

from trueward.client.awaiting import AsyncClient
from trueward.client.blocking import Client
from trueward.client.job import AsyncJob, Job
from trueward.client.plan import Context
from trueward.client.state import JobState, Readiness

__all__ = ["AsyncClient", "AsyncJob", "Client", "Context", "Job", "JobState", "Readiness"]
