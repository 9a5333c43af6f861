"""Models on the wire: what a model is, where it runs, how its numbers are read, which weights it has now.

An entry is registered under a name (``POST /v1/models``) and asked for by that name: by the verifiers
``reward_model``, ``process_reward`` and ``likelihood`` (``params.model``) and by the native paths of model servers.
``kind`` says which head it has: ``reward`` (sequence classification, one row of logits a text), ``process`` (a row of
logits at each step) or ``causal`` (log-probabilities of next tokens).
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Annotated, Literal, Self, cast

from pydantic import Field, JsonValue, StrictBool, StrictInt, StrictStr, model_validator

from trueward.wire.base import Number, Wire
from trueward.wire.request_fields import RequestFields
from trueward.wire.sample import Message

if TYPE_CHECKING:
    from pydantic.main import IncEx

ModelKind = Literal["reward", "process", "causal"]
Backend = Annotated[
    StrictStr,
    Field(
        pattern=r"^[a-z][a-z0-9_-]{0,63}$",
        description="local: the service's own engine; vllm, sglang, tei or openai: the protocol of another server; "
        "or a protocol that a plug-in brings",
    ),
]
Structured = Literal["auto", "schema", "json", "none"]
Finish = Literal["stop", "length", "refused"]
Dtype = Literal["auto", "float32", "bfloat16", "float16"]
Attention = Literal["auto", "packed", "sdpa", "eager"]
Truncation = Literal["refuse", "left", "right"]
ModelState = Literal["registered", "loading", "ready", "failed"]


class LogitReading(Wire):
    """One logit as it is: a Bradley-Terry reward, or one label of several."""

    kind: Literal["logit"] = "logit"
    index: StrictInt = Field(0, ge=0)


class ProbabilityReading(Wire):
    """The probability of one label: softmax over the logits, or the sigmoid where there is one."""

    kind: Literal["probability"]
    index: StrictInt = Field(0, ge=0)


class AttributesReading(Wire):
    """A weighted sum of several logits, each a named attribute of the response."""

    kind: Literal["attributes"]
    weights: dict[StrictStr, Number] = Field(min_length=1, description="weight by attribute, in the logits' order")


class GatedReading(Wire):
    """ArmoRM: objectives mixed by a gate that reads the prompt's end (arXiv 2406.12845)."""

    kind: Literal["gated"]
    attributes: list[StrictStr] = Field([], description="names of the objectives, in the order of the head")


class ChoiceReading(Wire):
    """A generative reward: the probability of the first of several next tokens (``Yes`` against ``No``)."""

    kind: Literal["choice"]
    choices: list[StrictStr] = Field(["Yes", "No"], min_length=2)


class HeadsReading(Wire):
    """Several heads, each with a mean and a spread (BRME, arXiv 2409.15360): the logits are all means, then all
    spreads. The reward is the mean of the means; each head's stands in the evidence, as ``scores`` and ``stds``."""

    kind: Literal["heads"]
    spread: Literal["std", "log_std", "log_variance"] = Field("std", description="what the second half of the row is")


Reading = Annotated[
    LogitReading | ProbabilityReading | AttributesReading | GatedReading | ChoiceReading | HeadsReading,
    Field(discriminator="kind"),
]


class Calibration(Wire):
    """What a raw number is turned into: ``affine`` gives ``scale x raw + shift``, ``platt`` the sigmoid of that, and
    ``temperature`` the sigmoid of ``raw / temperature``. The raw number stays in the verdict's evidence."""

    method: Literal["affine", "platt", "temperature"]
    scale: Number = 1.0
    shift: Number = 0.0
    temperature: Annotated[Number, Field(gt=0)] = 1.0


class StepReading(Wire):
    """How a process reward model says what it thinks of a step.

    ``separator``: a token after every step (Qwen2.5-Math-PRM), softmax over two labels there. ``choices``: at a tag
    after every step the next token's probability of the first choice among the choices (Math-Shepherd: ``+`` and
    ``-``). ``last_token``: the head's logits at the last token of every step.
    """

    style: Literal["separator", "choices", "last_token"] = "separator"
    separator: StrictStr = "<extra_0>"
    choices: list[StrictStr] = Field(["+", "-"], min_length=2)
    joint: StrictStr = Field("", description="text between a step and the next, and before its separator")
    positive: StrictInt = Field(1, ge=0, description="label of a right step, where the head has several")


class Price(Wire):
    """What a server charges, in whatever currency the budgets of recipes are in, for a million tokens."""

    read: Annotated[Number, Field(ge=0)] = Field(0.0, description="for a million tokens that the model reads")
    written: Annotated[Number, Field(ge=0)] = Field(0.0, description="for a million tokens that it writes")
    cached: Annotated[Number, Field(ge=0)] | None = Field(
        None, description="for a million of the tokens read that the server had in its cache; default: as `read`"
    )

    @model_validator(mode="after")
    def _cached_is_cheaper(self) -> Self:
        if self.cached is not None and self.cached > self.read:
            raise ValueError("tokens from the cache cost no more than those that are read")
        return self

    def of(self, read: int, written: int, cached: int = 0) -> float:
        """The cost of one answer; ``cached`` of the tokens read were in the server's cache."""
        known = 0 if self.cached is None else min(cached, read)
        return (self.read * (read - known) + (self.cached or 0.0) * known + self.written * written) / 1_000_000


