"""Trueward: rewards and verifiers for reinforcement learning of language models.

``from trueward import Client`` calls a service; ``from trueward import SampleVerifier`` writes a verifier.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from trueward import moved_modules

if TYPE_CHECKING:
    from trueward.authoring.conformance import check_verifier
    from trueward.authoring.verifier import Abstain, Example, Params, SampleVerifier, Task, Verifier
    from trueward.client import AsyncClient, Client
    from trueward.wire.reward import Group, Reward
    from trueward.wire.run import Run
    from trueward.wire.sample import Message, Sample, TokenLogprobs
    from trueward.wire.scoring import RewardsRequest, RewardsResponse, VerifyRequest, VerifyResponse
    from trueward.wire.verdict import Outcome, Producer, Verdict
    from trueward.wire.verifier import Lane, Scale

    __version__: str

moved_modules.install()

_MODULES = {
    "authoring.conformance": ("check_verifier",),
    "authoring.verifier": ("Abstain", "Example", "Params", "SampleVerifier", "Task", "Verifier"),
    "client": ("AsyncClient", "Client"),
    "wire.reward": ("Group", "Reward"),
    "wire.run": ("Run",),
    "wire.sample": ("Message", "Sample", "TokenLogprobs"),
    "wire.scoring": ("RewardsRequest", "RewardsResponse", "VerifyRequest", "VerifyResponse"),
    "wire.verdict": ("Outcome", "Producer", "Verdict"),
    "wire.verifier": ("Lane", "Scale"),
}
_PLACES = {name: module for module, names in _MODULES.items() for name in names}

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
    """Loads a name's module when it is asked for: the command's help has no use for types, a worker none for HTTP."""
    if name in _PLACES:
        found: object = getattr(import_module(f"trueward.{_PLACES[name]}"), name)
        globals()[name] = found
        return found
    if name == "__version__":
        return import_module("importlib.metadata").version("trueward")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
