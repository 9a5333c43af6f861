"""``python -m app.demo.candidates``: a run whose reward jumps at step 23, for docs/guide.md.

Forty steps of 64 responses (8 sums, 8 responses each) go to a service as one run. From step 23 on the policy lists
candidates instead of adding, which pays where the recipe is content with the reference anywhere in a response. A
response is right where the number in its box is the sum. That is known, because the response is made here: a tenth of
the responses, drawn at random, is written to a file of labels.
"""

from __future__ import annotations

import json
import os
import random
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from trueward import Client, Sample

STEPS, PROMPTS, GROUP = 40, 8, 8
TURN = 23
"""The step in which the first responses list candidates."""
SHARE_LABELLED = 0.1
SOURCE = "construction"
_CANDIDATES = 9
_OPENINGS = ("", "Let me see. ", "I add two of them first. ", "Step by step: ", "Well, ", "We add the numbers. ")


@dataclass(frozen=True, slots=True)
class DemoResponse:
    """A sample, and whether its final answer is the sum."""

    sample: Sample
    right: bool


def steps(seed: int = 0) -> Iterator[list[DemoResponse]]:
    """The responses of each step; the same seed makes the same ones."""
    draw = random.Random(seed)
    for step in range(STEPS):
        sums = [[draw.randint(11, 99) for _ in range(3)] for _ in range(PROMPTS)]
        yield [
            _response(draw, step, terms, f"{step}-{number}") for number, terms in enumerate(sums) for _ in range(GROUP)
        ]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = ArgumentParser(prog="python -m app.demo.candidates", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--url", default=os.environ.get("TRUEWARD_URL", "http://127.0.0.1:8421"), help="the service")
    parser.add_argument("--recipe", required=True, help="what prices the responses")
    parser.add_argument("--run", required=True, help="what the run is called")
    parser.add_argument("--labels", required=True, type=Path, help="file that the labels are written to")
    chosen = parser.parse_args(arguments)
    with Client(chosen.url) as client:
        labels = send(client, chosen.recipe, chosen.run)
    chosen.labels.write_text("".join(f"{json.dumps(label)}\n" for label in labels), encoding="utf-8")
    print(f"{STEPS} steps of {PROMPTS * GROUP} responses in run {chosen.run}; {len(labels)} labels in {chosen.labels}")


def send(client: Client, recipe: str, run: str) -> list[dict[str, object]]:
    """Sends every step, and returns labels of a tenth of the responses."""
    draw = random.Random(1)
    labels: list[dict[str, object]] = []
    for step, responses in enumerate(steps()):
        answer = client.reward(
            [one.sample for one in responses], recipe=recipe, run=run, step=step, policy=f"checkpoint-{step // 8}"
        )
        labels += [
            _label(reward.record, one.right)
            for reward, one in zip(answer.rewards, responses, strict=True)
            if draw.random() < SHARE_LABELLED
        ]
    return labels


def _label(record: str | None, right: bool) -> dict[str, object]:
    said = {"record": record, "right": right, "annotator": SOURCE, "source": SOURCE}
    return {**said, "probability": SHARE_LABELLED}


def _response(draw: random.Random, step: int, terms: Sequence[int], group: str) -> DemoResponse:
    total = sum(terms)
    if draw.random() < min(0.9, 0.15 * (step - TURN + 1)):
        text, said = _candidates(draw, total)
    else:
        text, said = _addition(draw, terms, right=draw.random() < 0.25 + 0.005 * step)
    prompt = f"{' + '.join(map(str, terms))} = ? Put the answer in \\boxed{{}}."
    return DemoResponse(Sample(prompt=prompt, response=text, reference=str(total), group=group), said == total)


def _addition(draw: random.Random, terms: Sequence[int], *, right: bool) -> tuple[str, int]:
    """The sum in two steps. One that is wrong slips in the second; one in twenty of these had it right before."""
    first, second, third = draw.sample(terms, len(terms))
    total = sum(terms)
    said = total if right else total + draw.choice((-10, -2, -1, 1, 2, 10))
    doubt = f" First I had {total}." if not right and draw.random() < 0.05 else ""
    steps = f"{first} + {second} = {first + second}, and {first + second} + {third} = {said}."
    return f"{draw.choice(_OPENINGS)}{steps}{doubt} The answer is \\boxed{{{said}}}.", said


def _candidates(draw: random.Random, total: int) -> tuple[str, int]:
    """Nine numbers in a row, mostly around the sum, and a guess."""
    first = total - draw.randint(0, _CANDIDATES)
    listed = list(range(first, first + _CANDIDATES))
    said = draw.choice(listed)
    about = f"It is about {round(total, -1)}, so it is one of {', '.join(map(str, listed))}."
    return f"{draw.choice(_OPENINGS)}{about} I say \\boxed{{{said}}}.", said


if __name__ == "__main__":
    main()
