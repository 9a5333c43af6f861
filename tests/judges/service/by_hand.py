"""What a service says, worked out again with plain transformers: a text at a time, logits over the whole vocabulary."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import torch
from pydantic import TypeAdapter
from safetensors.torch import load_file
from transformers import AutoTokenizer, LlamaConfig, LlamaModel

from judges.questions import Turn
from tests.judges.engine.plain import Plain
from trueward.wire.sample import Message, Sample
from trueward.wire.verdict import Verdict

TOLERANCE = 1e-4
QUESTION = "What is 12 + 30?"


@functools.cache
def plain(kind: str, path: Path) -> Plain:
    return Plain(kind, path)


@functools.cache
def _words(path: Path) -> AutoTokenizer:
    return AutoTokenizer.from_pretrained(path)


def turns(*said: str, system: str | None = None) -> tuple[Turn, ...]:
    """User and assistant by turns."""
    first = (Turn("system", system),) if system is not None else ()
    return first + tuple(Turn("assistant" if n % 2 else "user", text) for n, text in enumerate(said))


def messages(conversation: Iterable[Turn]) -> list[Message]:
    return [Message(role=turn.role, content=turn.content) for turn in conversation]


def rendered(path: Path, conversation: Sequence[Turn], *, opened: bool = False) -> str:
    shown = [{"role": turn.role, "content": turn.content} for turn in conversation]
    return str(_words(path).apply_chat_template(shown, tokenize=False, add_generation_prompt=opened))


def tokens(path: Path, text: str) -> list[int]:
    """Of a text that brings its own control tokens."""
    return [int(token) for token in _words(path)(text, add_special_tokens=False)["input_ids"]]


def surrounded(path: Path, text: str) -> list[int]:
    """Of a plain text, with what the tokenizer puts around it."""
    return [int(token) for token in _words(path)(text)["input_ids"]]


def token(path: Path, text: str) -> int:
    [one] = tokens(path, text)
    return one


def logits(path: Path, conversation: Sequence[Turn]) -> list[float]:
    """A reward model's row for a conversation."""
    found: list[float] = plain("reward", path).logits(tokens(path, rendered(path, conversation))).tolist()
    return found


def forced(path: Path, prompt: Sequence[Turn], before: str, text: str, after: str = "") -> list[float]:
    """Log-probabilities of the tokens that have a character of ``text``, after ``before``, teacher-forced."""
    lead = rendered(path, prompt, opened=True) + before
    encoded = _words(path)(lead + text + after, add_special_tokens=False, return_offsets_mapping=True)
    ids, offsets = encoded["input_ids"], encoded["offset_mapping"]
    start, end = len(lead), len(lead + text)
    said = plain("causal", path).logits(ids).log_softmax(-1)
    return [said[n - 1, ids[n]].item() for n, (a, b) in enumerate(offsets) if a < end and b > start]


def next_token(path: Path, text: str, choices: Sequence[str]) -> list[float]:
    """Log-probability of each choice after a text that brings its own control tokens."""
    said = plain("causal", path).logits(tokens(path, text))[-1].log_softmax(-1)
    return [said[token(path, choice)].item() for choice in choices]


def softmax(row: Sequence[float], index: int) -> float:
    return math.exp(row[index]) / sum(map(math.exp, row))


def gated(path: Path, conversation: Sequence[Turn]) -> tuple[float, list[float], list[float]]:
    """ArmoRM's score, objectives at the last token, and gate at the prompt's end, from the checkpoint's tensors."""
    tensors = load_file(path / "model.safetensors")
    base = LlamaModel(LlamaConfig.from_pretrained(path)).eval()
    base.load_state_dict(
        {name.removeprefix("model."): one for name, one in tensors.items() if name.startswith("model.")}
    )
    ids = tokens(path, rendered(path, conversation))
    with torch.inference_mode():
        states = base(torch.tensor([ids])).last_hidden_state[0]
        objectives = tensors["regression_layer.weight"] @ states[-1] @ tensors["reward_transform_matrix"]
        hidden = states[len(tokens(path, rendered(path, conversation[:-1])))]
        for n in range(4):
            hidden = tensors[f"gating.layers.{n}.weight"] @ hidden + tensors[f"gating.layers.{n}.bias"]
            hidden = hidden.relu() if n < 3 else hidden
        gate = (hidden / 2).softmax(0) * tensors["gating.logit_scale"]
    return float(objectives @ gate), objectives.tolist(), gate.tolist()


def scores(verdicts: Iterable[Verdict]) -> list[float]:
    """Of verdicts that all have one."""
    found = []
    for verdict in verdicts:
        assert verdict.score is not None, verdict
        found.append(verdict.score)
    return found


def numbers(verdict: Verdict, name: str) -> list[float]:
    """A list of numbers in the evidence."""
    return TypeAdapter(list[float]).validate_python(verdict.evidence[name])


def spans(verdict: Verdict, name: str) -> list[tuple[int, int]]:
    return TypeAdapter(list[tuple[int, int]]).validate_python(verdict.evidence[name])


def samples(*responses: str, **fields: object) -> list[Sample]:
    return [Sample.model_validate({"prompt": QUESTION, "response": one, **fields}) for one in responses]
