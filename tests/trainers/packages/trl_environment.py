"""TRL's own GRPOTrainer runs our environment for a step: its tool loop calls ``submit``, and it pays by our rewards.

What the policy says is written beforehand, call by call; everything else is TRL's. ``python trl_environment.py URL
DIRECTORY``; prints the rows that TRL logged of the completions.
"""

from __future__ import annotations

import json
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

from datasets import Dataset
from tokenizers import Tokenizer
from tokenizers.decoders import ByteLevel as Decoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

from trueward.trainers.trl_environment import environment_factory

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
ANSWERS = ["\\boxed{2}", "\\boxed{2}", "\\boxed{3}", None] * 2
"""Of each prompt's four rollouts: what is handed in; the last hands nothing in."""


def of_bytes() -> PreTrainedTokenizerFast:
    """A tokenizer of one token a byte, with the chat template of Qwen 3 as TRL ships it."""
    alphabet = sorted(ByteLevel.alphabet())
    core = Tokenizer(BPE({character: place for place, character in enumerate(alphabet)}, []))
    core.pre_tokenizer, core.decoder = ByteLevel(add_prefix_space=False), Decoder()
    core.add_special_tokens(SPECIAL)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core, pad_token="<|endoftext|>", eos_token="<|im_end|>", padding_side="left"
    )
    tokenizer.chat_template = files("trl").joinpath("chat_templates/qwen3.jinja").read_text(encoding="utf-8")
    return tokenizer


def said(answer: str | None) -> str:
    if answer is None:
        return "It is 2.<|im_end|>"
    call = json.dumps({"name": "submit", "arguments": {"answer": answer}})
    return f"<tool_call>\n{call}\n</tool_call><|im_end|>"


class Scripted(GRPOTrainer):  # type: ignore[misc]  # its package has no types
    """The policy's turns are those of the script: a call of the tool, and a last word where the tool answered."""

    def _generate_single_turn(self, prompt_ids: Any, *of_trl: Any, **named: Any) -> tuple[list[list[int]], None]:
        first = len(prompt_ids) == len(ANSWERS)
        words = [said(answer) for answer in ANSWERS] if first else ["Done.<|im_end|>"] * len(prompt_ids)
        return [self.processing_class(text)["input_ids"] for text in words], None


def main(url: str, directory: str) -> None:
    tokenizer = of_bytes()
    shape = GPT2Config(vocab_size=len(tokenizer), n_positions=8192, n_embd=16, n_layer=1, n_head=1)
    asked = [{"role": "user", "content": "1+1? Hand the answer in."}]
    trainer = Scripted(
        model=GPT2LMHeadModel(shape),
        environment_factory=environment_factory(url, recipe="math", reference_column="answer", run="trl-environment"),
        args=GRPOConfig(
            output_dir=directory, max_steps=1, per_device_train_batch_size=8, num_generations=4,
            max_completion_length=1024, log_completions=True, num_completions_to_print=1, save_strategy="no",
            report_to=[], use_cpu=True, bf16=False, logging_steps=1, shuffle_dataset=False,
        ),
        train_dataset=Dataset.from_list([{"prompt": asked, "answer": gold} for gold in ("2", None)]),
        processing_class=tokenizer,
    )  # fmt: skip
    trainer.train()
    rows = Dataset.from_parquet([str(file) for file in Path(directory).glob("completions/*.parquet")])
    kept = ("TruewardEnvironment", "advantage")
    logged = sorted({key for entry in trainer.state.log_history for key in entry})
    print(json.dumps({"rows": [{key: row[key] for key in kept} for row in rows.to_list()], "logged": logged}))


if __name__ == "__main__":
    main(*sys.argv[1:])
