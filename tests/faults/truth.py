"""Samples whose right reward is known by construction, each with a tag of its own that the ledger's content carries."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

_numbers = itertools.count(1)  # of the whole process: loads on one ledger do not share a tag
_TAG = re.compile(r"#([a-z]+-\d+)#")
Kind = str
"""``sum``: judged inline; ``root``, and ``word`` without a reference: by a worker; ``program``: in the sandbox."""


@dataclass(frozen=True, slots=True)
class Known:
    """``right`` is what the reward has to be: 1.0 or 0.0."""

    tag: str
    prompt: str
    response: str
    reference: JsonValue
    right: float

    @property
    def sample(self) -> Mapping[str, JsonValue]:
        return {"id": self.tag, "prompt": self.prompt, "response": self.response, "reference": self.reference}

    @property
    def templated(self) -> str:
        return f"<|im_start|>user\n{self.prompt}<|im_end|>\n<|im_start|>assistant\n"


@dataclass(slots=True)
class Truth:
    """Makes samples and remembers them by their tag."""

    known: dict[str, Known] = field(default_factory=dict)

    def batch(self, who: str, count: int, kinds: Sequence[Kind] = ("sum", "root")) -> list[Known]:
        """``count`` new samples of a client's, about half of them right."""
        made = [self._make(who, kinds[index % len(kinds)]) for index in range(count)]
        self.known.update((one.tag, one) for one in made)
        return made

    def _make(self, who: str, kind: Kind) -> Known:
        number = next(_numbers)
        tag, right = f"{who}-{number}", number % 3 != 0
        given = number if right else number + 1
        prompt = f"Question #{tag}#"
        match kind:
            case "sum":
                said: tuple[str, JsonValue] = (f"\\boxed{{{given}}}", str(number))
            case "root":
                said = (f"\\boxed{{\\sqrt{{8}}+{given}}}", f"2\\sqrt{{2}}+{number}")
            case "word":
                said = (f"{'yes' if right else 'no'} {number}", None)
            case _:
                program = f"```python\nprint(int(input()) + {given})\n```"
                said = (program, {"stdio": [{"stdin": "1\n", "stdout": f"{number + 1}\n"}]})
        return Known(tag, prompt, *said, float(right))


def tag_of(text: str) -> str:
    """The tag that a text carries, such as a stored sample's content. Raises ValueError without one."""
    found = _TAG.search(text)
    if found is None:
        raise ValueError(f"no tag in {text[:200]!r}")
    return found[1]
