r"""What labs write today: math-verify inline in a FastAPI endpoint, as in the reward functions they already have.

The parse and verify calls, their configuration and their timeouts are those of TRL's ``accuracy_reward``. The
endpoint is ``async def``, which blocks the event loop: math-verify's timeouts are signals, and signals work in
the main thread only, so a ``def`` endpoint (a thread) would run without any limit. The reference is wrapped in
dollars, without which the parser finds no LaTeX in it.
"""

from __future__ import annotations

import os

from fastapi import FastAPI
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
    gold = parse(f"${sample.reference}$", parsing_timeout=10)
    if not gold:
        return {"score": None}
    answer = parse(
        sample.response,
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
    return {"score": float(verify(gold, answer, timeout_seconds=5))}
