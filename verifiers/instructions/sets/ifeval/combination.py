"""``combination:*``: two responses in one, and the request repeated first."""

from __future__ import annotations

from typing import ClassVar

from verifiers.instructions.constraint import Constraint, Finding, Passage


class TwoResponses(Constraint):
    """Two different responses with six asterisks between them."""

    id: ClassVar[str] = "combination:two_responses"

    def check(self, text: str) -> Finding:
        parts = [part.strip() for part in text.split("******")]
        inner = parts[bool(not parts[0]) : len(parts) - bool(not parts[-1])]
        if len(inner) != 2 or not all(inner):
            return Finding(False, f"{sum(map(bool, inner))} responses, wanted exactly 2")
        same = inner[0] == inner[1]
        return Finding(not same, "the same response twice" if same else "2 responses")


class RepeatPrompt(Constraint):
    """The response begins with the request, word for word, case aside."""

    id: ClassVar[str] = "combination:repeat_prompt"
    prompt_to_repeat: Passage

    def check(self, text: str) -> Finding:
        repeated = text.strip().casefold().startswith(self.prompt_to_repeat.strip().casefold())
        return Finding(repeated, "the request, repeated" if repeated else "the request is not repeated first")
