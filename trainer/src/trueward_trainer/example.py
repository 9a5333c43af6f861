"""An example of a training, as files that a reader can change: sums of a number below 100 and a digit.

Every prompt shows one solved sum and asks for another (``3 + 4 = 7``, ``74 + 9 =``), so a small model that was never
taught to chat knows what is wanted. The prompts that it is evaluated on are never learnt from.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

from trueward.errors import Conflict, InvalidRequest

CONFIG = "sums.yaml"
HELD_OUT = 96
_SHOWN = "3 + 4 = 7"
_SEED = 20

_TEXT = """\
# trueward train {config}: a small language model learns sums from the verifier math.
# Paths are relative to where the command runs. Every field: docs/rlvr.md.
model: {model}
prompts: {{file: {folder}/train.jsonl}}
service: {{url: {url}, recipe: math}}
out: {folder}/out
steps: 20
rollout: {{prompts: 6, group: 8, prompts_at_once: 6, max_new_tokens: 4, template: plain}}
update: {{loss: grpo, advantages: grpo, lr: 1.0e-5, micro_batch: 48}}
evaluation: {{prompts: {{file: {folder}/held_out.jsonl}}, every: 20, samples: 4, k: 4}}
checkpoints: {{every: 20, keep: 1}}
"""


def write_example(folder: Path, model: str, url: str) -> Path:
    """Writes ``sums.yaml``, ``train.jsonl`` and ``held_out.jsonl``; returns the path of the first.

    ``model`` is what ``transformers`` loads, ``url`` the service's. Raises :class:`Conflict` where one of the files is
    there already, :class:`InvalidRequest` where the folder cannot be written.
    """
    drawn = _sums()
    config = folder / CONFIG
    files = {
        config: _TEXT.format(config=config, folder=folder, model=json.dumps(model), url=json.dumps(url)),
        folder / "train.jsonl": _lines(drawn[HELD_OUT:]),
        folder / "held_out.jsonl": _lines(drawn[:HELD_OUT]),
    }
    for path in files:
        if path.exists():
            raise Conflict(f"{path} is there already: name another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            path.write_text(text, encoding="utf-8")
    except OSError as refusal:
        raise InvalidRequest(f"{folder} cannot be written: {refusal}") from refusal
    return config


def _sums() -> list[tuple[int, int]]:
    """All sums of a number of two digits and one of one digit, shuffled, the same at each call."""
    every = [(first, second) for first in range(10, 100) for second in range(1, 10)]
    random.Random(_SEED).shuffle(every)
    return every


def _lines(sums: Sequence[tuple[int, int]]) -> str:
    lines = (
        json.dumps({"prompt": f"{_SHOWN}\n{first} + {second} =", "reference": str(first + second)}) + "\n"
        for first, second in sums
    )
    return "".join(lines)
