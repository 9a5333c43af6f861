"""Trains a process reward model of your own from the labels of a run, with the Trainer of transformers.

    python examples/own_models/process.py --url http://127.0.0.1:8421 --run my-run --base ./my-model --out ./my-process

TRL 1.16 has no trainer of such models any more; a head of two labels a token is what it trained. A response is split
into steps at blank lines, and after each a token that the base model has and no text uses (``--separator``) is where
the head is read. A step is right where the response is labelled right, or where it stands before the first wrong one,
which the label's note names; steps after that one are not learnt from.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from pathlib import Path

import torch
from datasets import Dataset
from labelled import Labelled, labelled
from reward import freeze_all_but
from transformers import (
    AutoModelForTokenClassification,
    AutoTokenizer,
    DataCollatorForTokenClassification,
    PreTrainedTokenizerBase,
    Trainer,
    TrainingArguments,
)

from trueward import Client

LONGEST = 768
"""Tokens: longer responses are left out."""
UNREAD = -100


def steps_of(response: str) -> list[str]:
    """As the verifier `process_reward` splits a response by default."""
    return [part.strip() for part in re.split(r"\n[^\S\n]*\n", response) if part.strip()]


def rows_of(
    found: Iterable[Labelled], tokenizer: PreTrainedTokenizerBase, separator: str
) -> Iterable[dict[str, list[int]]]:
    """Tokens of a conversation whose last turn ends each step with the separator, and a label at each of these."""
    mark = tokenizer.convert_tokens_to_ids(separator)
    for one in found:
        steps = steps_of(one.response)
        if not one.right and (one.first_error is None or one.first_error >= len(steps)):
            continue  # nobody said which step is wrong
        text = tokenizer.apply_chat_template(one.prompt, tokenize=False, add_generation_prompt=True)
        ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        labels = [UNREAD] * len(ids)
        for place, step in enumerate(steps):
            said = tokenizer(step, add_special_tokens=False)["input_ids"]
            ids += [*said, mark]
            labels += [UNREAD] * len(said) + [_label(one, place)]
        if len(ids) <= LONGEST:
            yield {"input_ids": ids, "labels": labels}


def _label(one: Labelled, place: int) -> int:
    if one.right or one.first_error is None or place < one.first_error:
        return 1
    return 0 if place == one.first_error else UNREAD


def train(
    rows: list[dict[str, list[int]]],
    tokenizer: PreTrainedTokenizerBase,
    base: str,
    out: Path,
    layers: int,
    epochs: float,
    rate: float,
) -> None:
    torch.manual_seed(0)
    model = AutoModelForTokenClassification.from_pretrained(base, num_labels=2, dtype=torch.float32)
    freeze_all_but(model, layers)
    Trainer(
        model=model,
        args=TrainingArguments(
            output_dir=str(out / "checkpoints"),
            num_train_epochs=epochs,
            learning_rate=rate,
            per_device_train_batch_size=8,
            use_cpu=not torch.cuda.is_available(),
            logging_steps=5,
            save_strategy="no",
            report_to=[],
            seed=0,
        ),
        train_dataset=Dataset.from_list(rows),
        data_collator=DataCollatorForTokenClassification(tokenizer),
    ).train()
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--url", required=True)
    parser.add_argument("--run", required=True)
    parser.add_argument("--base", required=True, help="directory or repository of a causal model")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--separator", default="<file_sep>", help="a control token of the base model")
    parser.add_argument("--layers", type=int, default=4, help="how many of the last layers learn")
    parser.add_argument("--epochs", type=float, default=1.0)
    parser.add_argument("--rate", type=float, default=1e-4)
    said = parser.parse_args()
    tokenizer = AutoTokenizer.from_pretrained(said.base)
    if tokenizer.convert_tokens_to_ids(said.separator) in (None, tokenizer.unk_token_id):
        raise SystemExit(f"{said.base} has no token {said.separator!r}: name another with --separator")
    with Client(said.url) as client:
        rows = list(rows_of(labelled(client, said.run), tokenizer, said.separator))
    if not rows:
        raise SystemExit(f"run {said.run}: no label is right, and no note says which step is wrong")
    print(f"{len(rows)} responses, {sum(label != UNREAD for row in rows for label in row['labels'])} steps", flush=True)
    train(rows, tokenizer, said.base, said.out, said.layers, said.epochs, said.rate)
    print(
        f"trueward models add my-process --kind process --path {said.out} "
        f"""--field 'steps={{"style": "separator", "separator": "{said.separator}"}}'"""
    )


if __name__ == "__main__":
    main()
