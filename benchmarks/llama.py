"""A real llama.cpp server (``make .venv-llama/llama.stamp``) that has the model of ``make real``, in four bits."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from app.demo.real.model import MODELS, packed_model
from benchmarks.servers import ROOT

PYTHON = ROOT / ".venv-llama" / "bin" / "python"
SCRIPT = Path(__file__).with_name("peers") / "llama_server.py"


@dataclass(frozen=True, slots=True)
class Llama:
    url: str
    pid: int


@contextmanager
def llama_cpp(*, at_once: int = 4, threads: int = 0) -> Iterator[Llama]:
    """Answers ``at_once`` requests together, on so many threads (0: as llama.cpp chooses).

    Raises SystemExit where its environment or the model is missing, or where it does not start.
    """
    if not PYTHON.exists():
        raise SystemExit("the environment .venv-llama is missing: make it with `make .venv-llama/llama.stamp`")
    with TemporaryDirectory(prefix="trueward-llama-") as scratch:
        log = Path(scratch) / "log"
        model = packed_model(Path(scratch), ROOT / MODELS)
        command = [str(PYTHON), str(SCRIPT), str(model), str(at_once), str(threads)]
        with log.open("wb") as errors:
            server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        with server:
            try:
                assert server.stdout is not None
                url = next((line.strip() for line in server.stdout if line.startswith("http://")), None)
                if url is None:
                    raise SystemExit(f"llama.cpp did not start: {log.read_text()[-3_000:]}")
                yield Llama(url, server.pid)
            finally:
                server.kill()
