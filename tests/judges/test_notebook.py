"""What docs/models.md shows for notebooks is run, with a model that is there."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from tests.judges.service.by_hand import TOLERANCE, logits, turns
from tests.judges.tiny import Tiny

PAGE = Path(__file__).parents[2] / "docs" / "models.md"


def shown(path: Path) -> CodeType:
    """The page's block that uses ``judges.standalone``, as a notebook compiles it."""
    blocks: list[str] = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    [code] = [block for block in blocks if "judges.standalone" in block]
    made: CodeType = compile(code.replace("/models/rm", str(path)), PAGE.name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    return made


async def test_a_notebook_asks_a_model_without_a_service(tiny: Tiny) -> None:
    path = tiny.classifier("llama")
    cells: dict[str, Any] = {}
    running = eval(shown(path), cells)
    assert inspect.isawaitable(running)
    await running
    [verdict], [sample] = cells["verdicts"], cells["samples"]
    assert verdict.outcome == "scored"
    assert verdict.score == pytest.approx(logits(path, turns(sample.prompt, sample.response))[0], abs=TOLERANCE)
