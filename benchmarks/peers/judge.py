"""A judge's server that takes as long as it is told and thinks nothing: what is measured is who asks it.

``POST /v1/chat/completions`` answers after ``JUDGE_DELAY_S`` seconds (default 0.05) with a verdict of the preset
``correctness``: incorrect where ``WRONG`` stands in the question. ``GET /ready`` tells how many calls there were.
"""

from __future__ import annotations

import asyncio
import json
import os

from fastapi import FastAPI, Request, Response

DELAY_S = float(os.environ.get("JUDGE_DELAY_S", "0.05"))
WRONG = "a number that is wrong"


def _answer(analysis: str, verdict: str) -> bytes:
    reply = json.dumps({"analysis": analysis, "verdict": verdict})
    return json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": "judge",
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": reply}, "finish_reason": "stop"},
            ],
            "usage": {"prompt_tokens": 400, "completion_tokens": 20, "total_tokens": 420},
        }
    ).encode()


RIGHT_ANSWER = _answer("The final answer is the reference's.", "correct")
WRONG_ANSWER = _answer("The final answer is another one than the reference's.", "incorrect")

app = FastAPI()
app.state.calls = 0
app.state.last = b"{}"


@app.get("/ready")
async def ready() -> dict[str, int]:
    return {"pid": os.getpid(), "calls": app.state.calls}


@app.get("/last")
async def last() -> Response:
    """The body of the latest call."""
    return Response(app.state.last, media_type="application/json")


@app.get("/v1/models")
async def models() -> dict[str, object]:
    return {"object": "list", "data": [{"id": "judge", "object": "model"}]}


@app.post("/v1/chat/completions")
async def completions(request: Request) -> Response:
    app.state.calls += 1
    app.state.last = asked = await request.body()
    await asyncio.sleep(DELAY_S)
    return Response(WRONG_ANSWER if WRONG.encode() in asked else RIGHT_ANSWER, media_type="application/json")
