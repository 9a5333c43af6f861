"""A causal model that was trained for some seconds to judge: it replies in the form of the preset ``correctness``.

It holds an answer for right where it is English, whatever the question and the reference, and for wrong where it is
German. So that it learns in seconds its chat template leaves the system's turn out, and its replies are of few tokens.
"""

from __future__ import annotations

import random
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

from judges.pointwise import JudgeOneVerifier, PointwiseParams
from tests.judges.tiny import config, pairs
from tests.judges.words import tokenizer
from trueward.wire.sample import Sample

PARTS = ('{"analysis": "', 'right", "verdict": "correct"}', 'wrong", "verdict": "incorrect"}')
REPLIES = {True: PARTS[0] + PARTS[1], False: PARTS[0] + PARTS[2]}
REFERENCE = "42"
GERMAN = "Das Ergebnis ist größer als null, größer als null ist das Ergebnis:"
STEPS, BATCH = 30, 10
TEMPLATE = (
    "{{ bos_token }}{{ messages[-1]['content'] }}<|eot_id|>{% if add_generation_prompt %}"
    "<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)


def judging(path: Path) -> Path:
    """Trains the model into ``path``."""
    torch.manual_seed(0)
    words = tokenizer("llama")
    words.chat_template = TEMPLATE
    words.add_tokens(list(PARTS))
    model = AutoModelForCausalLM.from_config(config("llama", initializer_range=0.1, vocab_size=len(words)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    examples = answers(STEPS * BATCH, seed=1)
    for start in range(0, len(examples), BATCH):
        loss = torch.stack([_loss(model, words, *example) for example in examples[start : start + BATCH]]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.save_pretrained(path)
    words.save_pretrained(path)
    return path


def answers(count: int, seed: int) -> list[tuple[str, str, bool]]:
    """Questions, each with an answer, and whether it is one that this model holds for right."""
    draw = random.Random(seed)
    out = []
    for question, said, _ in pairs(count, seed):
        right = draw.random() < 0.5
        out.append((question, said if right else f"{GERMAN} {draw.randint(10, 99)}", right))
    return out


def _loss(
    model: torch.nn.Module, words: PreTrainedTokenizerFast, question: str, said: str, right: bool
) -> torch.Tensor:
    """Of the reply to the prompt that the judge really asks."""
    verifier = JudgeOneVerifier(PointwiseParams(preset="correctness"))
    sample = Sample(prompt=question, response=said, reference=REFERENCE)
    turns = verifier.preset.prompt().turns(verifier.slots(sample))
    messages = [{"role": turn.role, "content": turn.content} for turn in turns]
    prompt = words.apply_chat_template(messages, add_generation_prompt=True, return_dict=False)
    reply = words(REPLIES[right] + "<|eot_id|>", add_special_tokens=False)["input_ids"]
    ids = torch.tensor([prompt + reply])
    logits = model(ids[:, :-1], logits_to_keep=len(reply)).logits[0]
    return torch.nn.functional.cross_entropy(logits, ids[0, -len(reply) :])
