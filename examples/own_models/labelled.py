"""What people said of the responses of a run, read from a service: its labels, each beside the sample it speaks of."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from trueward import Client
from trueward.wire.label import Label

Turns = list[dict[str, str]]

_FIRST_ERROR = re.compile(r"\bstep (\d+)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Labelled:
    """``first_error`` is the first wrong step from 0; None where no label says it, or there is none."""

    prompt: Turns
    response: str
    right: bool
    first_error: int | None


def labelled(client: Client, run: str) -> Iterator[Labelled]:
    """The labelled responses of a run, each content once. Left out: labels that cannot tell or contradict each other,
    those given after the verdicts were seen, and responses of several messages.

    A label's note tells the first wrong step, counted from 1, as in ``step 2 adds wrongly``.
    """
    records = {one.sample: one.record for one in client.iter_verdicts(run=run)}
    by_sample: defaultdict[str, list[Label]] = defaultdict(list)
    for label in client.iter_labels():
        if label.sample in records and label.right is not None and not label.after_reveal:
            by_sample[label.sample].append(label)
    for sample, labels in by_sample.items():
        content = client.record(records[sample]).content
        prompt, response = content.get("prompt"), content.get("response")
        said = {label.right for label in labels}
        if isinstance(response, str) and isinstance(prompt, str | list) and len(said) == 1:
            yield Labelled(turns(prompt), response, bool(said.pop()), _first_error(labels))


def turns(prompt: object) -> Turns:
    """A prompt as messages, which a chat template takes."""
    if isinstance(prompt, str):
        return [{"role": "user", "content": prompt}]
    assert isinstance(prompt, list), "a prompt is a text or messages"
    return [{"role": str(one["role"]), "content": str(one["content"])} for one in prompt]


def _first_error(labels: list[Label]) -> int | None:
    places = [int(found[1]) - 1 for label in labels if (found := _FIRST_ERROR.search(label.note))]
    return min(places, default=None)