class RequestLimits(Wire):
    """How fast another server may be asked for a model, by all who ask this service. What the server tells itself, in
    its headers and by refusing, counts besides."""

    requests_per_minute: Annotated[StrictInt, Field(ge=1)] | None = None
    tokens_per_minute: Annotated[StrictInt, Field(ge=1)] | None = Field(None, description="read and written")
    at_once: Annotated[StrictInt, Field(ge=1)] | None = Field(
        None, description="requests at once; default: the service's `TRUEWARD_MODEL_SERVER_REQUESTS`"
    )


class ModelEntry(Wire):
    """A model under a name.

    ``path`` is a directory with safetensors, a GGUF file, or the name of a repository; with ``url`` the model is
    served by another server in the protocol ``backend``. ``messages`` or ``text`` say what the model reads: slots
    in braces (``{prompt}``, ``{response}``, ``{reference}``, ``{documents}``, ``{principle}``, ``{other}``) are filled
    from the sample; by default it is the prompt's messages and the response as the assistant's.
    """

    name: StrictStr = Field(min_length=1, max_length=128, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    kind: ModelKind
    path: StrictStr | None = Field(None, min_length=1, max_length=1024)
    url: StrictStr | None = Field(None, min_length=1, max_length=1024)
    backend: Backend = "local"
    served_name: StrictStr | None = Field(None, description="what the other server calls it; default: the name")
    revision: StrictStr | None = None
    dtype: Dtype = "auto"
    device: StrictStr = Field("auto", pattern=r"^(auto|cpu|cuda(:\d+)?)$")
    attention: Attention = "auto"
    trust_remote_code: StrictBool = False
    max_tokens: StrictInt | None = Field(None, ge=8, description="longest text in tokens; default: the model's own")
    truncation: Truncation = Field("refuse", description="what becomes of a longer text; a cut is told in the evidence")
    chat_template: StrictStr | None = Field(None, description="Jinja template instead of the tokenizer's own")
    system: StrictStr | None = Field(None, description="system prompt where the conversation has none")
    messages: list[Message] | None = None
    text: StrictStr | None = None
    reading: Reading = LogitReading()
    steps: StepReading = StepReading()
    calibration: Calibration | None = None
    structured: Structured = Field(
        "auto",
        description="how the model is made to reply in a form: by JSON Schema, as JSON of any form, not at all; "
        "auto: the first of these that it, or its server, does not refuse",
    )
    secret: StrictStr | None = Field(
        None,
        pattern=r"^TRUEWARD_SECRET_[A-Z0-9_]{1,64}$",
        description="environment variable of the service that holds the other server's API key",
    )
    price: Price | None = Field(None, description="what the model's answers cost; without it they cost nothing")
    limits: RequestLimits | None = Field(None, description="how fast another server may be asked")
    request: RequestFields | None = Field(None, description="what another server is told beside the question")

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.url is None) != (self.backend == "local"):
            raise ValueError("a model has a url with a backend of vllm, sglang, tei or openai, and none with local")
        if self.backend == "local" and self.secret is not None:
            raise ValueError("a local model has no secret: that is another server's key")
        if self.backend == "local" and self.limits is not None:
            raise ValueError("a local model has no limits: those are for other servers")
        if self.backend == "local" and self.request is not None:
            raise ValueError("a local model has no request: that is for other servers")
        if self.request is not None and self.secret is None and "{secret}" in "".join(self.request.headers.values()):
            raise ValueError("a header has {secret}, and the entry names no secret")
        if self.backend == "local" and self.path is None:
            raise ValueError("a local model has a path: a directory, a GGUF file, or the name of a repository")
        if self.backend != "local" and (self.max_tokens is not None or self.truncation != "refuse"):
            raise ValueError(
                "another server has its own limit, and does not tell what it cuts: no max_tokens or truncation"
            )
        if self.messages is not None and self.text is not None:
            raise ValueError("messages or text, not both")
        if self.reading.kind == "heads" and self.calibration is not None and self.calibration.method != "affine":
            raise ValueError("a reading of heads takes an affine calibration or none: no other has a spread to give")
        return self

    @property
    def digest(self) -> str:
        """``sha256:`` of the entry: what a verdict's producer depended on, beside the weights. How fast the model may
        be asked changes nothing that it says. Fields that came later count only where they are set, so that entries
        keep their digest."""
        later: dict[str, bool | set[str]] = {"limits": True}
        if self.request is None:
            later["request"] = True
        if self.price is not None and self.price.cached is None:
            later["price"] = {"cached"}
        return "sha256:" + hashlib.sha256(self.model_dump_json(exclude=cast("IncEx", later)).encode()).hexdigest()


