"""In place of a model server: the paths of vLLM, SGLang and text-embeddings-inference that score texts.

They are native paths: they go straight to the model lane, under the same keys and back-pressure as the one path, and
nothing of them is recorded, for no reward is made here. Numbers are the model's own: how its entry reads and
calibrates them is the verifiers' business. What cannot be said is an error, never a number.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Discriminator, Tag

from app.http.openapi import NO_KEY
from app.keys.admission import Scorer, Viewer
from app.kit.problems import MEDIA_TYPE
from app.protocols.model_servers import generate, sglang, tei, vllm
from app.protocols.model_servers.asking import NativesDep
from app.protocols.model_servers.route import NativeRoute, scores_next_tokens
from judges.questions import Classify

_WORDS: dict[str, Any] = {"content": {"application/json": {}, MEDIA_TYPE: {}}}
ERRORS: dict[int | str, dict[str, Any]] = {
    "4XX": {**_WORDS, "description": "Refused, in the words of the server whose path it is"},
    "5XX": {**_WORDS, "description": "Our failure, in the words of that server"},
}
"""What every route may answer besides its result, for the OpenAPI document."""

router = APIRouter(route_class=NativeRoute, tags=["models"], responses=ERRORS)


def _by_text(body: Any) -> str:
    return "sglang" if isinstance(body, dict) and "text" in body else "vllm"


def _by_labels(body: Any) -> str:
    return "sglang" if isinstance(body, dict) and scores_next_tokens(body) else "vllm"


def _by_texts(body: Any) -> str:
    return "tei" if isinstance(body, dict) and "texts" in body else "vllm"


ClassifyBody = Annotated[
    Annotated[vllm.VllmClassifyBody, Tag("vllm")] | Annotated[sglang.SglangClassifyBody, Tag("sglang")],
    Discriminator(_by_text),
]
ScoreBody = Annotated[
    Annotated[vllm.VllmScoreBody, Tag("vllm")] | Annotated[sglang.SglangScoreBody, Tag("sglang")],
    Discriminator(_by_labels),
]
RerankBody = Annotated[
    Annotated[vllm.VllmRerankBody, Tag("vllm")] | Annotated[tei.TeiRerankBody, Tag("tei")], Discriminator(_by_texts)
]

ModelName = Annotated[str | None, Query(max_length=128, description="model, where the body names none")]


@router.post("/classify")
async def classify(
    body: ClassifyBody, natives: NativesDep, key: Scorer
) -> vllm.VllmClassifyAnswer | sglang.SglangClass | list[sglang.SglangClass]:
    """vLLM's, or with `text` SGLang's: what a reward model says of texts."""
    if isinstance(body, vllm.VllmClassifyBody):
        return await _classified(body, natives)
    model = natives.find_model(body.model, "reward")
    return sglang.render_classes(body, await natives.ask(model, sglang.read(body.text)))


@router.post("/v1/classify")
async def classify_as_openai(body: vllm.VllmClassifyBody, natives: NativesDep, key: Scorer) -> vllm.VllmClassifyAnswer:
    """vLLM's `/classify` under the path that SGLang has it at."""
    return await _classified(body, natives)


@router.post("/pooling")
async def pooling(body: vllm.VllmPoolingBody, natives: NativesDep, key: Scorer) -> vllm.VllmPoolingAnswer:
    """vLLM's: the head's numbers for each text, or for each step of a conversation that ends with separators."""
    model = natives.find_model(body.model, "reward", "process")
    by_step = model.entry.kind == "process"
    questions = vllm.read_steps(body, model.entry) if by_step else vllm.read(body)
    return vllm.render_pooling(body, model.entry.name, await natives.ask(model, questions), by_step=by_step)


@router.post("/score")
async def score(body: vllm.VllmScoreBody, natives: NativesDep, key: Scorer) -> vllm.VllmScoreAnswer:
    """vLLM's: pairs of texts, one number each."""
    return await _scored(body, natives)


@router.post("/v1/score")
async def score_as_openai(
    body: ScoreBody, natives: NativesDep, key: Scorer
) -> vllm.VllmScoreAnswer | sglang.SglangScoreAnswer:
    """vLLM's `/score`, or with `query`, `items` and `label_token_ids` SGLang's: how likely next tokens are."""
    if isinstance(body, vllm.VllmScoreBody):
        return await _scored(body, natives)
    model = natives.find_model(body.model, "causal")
    return sglang.render_scores(body, model.entry.name, await natives.ask(model, sglang.next_tokens(body)))


