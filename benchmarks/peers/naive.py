r"""What labs write today: math-verify inline in a FastAPI endpoint, as in the reward functions they already have.

The parse and verify calls, their configuration and their timeouts are those of TRL's ``accuracy_reward``. The
endpoint is ``async def``, which blocks the event loop: math-verify's timeouts are signals, and signals work in
the main thread only, so a ``def`` endpoint (a thread) would run without any limit. The reference is wrapped in
dollars, without which the parser finds no LaTeX in it.

``/openrlhf`` and ``/slime`` are the same behind the protocols of these trainers, as their example servers are written:
JSON in, JSON out, no model of either (which is cheaper than one), and 0 for what cannot be judged.
"""

from __future__ import annotations

import os

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from latex2sympy2_extended import NormalizationConfig
from math_verify import LatexExtractionConfig, parse, verify
from pydantic import BaseModel

app = FastAPI()


class Sample(BaseModel):
    response: str
    reference: str


@app.get("/ready")
async def ready() -> dict[str, int]:
    return {"pid": os.getpid()}


@app.post("/verify")
async def judge(sample: Sample) -> dict[str, float | None]:
    return {"score": score(sample.response, sample.reference)}


@app.post("/openrlhf")
async def openrlhf(request: Request) -> JSONResponse:
    asked = await request.json()
    texts = zip(asked["query"], asked["prompts"], asked["labels"], strict=True)
    rewards = [score(query.removeprefix(prompt), label) or 0.0 for query, prompt, label in texts]
    return JSONResponse({"rewards": rewards, "scores": rewards, "extra_logs": {"correct": rewards}})


@app.post("/slime")
async def slime(request: Request) -> JSONResponse:
    asked = await request.json()
    return JSONResponse(score(asked["response"], asked["label"]) or 0.0)


def score(response: str, reference: str) -> float | None:
    """None where the reference cannot be read."""
    gold = parse(f"${reference}$", parsing_timeout=10)
    if not gold:
        return None
    answer = parse(
        response,
        extraction_config=[
            LatexExtractionConfig(
                normalization_config=NormalizationConfig(units=True),
                boxed_match_priority=0,
                try_extract_without_anchor=False,
            )
        ],
        extraction_mode="first_match",
        parsing_timeout=10,
    )
    return float(verify(gold, answer, timeout_seconds=5))
