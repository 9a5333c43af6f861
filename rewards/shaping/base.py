"""The two kinds of shaping: of one number, and of a group's numbers together.

A shaping with ``term`` acts on that term's score before it is weighted, one without on the total. Both are pure: what
they know of the past is in the state that the view carries.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from rewards.schema import Name, Strict
from rewards.view import View
from trueward.former_names import accept_former_method

Values = Sequence[float | None]


class Shaping(Strict):
    """``bounded``: whatever comes in, what goes out lies between two fixed numbers.

    ``version`` rises when the formula changes; earlier ones stay, for what they priced (``Conditions.formulas``).
    """

    term: Name | None = Field(None, description="the term whose score is shaped; default: the total")

    if TYPE_CHECKING:
        method: str

    bounded: ClassVar[bool] = False
    of_group: ClassVar[bool] = False
    version: ClassVar[int] = 1

    @property
    def reads(self) -> tuple[str, ...]:
        """Fields of the sample, beside the response, without which there is no reward."""
        return ()


class OneShaping(Shaping):
    """Shapes the number of one sample."""

    def shape(self, value: float, view: View) -> float:
        """Raises :class:`rewards.view.Unshapeable` where the sample lacks what is needed."""
        raise NotImplementedError

    @property
    def remembers(self) -> str | None:
        """The name of the moving average that this shaping reads; None for most."""
        return None

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        super().__pydantic_init_subclass__(**options)
        accept_former_method(cls, "learned", "learn")

    def learn(self, average: float | None, values: Sequence[float]) -> float:
        """The average after a batch of incoming values; asked only where ``remembers`` names one."""
        raise NotImplementedError


class GroupShaping(Shaping):
    """Shapes the numbers of a group: None stays None and takes no part."""

    of_group: ClassVar[bool] = True

    def needs(self, view: View) -> None:
        """Raises :class:`rewards.view.Unshapeable` where the sample lacks what is needed; it then takes no part."""

    def shape_group(self, values: Values, views: Sequence[View]) -> list[float | None]:
        """Raises :class:`rewards.view.Unshapeable` where the samples do not fit together."""
        raise NotImplementedError
