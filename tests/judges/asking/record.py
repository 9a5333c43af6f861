"""Records what a real model replies to the presets' prompts: ``python -m tests.judges.asking.record URL MODEL FILE``.

URL is an OpenAI-compatible server's (``tests/real/llama_server.py`` starts one), MODEL what is to be written beside
each reply. Nothing makes the model keep to a form, so it replies as it would on a server that cannot. A small model
hardly begins an object by itself, so half of its replies are begun for it, with the name of the form's first member.
FILE gets an object of JSON a line, without the decision: somebody reads the reply and writes it in, before a reader has
seen it.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
from pydantic import JsonValue

from judges import presets
from judges.judge import JudgeVerifier
from judges.questions import Generate, Turn
from tests.judges.presets.render import SAMPLE, row_of, verifier_name
from tests.judges.replies import Replies, verdict_of
from trueward.wire.sample import Sample
from verifiers import registry

ROUNDS = ((0.0, False), (0.4, False), (1.0, False), (0.3, True), (0.8, True))
"""Temperatures, and whether the object is begun."""
MOST_TOKENS = 120
TASKS = (
    ("What is 17 + 25?", "17 + 25 = 42, so the answer is 42.", "42", "It is 32."),
    ("Simplify \\(\\sqrt{8}\\).", "\\(\\sqrt{8} = 2\\sqrt{2}\\)", "2\\sqrt{2}", "It is 4."),
    ("What is the capital of Australia?", "The capital is Sydney.", "Canberra", "Canberra, since 1913."),
    ("Who wrote Hamlet?", "It was written by William Shakespeare.", "Shakespeare", "Christopher Marlowe."),
    ("Name a prime between 8 and 12.", "9 is odd, so it is prime.\n\nSo the answer is 9.", "11", "11"),
    ("How do I boil an egg?", "I'm sorry, but I can't help with that.", "Boil it for eight minutes.", "Ask a friend."),
)


def question(preset: str, place: int) -> Generate | None:
    """What a judge is asked first; None where it writes nothing."""
    prompt, response, reference, other = TASKS[place % len(TASKS)]
    own: dict[str, JsonValue] = {"prompt": prompt, "response": response, "reference": reference, "baselines": [other]}
    row = row_of(preset)
    verifier = registry.create(verifier_name(preset), {**row.params, "preset": preset})
    assert isinstance(verifier, JudgeVerifier)
    models = Replies(lambda text: json.dumps(row.reply), chances=lambda text: row.chances or [])
    verdict_of(verifier, Sample.model_validate({**SAMPLE, **own, **row.sample}), models)
    return next((one for one in models.asked if isinstance(one, Generate)), None)


def recorded(url: str, model: str) -> Iterator[dict[str, JsonValue]]:
    with httpx2.Client(base_url=url, timeout=600.0) as client:
        asked = itertools.product(presets.names(), ROUNDS)
        for place, (preset, (temperature, begun)) in enumerate(asked):
            one = question(preset, place)
            if one is None:
                continue
            assert isinstance(one.prompt, tuple)
            turns = (*one.prompt, Turn("assistant", beginning(preset))) if begun else one.prompt
            text = replied(client, turns, temperature, place)
            row: dict[str, JsonValue] = {"from": "recorded", "model": model, "temperature": temperature}
            yield {**row, "begun": begun, "preset": preset, "text": text}


def beginning(preset: str) -> str:
    members = presets.find(preset).form().schema["properties"]
    assert isinstance(members, dict)
    return '{"' + next(iter(members)) + '":'


def replied(client: httpx2.Client, turns: tuple[Turn, ...], temperature: float, seed: int) -> str:
    body = {
        "messages": [{"role": turn.role, "content": turn.content} for turn in turns],
        "temperature": temperature,
        "seed": seed,
        "max_tokens": MOST_TOKENS,
    }
    answer = client.post("/v1/chat/completions", json=body)
    answer.raise_for_status()
    return str(answer.json()["choices"][0]["message"]["content"])


def main() -> None:
    url, model, path = sys.argv[1:]
    with Path(path).open("w", encoding="utf-8") as file:
        for one in recorded(url, model):
            file.write(json.dumps(one, ensure_ascii=False) + "\n")
            file.flush()


if __name__ == "__main__":
    main()
