"""A real language model, in the service's own engine and on a real server of others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.demo.real.model import MODELS, unpack_model
from benchmarks import llama
from tests.live import Service
from trueward import Client
from trueward.wire.model import ModelEntry

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def smollm() -> Path:
    """SmolLM2-135M-Instruct, as transformers loads it."""
    return unpack_model(ROOT / MODELS).resolve()


@pytest.fixture(scope="session")
def llama_cpp() -> Iterator[str]:
    """The URL of a llama.cpp server that has the same model, in four bits."""
    with llama.llama_cpp() as server:
        yield server.url


@pytest.fixture(scope="module")
def client(keyless: Service, smollm: Path, llama_cpp: str) -> Iterator[Client]:
    """Of a service that has the model twice: as ``engine`` in its own engine, as ``llama`` on that server."""
    with Client(keyless.url) as told:
        told.add_model(ModelEntry(name="engine", kind="causal", path=str(smollm)))
        told.add_model(
            ModelEntry(name="llama", kind="causal", backend="openai", url=f"{llama_cpp}/v1", served_name="smollm")
        )
        yield told
        for name in ("engine", "llama"):
            told.delete_model(name)
