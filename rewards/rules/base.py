"""What a group rule decides: whether the trainer should keep a group, and how often to draw each response."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from rewards.conditions import Conditions
from rewards.schema import Strict
from trueward.former_names import accept_former_method
from trueward.wire.reward import Group


class Decision(NamedTuple):
    """``weights`` are probabilities of resampling, one a response; None where the rule leaves them alone."""

    kept: bool
    reason: str = ""
    weights: list[float] | None = None


KEPT = Decision(True)


class Rule(Strict):
    """Decides on a summarised group and the rewards of its members, in their order.

    ``version`` is that of the formula, as a shaping's is.
    """

    if TYPE_CHECKING:
        rule: str

    version: ClassVar[int] = 1

    def decide(
        self, group: Group, rewards: Sequence[float | None], conditions: Conditions, *, labelled: bool
    ) -> Decision:
        """``labelled`` says whether the prompt has a reference."""
        raise NotImplementedError

    @property
    def remembers(self) -> str | None:
        """The name of the moving average that the rule reads; None for most."""
        return None

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        super().__pydantic_init_subclass__(**options)
        accept_former_method(cls, "learned", "learn")

    def learn(self, average: float | None, groups: Sequence[Group], step: int | None) -> float | None:
        """The average after a batch of groups; asked only where ``remembers`` names one."""
        raise NotImplementedError
