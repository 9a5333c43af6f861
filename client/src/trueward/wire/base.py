"""What everything that travels is made of."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictInt

Number = StrictInt | StrictFloat
Score = Annotated[Number, Field(ge=-1e300, le=1e300)]  # a sum or difference of several is a number, too


class Wire(BaseModel):
    """A model that travels: unknown fields are refused, numbers are finite."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=False)
