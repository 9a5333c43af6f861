"""TRL's own losses of given tensors, and their gradients. Run by the trainer environment's Python.

usage: trl_losses.py DIRECTORY < {"logp": [[..]], ..., "cases": {name: {setting: value}}}. Prints one JSON object,
{name: {"loss", "gradient"}}. The log-probabilities are put in place of those of TRL's model, so all that is TRL's is
what comes after them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from transformers import PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

from tests.trainers.grpo import save_model


def main(directory: Path) -> None:
    given = json.load(sys.stdin)
    model = str(save_model(directory / "model"))
    shown = {name: said(trainer(model, directory / name, case), given) for name, case in given["cases"].items()}
    print(json.dumps(shown))


def trainer(model: str, out: Path, settings: dict[str, Any]) -> GRPOTrainer:
    config = GRPOConfig(
        output_dir=str(out), report_to="none", use_cpu=True, per_device_train_batch_size=2, num_generations=2,
        gradient_accumulation_steps=1, **settings,
    )  # fmt: skip
    return GRPOTrainer(
        model=model,
        reward_funcs=lambda completions, **_: [0.0] * len(completions),
        args=config,
        train_dataset=Dataset.from_list([{"prompt": "1+1=?"}]),
        processing_class=PreTrainedTokenizerFast.from_pretrained(model),
    )


def said(trainer: GRPOTrainer, given: dict[str, Any]) -> dict[str, object]:
    logp = torch.tensor(given["logp"], requires_grad=True)
    mask = torch.tensor(given["mask"])
    trainer._get_per_token_logps_and_entropies = lambda *_, **__: (logp, torch.zeros_like(mask), None)
    trainer.model.eval()
    ones = torch.ones_like(mask, dtype=torch.long)
    loss = trainer._compute_loss(
        trainer.model,
        {
            "prompt_ids": ones[:, :1],
            "prompt_mask": ones[:, :1],
            "completion_ids": ones,
            "completion_mask": mask,
            "advantages": torch.tensor(given["advantages"]),
            "old_per_token_logps": torch.tensor(given["logp_old"]),
            "ref_per_token_logps": torch.tensor(given["logp_ref"]),
            "num_items_in_batch": mask.sum(),
        },
    )
    loss.backward()
    assert logp.grad is not None
    return {"loss": loss.item(), "gradient": logp.grad.tolist()}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
