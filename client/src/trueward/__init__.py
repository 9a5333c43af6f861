"""Trueward: rewards and verifiers for reinforcement learning of language models.

``from trueward import Client`` calls a service; ``from trueward import SampleVerifier`` writes a verifier.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from trueward.types import (
    Group,
    Lane,
    Message,
    Outcome,
    Producer,
    Reward,
    RewardsRequest,
    RewardsResponse,
    Run,
    Sample,
    Scale,
    TokenLogprobs,
    Verdict,
    VerifyRequest,
    VerifyResponse,
)
from trueward.verifier import Abstain, Example, Params, SampleVerifier, Task, Verifier

if TYPE_CHECKING:
    from trueward.client import AsyncClient, Client
    from trueward.conformance import check_verifier

    __version__: str

_LAZY = {"AsyncClient": "client", "Client": "client", "check_verifier": "conformance"}

__all__ = [
    "Abstain",
    "AsyncClient",
    "Client",
    "Example",
    "Group",
    "Lane",
    "Message",
    "Outcome",
    "Params",
    "Producer",
    "Reward",
    "RewardsRequest",
    "RewardsResponse",
    "Run",
    "Sample",
    "SampleVerifier",
    "Scale",
    "Task",
    "TokenLogprobs",
    "Verdict",
    "Verifier",
    "VerifyRequest",
    "VerifyResponse",
    "__version__",
    "check_verifier",
]


def __getattr__(name: str) -> object:
    """Loads what is seldom needed when it is asked for: a verifier in a worker process has no use for HTTP."""
    if name in _LAZY:
        return getattr(import_module(f"trueward.{_LAZY[name]}"), name)
    if name == "__version__":
        return import_module("importlib.metadata").version("trueward")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
