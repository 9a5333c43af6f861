"""verl's own client of SandboxFusion runs programs in the service's sandbox. Prints its scores.

The packages above it import ray, which is not here: they are run without their initializers.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import threading
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

RIGHT, WRONG = "print(int(input()) + 1)", "print(int(input()) + 2)"
TESTS = {"inputs": ["1\n", "41\n"], "outputs": ["2\n", "42\n"]}


def sandbox_fusion() -> Any:
    found = importlib.util.find_spec("verl")
    assert found is not None
    where = Path((found.submodule_search_locations or [])[0])
    for name in ("verl", "verl.utils", "verl.utils.reward_score"):
        package = ModuleType(name)
        package.__path__ = [str(where.joinpath(*name.split(".")[1:]))]
        sys.modules[name] = package
    return import_module("verl.utils.reward_score.sandbox_fusion")


def main(url: str, directory: str) -> None:
    client = sandbox_fusion()
    scores = []
    for program in (RIGHT, WRONG, "import os\nos._exit(0)", "while True: pass", ""):
        completion = f"```python\n{program}\n```"
        score, _ = client.compute_score(f"{url}/run_code", threading.Semaphore(2), 1024, completion, TESTS, timeout=2)
        scores.append(score)
    print(json.dumps(scores))


if __name__ == "__main__":
    main(*sys.argv[1:])