class WeightsRequest(Wire):
    """New weights for a model: a directory or file of safetensors; whole, partial, or a LoRA adapter.

    ``version`` must be above the present one; default: the next.
    """

    path: StrictStr = Field(min_length=1, max_length=1024)
    version: StrictInt | None = Field(None, ge=1, le=2**53)
    adapter: StrictBool = Field(False, description="a LoRA adapter that is merged into the base weights")


class Weights(Wire):
    """What a model's weights are now."""

    model: StrictStr
    version: StrictInt
    tensors: StrictInt = Field(description="tensors that were replaced")
    whole: StrictBool = Field(False, description="whether these were all that the model has")
    rests_on: list[StrictInt] = Field([], description="earlier versions of which tensors are left, oldest first")
    swap_s: float = Field(description="seconds between two batches that the swap took")


class ModelView(Wire):
    """A model and how it is doing; an element of OpenAI's list of models, with more in it."""

    id: StrictStr
    object: Literal["model"] = "model"
    created: StrictInt
    owned_by: StrictStr = "trueward"
    kind: ModelKind
    state: ModelState
    detail: StrictStr = Field("", description="why it could not be loaded")
    weights: StrictInt = Field(0, description="version of the weights; 0: those of the entry's path")
    digest: StrictStr
    entry: ModelEntry


class ModelList(Wire):
    object: Literal["list"] = "list"
    data: list[ModelView]


class ClassifyQuestion(Wire):
    """The head's logits for a whole text: one row. ``pair`` is the second text for models of pairs."""

    kind: Literal["classify"]
    text: StrictStr | list[Message]
    pair: StrictStr | None = None


class StepsQuestion(Wire):
    """A row of logits at each step, as a process reward model says them."""

    kind: Literal["steps"]
    prompt: StrictStr | list[Message]
    steps: list[StrictStr] = Field(min_length=1)


class SpansQuestion(Wire):
    """Log-probabilities of the tokens in spans (characters) of ``text``, which follows the prompt: a row a span.

    Spans may overlap; together they are at most four times as long as the text. ``role`` is whose turn the text is,
    where the prompt is a conversation.
    """

    kind: Literal["spans"]
    prompt: StrictStr | list[Message]
    text: StrictStr
    spans: list[tuple[Annotated[StrictInt, Field(ge=0)], Annotated[StrictInt, Field(ge=0)]]] = Field(
        min_length=1, max_length=4096
    )
    role: StrictStr = "assistant"

    @model_validator(mode="after")
    def _answerable(self) -> Self:
        if sum(end - start for start, end in self.spans if end > start) > 4 * len(self.text):
            raise ValueError("the spans are together more than four times as long as the text")
        return self


class ChoicesQuestion(Wire):
    """Log-probabilities of each choice as the next token after the prompt, and what was ``said`` since: one row."""

    kind: Literal["choices"]
    prompt: StrictStr | list[Message]
    choices: list[StrictStr] = Field(min_length=1, max_length=1024)
    said: StrictStr = ""


class GenerateQuestion(Wire):
    """What the model says next."""

    kind: Literal["generate"]
    prompt: StrictStr | list[Message]
    max_tokens: StrictInt = Field(ge=1, le=100_000)
    temperature: Annotated[Number, Field(ge=0)] = 0.0
    stop: list[Annotated[StrictStr, Field(min_length=1, max_length=256)]] = Field([], max_length=16)
    seed: StrictInt | None = Field(None, ge=-(2**63), lt=2**63)
    top_p: Annotated[Number, Field(gt=0, le=1)] = 1.0
    form: dict[StrictStr, JsonValue] | None = Field(
        None, description="JSON Schema of the reply, where the model's server can be made to keep to one"
    )
    alternatives: StrictInt = Field(0, ge=0, le=20, description="likeliest tokens to tell at each place of the reply")


ModelQuestion = Annotated[
    ClassifyQuestion | StepsQuestion | SpansQuestion | ChoicesQuestion | GenerateQuestion, Field(discriminator="kind")
]


class AskRequest(Wire):
    """A question to one model; ``min_weights`` is the least version of its weights that may answer."""

    question: ModelQuestion
    deadline_s: Annotated[Number, Field(gt=0)] | None = None
    min_weights: StrictInt = Field(0, ge=0, le=2**53)


class ModelAnswer(Wire):
    """What the model said: a row for what was asked, with the characters of ``text`` that each token covers."""

    rows: list[list[float]] = Field([])
    offsets: list[list[tuple[int, int]]] = Field([])
    token_ids: list[list[int]] = Field([])
    text: str = ""
    tokens: int = Field(0, description="tokens that were read")
    written: int = Field(0, description="tokens that the model wrote")
    finish: Finish = Field("stop", description="why it stopped writing: at its end, at max_tokens, or by refusing")
    alternatives: list[list[tuple[str, float]]] = Field(
        [], description="for each token written the likeliest there with their log-probabilities"
    )
    truncated: int = Field(0, description="tokens that were cut off first")
    weights: int = Field(0, description="version of the weights that answered")