@router.post("/rerank")
async def rerank(body: RerankBody, natives: NativesDep, key: Scorer) -> vllm.VllmRerankAnswer | list[tei.TeiRank]:
    """vLLM's, or with `texts` text-embeddings-inference's: texts by how well they go with a query."""
    if isinstance(body, vllm.VllmRerankBody):
        return await _reranked(body, natives)
    model = natives.find_model(body.model, "reward")
    return tei.render_ranks(body, await natives.ask(model, tei.candidates(body)))


@router.post("/v1/rerank", operation_id="rerank_v1")
@router.post("/v2/rerank", operation_id="rerank_v2")
async def rerank_versioned(body: vllm.VllmRerankBody, natives: NativesDep, key: Scorer) -> vllm.VllmRerankAnswer:
    """vLLM's `/rerank`."""
    return await _reranked(body, natives)


@router.post("/v1/embeddings")
async def embeddings(
    body: sglang.SglangEmbeddingsBody, natives: NativesDep, key: Scorer
) -> sglang.SglangEmbeddingsAnswer:
    """SGLang's, of a reward model: its numbers, which verl reads where an embedding would stand."""
    model = natives.find_model(body.model, "reward")
    return sglang.render_embeddings(model.entry.name, await natives.ask(model, sglang.read(body.input)))


@router.post("/predict")
async def predict(
    body: tei.TeiPredictBody, natives: NativesDep, key: Scorer
) -> list[tei.TeiPrediction] | list[list[tei.TeiPrediction]]:
    """text-embeddings-inference's: the labels of texts or pairs, the likeliest first."""
    model = natives.find_model(body.model, "reward")
    return tei.render_predictions(body, await natives.ask(model, tei.read(body)))


@router.post("/generate")
async def generate_nothing(
    body: generate.SglangGenerateBody, natives: NativesDep, key: Scorer, model: ModelName = None
) -> generate.SglangGenerated | list[generate.SglangGenerated]:
    """SGLang's, with ``max_new_tokens`` 0: the log-probability of each token. slime's distillation posts it."""
    found = natives.find_model(body.model or model, "causal")
    return generate.render_generations(body, await natives.ask(found, generate.each_token(body)))


@router.get("/health", openapi_extra=NO_KEY)
async def health() -> dict[str, str]:
    """What clients of model and code servers wait for before they begin: 200 while the process answers."""
    return {"status": "healthy"}


@router.get("/info")
async def info(natives: NativesDep, key: Viewer, model: ModelName = None) -> tei.TeiInfo:
    """text-embeddings-inference's: the model and its limits. It is loaded for it, to know its labels."""
    found = natives.find_model(model, "reward")
    [answer] = await natives.ask(found, [Classify("a")])
    settings, batch_tokens = natives.settings, natives.models.lane.engines.batch_tokens(found.entry)
    return tei.TeiInfo(
        model_id=found.entry.name,
        model_sha=found.entry.revision,
        model_dtype=found.entry.dtype,
        model_type=tei.describe_labels(len(answer.rows[0])),
        max_concurrent_requests=settings.max_waiting_samples,
        max_input_length=found.entry.max_tokens or batch_tokens,
        max_batch_tokens=batch_tokens,
        max_client_batch_size=settings.max_samples,
        auto_truncate=found.entry.truncation != "refuse",
    )


async def _classified(body: vllm.VllmClassifyBody, natives: NativesDep) -> vllm.VllmClassifyAnswer:
    model = natives.find_model(body.model, "reward")
    return vllm.render_classes(body, model.entry.name, await natives.ask(model, vllm.read(body)))


async def _scored(body: vllm.VllmScoreBody, natives: NativesDep) -> vllm.VllmScoreAnswer:
    model = natives.find_model(body.model, "reward")
    return vllm.render_scores(body, model.entry.name, await natives.ask(model, vllm.pairs(body)))


async def _reranked(body: vllm.VllmRerankBody, natives: NativesDep) -> vllm.VllmRerankAnswer:
    model = natives.find_model(body.model, "reward")
    return vllm.render_ranks(body, model.entry.name, await natives.ask(model, vllm.candidates(body)))
