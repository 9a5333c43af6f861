"""The protocols of other model servers by name; packages bring theirs as entry points of ``trueward.model_servers``.

Each is a class, made without arguments, with the methods of :class:`judges.remote.dialect.Dialect`. When to ask, how
often, at what cost and by when is the business of :mod:`judges.remote.backend`, for all of them alike.
"""

from __future__ import annotations

from collections.abc import Callable

from judges.base import ModelUnavailable
from judges.remote.dialect import Dialect
from trueward.plugins import Kind, list_built_in, list_installed

GROUP = "trueward.model_servers"
_METHODS = ("ask", "count", "ready")


def _defect(found: object, name: str) -> str:
    missing = [method for method in _METHODS if not callable(getattr(found, method, None))]
    if not isinstance(found, type) or missing:
        return f"{found!r:.80} is not a class with {', '.join(_METHODS)}"
    return "the name 'local' stands for the service's own engine" if name == "local" else ""


MODEL_SERVERS: Kind[Callable[[], Dialect]] = Kind(
    "protocol of model servers",
    list_built_in(
        GROUP,
        {
            "openai": "judges.remote.openai:OpenAI",
            "sglang": "judges.remote.sglang:SGLang",
            "tei": "judges.remote.tei:TextEmbeddingsInference",
            "vllm": "judges.remote.vllm:VLLM",
        },
    ),
    list_installed(GROUP),
    _defect,
    raises=ModelUnavailable,
)
"""By the name that a model's entry has as its ``backend``."""
