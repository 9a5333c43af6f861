"""Trains a reward model of your own from the labels of a run, with TRL's RewardTrainer.

    python examples/own_models/reward.py --url http://127.0.0.1:8421 --run my-run --base ./my-model --out ./my-reward

Needs a trainer's environment: ``pip install trl``, and the client. Of each prompt every right response is a pair with
every wrong one. Only the head and the last layers learn (``--layers``), so that a small model takes minutes on a CPU;
the prompt is read by the base model's own chat template, as the service reads it.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from labelled import Labelled, Turns, labelled
from transformers import AutoModelForSequenceClassification, AutoTokenizer, PreTrainedModel
from trl import RewardConfig, RewardTrainer

from trueward import Client

PAIRS_A_PROMPT = 8
"""Of one prompt at most, so that none outweighs the others."""


def pairs(rows: Iterable[Labelled], seed: int) -> list[dict[str, Turns]]:
    """Rows of a preference set, as TRL's trainers take them."""
    prompts: defaultdict[str, list[Labelled]] = defaultdict(list)
    for row in rows:
        prompts[repr(row.prompt)].append(row)
    draw = random.Random(seed)
    found = []
    for of_one in prompts.values():
        every = [(one, other) for one in of_one for other in of_one if one.right and not other.right]
        for one, other in draw.sample(every, min(PAIRS_A_PROMPT, len(every))):
            found.append({"prompt": one.prompt, "chosen": _turn(one.response), "rejected": _turn(other.response)})
    draw.shuffle(found)
    return found


def _turn(response: str) -> Turns:
    return [{"role": "assistant", "content": response}]


def freeze_all_but(model: PreTrainedModel, layers: int) -> None:
    """What lies below the last ``layers`` layers stays as it is, and so do the embeddings."""
    trunk: Any = model.base_model
    trunk.requires_grad_(False)
    for layer in list(trunk.layers)[len(trunk.layers) - layers :]:
        layer.requires_grad_(True)


def train(found: list[dict[str, Turns]], base: str, out: Path, layers: int, epochs: float, rate: float) -> None:
    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(base)
    model = AutoModelForSequenceClassification.from_pretrained(base, num_labels=1, dtype=torch.float32)
    model.config.pad_token_id = tokenizer.pad_token_id
    freeze_all_but(model, layers)
    trainer = RewardTrainer(
        model=model,
        args=RewardConfig(
            output_dir=str(out / "checkpoints"),
            num_train_epochs=epochs,
            learning_rate=rate,
            per_device_train_batch_size=8,
            max_length=512,
            center_rewards_coefficient=0.01,
            gradient_checkpointing=False,
            bf16=False,
            use_cpu=not torch.cuda.is_available(),
            logging_steps=5,
            save_strategy="no",
            report_to=[],
            seed=0,
        ),
        train_dataset=Dataset.from_list(found),
        processing_class=tokenizer,
    )
    trainer.train()
    trainer.save_model(str(out))
    tokenizer.save_pretrained(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--url", required=True)
    parser.add_argument("--run", required=True)
    parser.add_argument("--base", required=True, help="directory or repository of a causal model")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--layers", type=int, default=4, help="how many of the last layers learn")
    parser.add_argument("--epochs", type=float, default=1.0)
    parser.add_argument("--rate", type=float, default=1e-4)
    said = parser.parse_args()
    with Client(said.url) as client:
        rows = list(labelled(client, said.run))
    found = pairs(rows, seed=0)
    if not found:
        raise SystemExit(f"run {said.run}: no prompt has a response labelled right and one labelled wrong")
    print(f"{len(rows)} labels, {len(found)} pairs", flush=True)
    train(found, said.base, said.out, said.layers, said.epochs, said.rate)
    print(f"trueward models add my-reward --kind reward --path {said.out}")


if __name__ == "__main__":
    main()
