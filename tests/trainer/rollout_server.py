"""A rollout server that really samples: the tiny policy by transformers' own ``generate``, behind vLLM's and SGLang's
paths, over a real socket in a thread of its own.

    with RolloutServer(folder) as server:
        ServedSampler(..., server.config("sglang", "disk"), ...)

``statuses`` are answered first, one a request for completions; ``hold`` requests are awaited before any is answered.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self

import torch
from aiohttp import web
from transformers import AutoModelForCausalLM, AutoTokenizer

from trueward_trainer.config import RolloutServer as Config

Body = dict[str, Any]


class RolloutServer:
    """``tells``: what is told of the tokens; ``spells`` changes the text of a response."""

    def __init__(
        self,
        folder: Path,
        *,
        tells: Sequence[Literal["ids", "logprobs"]] = ("ids", "logprobs"),
        statuses: Sequence[int] = (),
        suffix: str = "",
        key: str | None = None,
        hold: int = 1,
        loads: bool = True,
    ) -> None:
        self.asked: list[Body] = []
        self.loaded: list[Body] = []
        self.forever: int | None = None
        self._tells = tells
        self._statuses = list(statuses)
        self._suffix = suffix
        self._key = key
        self._hold = hold
        self._loads = loads
        self._words = AutoTokenizer.from_pretrained(folder)
        self._load(folder)
        self._loop = asyncio.new_event_loop()
        self._everybody = asyncio.Event()
        self._runner: web.AppRunner | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def config(self, kind: str, weights: str, **fields: object) -> Config:
        said = {"url": self.url, "model": "tiny", "kind": kind, "weights": weights, "deadline_s": 20.0, **fields}
        return Config.model_validate(said)

    @property
    def url(self) -> str:
        assert self._runner is not None, "the server runs within its `with`"
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._runner is not None
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self) -> None:
        torch.set_num_threads(1)
        self._loop.run_forever()

    def _load(self, folder: str | Path) -> None:
        self._model = AutoModelForCausalLM.from_pretrained(folder).eval()

    async def _start(self) -> None:
        app = web.Application()
        app.router.add_post("/v1/completions", self._completions)
        app.router.add_post("/v1/load_lora_adapter", self._load_adapter)
        app.router.add_post("/update_weights_from_disk", self._update_weights)
        self._runner = web.AppRunner(app, shutdown_timeout=0.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()

    async def _load_adapter(self, request: web.Request) -> web.Response:
        """A whole model stands for the adapter: what is tested is that the folder is read again."""
        body = json.loads(await request.read())
        self.loaded.append(body)
        self._load(body["lora_path"])
        return web.Response(text=f"Success: LoRA adapter '{body['lora_name']}' added successfully.")

    async def _update_weights(self, request: web.Request) -> web.Response:
        body = json.loads(await request.read())
        self.loaded.append(body)
        if not self._loads:
            return web.json_response({"success": False, "message": "shapes differ"})
        self._load(body["model_path"])
        return web.json_response({"success": True, "message": "Succeeded to update model weights."})

    async def _completions(self, request: web.Request) -> web.Response:
        body = json.loads(await request.read())
        if self._key is not None and request.headers.get("Authorization") != f"Bearer {self._key}":
            return web.json_response({"error": "Unauthorized"}, status=401)
        status = self.forever or (self._statuses.pop(0) if self._statuses else 200)
        if status != 200:
            return web.json_response({"error": {"message": "not now"}}, status=status)
        self.asked.append(body)
        if len(self.asked) >= self._hold:
            self._everybody.set()
        await self._everybody.wait()
        return web.json_response({"object": "text_completion", "choices": self._choices(body)})

    def _choices(self, body: Body) -> list[Mapping[str, object]]:
        ids = torch.tensor([body["prompt"]] * body["n"])
        drawn = {"do_sample": True, "temperature": body["temperature"], "top_k": 0, "top_p": body["top_p"]}
        with torch.random.fork_rng(), torch.no_grad():
            torch.manual_seed(body["seed"])
            out = self._model.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=body["max_tokens"],
                return_dict_in_generate=True,
                output_scores=True,
                **(drawn if body["temperature"] else {"do_sample": False}),
            )
        said = self._model.compute_transition_scores(out.sequences, out.scores, normalize_logits=True)
        new = out.sequences[:, ids.shape[1] :]
        return [
            self._choice(place, *row, body) for place, row in enumerate(zip(new.tolist(), said.tolist(), strict=True))
        ]

    def _choice(self, place: int, tokens: list[int], said: list[float], body: Body) -> dict[str, object]:
        end = self._words.eos_token_id
        length = tokens.index(end) + 1 if end in tokens else len(tokens)
        text = self._words.decode(tokens[:length], skip_special_tokens=True) + self._suffix
        choice: dict[str, object] = {"index": place, "text": text, "stop_reason": None}
        choice["finish_reason"] = "stop" if end in tokens else "length"
        if "ids" in self._tells and body.get("return_token_ids"):
            choice |= {"token_ids": tokens[:length], "prompt_token_ids": body["prompt"]}
        if "logprobs" in self._tells and body.get("logprobs") is not None:
            choice["logprobs"] = {"token_logprobs": said[:length]}
        return choice
