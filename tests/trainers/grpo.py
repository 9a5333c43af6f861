"""Trains a tiny model with TRL's own GRPOTrainer against a service. Run by the trainer environment's Python.

usage: grpo.py URL DIRECTORY. Prints one JSON object. The model is random and its vocabulary is the digits, so
that some of its one-digit completions are the reference: rewards differ within a group.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch
from datasets import Dataset
from tokenizers import Regex, Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Split
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

from trueward.trainers.trl import reward_function

CHARACTERS = list("0123456789+=? ")
STEPS = 3
RUN = "grpo-test"


def main(url: str, directory: Path) -> None:
    torch.manual_seed(0)
    model_dir = save_model(directory / "model")
    model = GPT2LMHeadModel.from_pretrained(model_dir)
    tokenizer = PreTrainedTokenizerFast.from_pretrained(model_dir)
    before = {name: value.detach().clone() for name, value in model.named_parameters()}
    rows = [{"prompt": f"{a}+{b}=?", "answer": str((a + b) % 10)} for a in range(4) for b in range(4)]
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=reward_function(url, recipe="math", reference_column="answer", run=RUN),
        args=config(directory / "out"),
        train_dataset=Dataset.from_list(rows),
        eval_dataset=Dataset.from_list(rows[:2]),
        processing_class=tokenizer,
    )
    trainer.train()
    steps = trainer.state.global_step
    trainer.evaluate()
    print(
        json.dumps(
            {
                "steps": steps,
                "changed": [name for name, value in model.named_parameters() if not torch.equal(before[name], value)],
                "logged": sorted({key for entry in trainer.state.log_history for key in entry}),
                "completions": completions(directory / "out"),
            }
        )
    )


def completions(directory: Path) -> list[dict[str, object]]:
    """What TRL itself logged of each completion: step, prompt, reward, advantage, our outcome."""
    files = [str(file) for file in sorted(directory.glob("completions/*.parquet"))]
    rows: list[dict[str, object]] = Dataset.from_parquet(files, cache_dir=str(directory)).to_list()
    return rows


def save_model(directory: Path) -> Path:
    """A random GPT-2 of one layer and a tokenizer of one token a character."""
    vocabulary = {token: index for index, token in enumerate(["<pad>", "<eos>", *CHARACTERS])}
    core = Tokenizer(WordLevel(vocabulary, unk_token="<pad>"))
    core.pre_tokenizer = Split(Regex("."), behavior="isolated")
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core, pad_token="<pad>", eos_token="<eos>", bos_token="<eos>", padding_side="left"
    )
    tokenizer.save_pretrained(directory)
    shape = GPT2Config(
        vocab_size=len(vocabulary), n_positions=32, n_embd=32, n_layer=1, n_head=2,
        bos_token_id=vocabulary["<eos>"], eos_token_id=vocabulary["<eos>"], pad_token_id=vocabulary["<pad>"],
    )  # fmt: skip
    GPT2LMHeadModel(shape).save_pretrained(directory)
    return directory


def config(directory: Path) -> GRPOConfig:
    return GRPOConfig(
        output_dir=str(directory),
        max_steps=STEPS,
        per_device_train_batch_size=64,
        per_device_eval_batch_size=64,
        num_generations=32,
        max_completion_length=1,
        learning_rate=1e-2,
        logging_steps=1,
        log_completions=True,
        num_completions_to_print=1,
        save_strategy="no",
        report_to=[],
        use_cpu=True,
        bf16=False,
        seed=0,
    )


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
