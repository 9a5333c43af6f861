"""Trains a real language model with TRL's own GRPOTrainer against a service. Run by the trainer environment's Python.

usage: grpo_sums.py URL MODEL TRAIN.JSONL DIRECTORY STEPS. Prints one JSON object: steps, what was logged of each, and
every completion with its reward.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

from trueward.trainers.trl import reward_function

RUN = "grpo-sums"
PROMPTS, GROUP = 2, 8


def main(url: str, model_dir: str, train: str, directory: Path, steps: int) -> None:
    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(model_dir, padding_side="left")
    model = AutoModelForCausalLM.from_pretrained(model_dir, dtype=torch.float32)
    with Path(train).open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=reward_function(url, recipe="math", reference_column="reference", run=RUN),
        args=GRPOConfig(
            output_dir=str(directory / "out"),
            max_steps=steps,
            per_device_train_batch_size=PROMPTS * GROUP,
            num_generations=GROUP,
            max_completion_length=4,
            learning_rate=1e-5,
            lr_scheduler_type="constant",
            beta=0.0,
            gradient_checkpointing=False,
            logging_steps=1,
            log_completions=True,
            num_completions_to_print=1,
            save_strategy="no",
            report_to=[],
            use_cpu=not torch.cuda.is_available(),
            bf16=False,
            seed=0,
        ),
        train_dataset=Dataset.from_list(rows),
        processing_class=tokenizer,
    )
    trainer.train()
    files = [str(file) for file in sorted((directory / "out").glob("completions/*.parquet"))]
    print(
        json.dumps(
            {
                "run": RUN,
                "a_step": PROMPTS * GROUP,
                "steps": trainer.state.global_step,
                "logged": [line for line in trainer.state.log_history if "reward" in line],
                "completions": Dataset.from_parquet(files, cache_dir=str(directory)).to_list(),
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4]), int(sys.argv[5]))
