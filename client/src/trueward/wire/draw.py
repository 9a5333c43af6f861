"""Draws on the wire: which responses to label next, each with the probability that it was chosen with.

A draw asks several questions of a population (its *queries*). A response is drawn with the highest probability of the
queries that match it, or with that of the ``rest``; the probability is stored with the item, so that an audit can weigh
it (Horvitz-Thompson). Whoever labels an item sees neither.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, JsonValue, StrictBool, StrictStr

from trueward.wire.audit import Population, Subject
from trueward.wire.base import Number, Wire
from trueward.wire.label import Label, Score, Share
from trueward.wire.sample import Message
from trueward.wire.verdict import Outcome

ItemState = Literal["open", "done", "skipped"]
Chance = Annotated[Number, Field(ge=0, le=1)]
Annotator = Annotated[StrictStr, Field(min_length=1, max_length=256)]


class Question(Wire):
    """What all queries have: the probability that a response which matches is drawn with."""

    probability: Share


class Disagreement(Question):
    """Another subject accepts the response where this one does not, or the other way round."""

    query: Literal["disagreement"] = "disagreement"
    other: Subject


class NearThreshold(Question):
    """The score is at most ``margin`` away from ``threshold`` (None: the subject's)."""

    query: Literal["near_threshold"] = "near_threshold"
    margin: Annotated[Number, Field(ge=0, le=1e300)]
    threshold: Score | None = None


class GroupJump(Question):
    """The only response that is accepted, or rejected, among at least ``least`` of its group with a verdict."""

    query: Literal["group_jump"] = "group_jump"
    least: int = Field(default=3, ge=3)


class NewForm(Question):
    """The answer's form is rare: its share of the answers is below ``share``.

    The form is what the evidence calls ``form``, else the shape of the extracted answer: digits and letters made alike.
    """

    query: Literal["new_form"] = "new_form"
    share: Share = 0.01


class SuspectedReference(Question):
    """The reference may be wrong: of a group's answers at least ``agree`` are the same one, the subject rejects it, and
    ``second`` accepts it."""

    query: Literal["suspected_reference"] = "suspected_reference"
    second: Subject
    agree: Annotated[Number, Field(gt=0.5, le=1)] = 0.7
    least: int = Field(default=2, ge=2, description="answers that a group needs")


class RandomStratified(Question):
    """Everything, the same expected number from each stratum of outcome and data source; ``probability`` is the share
    of the population that all strata give together, as far as the small ones can."""

    query: Literal["random_stratified"] = "random_stratified"


class Cell(Question):
    """What two subjects said of a response: this one ``accepted`` it or not, and ``other``, where it is named, said
    ``said`` of it (None: nothing). Where a ``feature`` is named, as an audit slices by, the response has one of the
    ``values``, or with ``outside`` none of them."""

    query: Literal["cell"] = "cell"
    accepted: StrictBool
    other: Subject | None = None
    said: StrictBool | None = None
    feature: StrictStr | None = Field(default=None, max_length=64)
    values: list[StrictStr] = Field(default=[], max_length=20)
    outside: StrictBool = False


class RecordList(Question):
    """The responses of these records, as somebody chose them. With ``probability`` 1 and no ``rest`` the labels speak
    of these responses alone."""

    query: Literal["records"] = "records"
    records: list[Annotated[StrictStr, Field(max_length=64)]] = Field(min_length=1, max_length=10_000)


Query = Annotated[
    Cell | Disagreement | NearThreshold | GroupJump | NewForm | SuspectedReference | RandomStratified | RecordList,
    Field(discriminator="query"),
]


class DrawRequest(Wire):
    """What ``POST /v1/labels/draws`` takes.

    ``subject`` and ``population`` say whose stored verdicts; a response that was judged several times is one item.
    ``rest`` is the probability of what no query matches; with 0 the draw says nothing of it. ``limit``: where more
    items are expected all probabilities are made smaller alike. The same ``seed`` draws the same responses.
    ``guidelines`` tell the annotators what is right here.
    """

    name: StrictStr = Field(default="", max_length=256)
    guidelines: StrictStr = Field(default="", max_length=20_000)
    subject: Subject
    population: Population = Population()
    queries: list[Query] = Field(default=[], max_length=40)
    rest: Chance = 0.0
    limit: int | None = Field(default=None, ge=1, description="items to expect at most")
    annotators_per_item: int = Field(default=1, ge=1, le=20)
    hold_s: Annotated[Number, Field(gt=0, le=86_400)] = 600
    seed: int = 0


class Draw(Wire):
    """A draw: ``population`` responses, of which ``drawn`` are items, by state and by the query that chose them."""

    id: str
    name: str
    spec: DrawRequest
    population: int
    drawn: int
    states: dict[ItemState, int]
    queries: dict[str, int]
    notes: list[str] = Field(default=[])
    owner: str | None
    created_at: datetime


class DrawSummary(Wire):
    """A draw in a list."""

    id: str
    name: str
    subject: str
    population: int
    drawn: int
    created_at: datetime


class DrawPage(Wire):
    draws: list[DrawSummary] = Field(description="newest first")
    next: str | None = Field(default=None, description="`after` of the next page; null on the last")


class Turn(Wire):
    """Who asks for an item, or gives it back."""

    annotator: Annotator


class BlindItem(Wire):
    """An item as its annotator sees it before labelling: nothing here tells what was said of the response.

    It is held for the annotator until ``until``.
    """

    draw: str
    position: int
    annotator: str
    prompt: str | list[Message] | None
    response: str | list[Message] | None
    reference: JsonValue
    data_source: str | None
    until: datetime


class ItemLabel(Wire):
    """What an annotator says of an item. ``right`` is None where that cannot be told."""

    annotator: Annotator
    right: StrictBool | None
    score: Score | None = None
    note: StrictStr = Field(default="", max_length=10_000)
    reference: JsonValue = Field(default=None, description="the right reference, where the sample's is wrong")


class DrawnVerdict(Wire):
    """What a verifier, or a recipe, said of the response."""

    name: str
    version: str | None
    record: str
    outcome: Outcome
    score: float | None
    reason_code: str
    reason: str


class Revealed(Wire):
    """The answer to a submission: the label as stored, the item's state, and what was said of the response, newest
    first."""

    label: Label
    state: ItemState
    query: str
    said: list[DrawnVerdict]


class ItemView(Wire):
    """Where an item is, after it was given back or passed over."""

    draw: str
    position: int
    state: ItemState


class PairAgreement(Wire):
    """Two annotators on the items that both have decided."""

    first: str
    second: str
    items: int
    share: float | None = Field(description="on which they say the same")
    kappa: float | None = Field(description="Cohen's; null where it is undefined")


class LabelAgreement(Wire):
    """How far the annotators of a draw agree, by the labels that they gave before they saw any verdict."""

    draw: str
    annotators: list[str]
    items: int = Field(description="with a decision of at least two annotators")
    pairs: list[PairAgreement]
    alpha: float | None = Field(description="Krippendorff's, over all; null where it is undefined")
