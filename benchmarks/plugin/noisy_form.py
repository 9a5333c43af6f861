"""A verifier that errs on purpose, at rates of its own for each of two forms of an answer: ``37`` and ``+37``.

Whether it errs is decided by prompt, response and ``seed``: the same content is judged alike each time.
"""

from __future__ import annotations

import hashlib
import re
from typing import Annotated, ClassVar

from pydantic import Field

from trueward import Abstain, Example, Params, Sample, SampleVerifier, Verdict

Share = Annotated[float, Field(ge=0.0, le=1.0)]
ANSWER = re.compile(r"(\+?)([0-9]+)", re.ASCII)


class NoisyFormParams(Params):
    seed: int = 0
    plain_false_positive: Share = 0.0
    plain_false_negative: Share = 0.0
    plus_false_positive: Share = 0.0
    plus_false_negative: Share = 0.0


class NoisyForm(SampleVerifier[NoisyFormParams]):
    name: ClassVar[str] = "noisy_form"
    summary: ClassVar[str] = "Digits, with a plus before them or without; errs at the rates that it is given"
    Params: ClassVar[type[Params]] = NoisyFormParams
    needs: ClassVar[tuple[str, ...]] = ("prompt", "response", "reference")
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(prompt="3 7=", response="37", reference="37"), outcome="correct"),
        Example(sample=Sample(prompt="3 7=", response="+38", reference="37"), outcome="incorrect"),
        Example(sample=Sample(prompt="3 7=", response="3+", reference="37"), outcome="invalid"),
    )

    def verify_one(self, sample: Sample) -> Verdict:
        if not isinstance(sample.reference, str):
            raise Abstain("reference_type", "the reference is a text of digits")
        said = ANSWER.fullmatch(sample.response_text)
        if said is None or len(said[2]) != len(sample.reference):
            return Verdict.invalid("malformed", "no answer in one of the two forms", evidence={"form": "malformed"})
        form, right = "plus" if said[1] else "plain", said[2] == sample.reference
        evidence = {"extracted": said[2], "form": form}
        if right != self._errs(sample, form, right):
            return Verdict.correct("accepted", "taken for right", evidence=evidence)
        return Verdict.incorrect("rejected", "taken for wrong", evidence=evidence)

    def _errs(self, sample: Sample, form: str, right: bool) -> bool:
        rates = {
            ("plain", False): self.params.plain_false_positive,
            ("plain", True): self.params.plain_false_negative,
            ("plus", False): self.params.plus_false_positive,
            ("plus", True): self.params.plus_false_negative,
        }
        content = f"{self.params.seed}\0{sample.prompt_text}\0{sample.response_text}"
        drawn = int.from_bytes(hashlib.blake2b(content.encode(), digest_size=8).digest(), "big") / 2**64
        return drawn < rates[form, right]
