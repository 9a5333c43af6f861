"""What HTTP costs by itself: an endpoint that reads nothing and does nothing."""

from __future__ import annotations

import os

from fastapi import FastAPI

app = FastAPI()


@app.get("/ready")
async def ready() -> dict[str, int]:
    return {"pid": os.getpid()}


@app.post("/verify")
async def verify() -> dict[str, float]:
    return {}
