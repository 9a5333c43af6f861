"""Responses sampled by a server: vLLM or SGLang, over OpenAI's ``POST /v1/completions``, prompts as tokens.

The policy's weights go to the server as a folder that it reads: an adapter to vLLM (``/v1/load_lora_adapter``), a model
to SGLang (``/update_weights_from_disk``). Each request has a seed that is drawn from the caller's generator, so a
training repeats as far as the server's own arithmetic does. Nothing is cut off the distribution, whatever the model's
generation settings say. Log-probabilities must be those at the temperature that was asked for: vLLM tells these where
it is started with ``--logprobs-mode processed_logprobs``.

What fails for want of a connection, or with 408, 429, 500, 502, 503 or 504, is tried again until ``deadline_s``; then
the error ends the training. Not covered: several servers, weights over the network.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Self

import httpx2
import stamina
import torch
from pydantic import JsonValue

from trueward.client.call import RetryableFailure, json_bytes, retry_after_s, transport_errors
from trueward.client.deadline import Deadline
from trueward.errors import TruewardError, Unauthorized, Unavailable, UnexpectedAnswer
from trueward.wire.sample import Sample
from trueward_trainer.completion import Vocabulary, read
from trueward_trainer.config import RolloutServer, TrainConfig
from trueward_trainer.policy import Policy
from trueward_trainer.rollout import Response, end_tokens, prompt_ids

KEY = "TRUEWARD_ROLLOUT_API_KEY"
_RETRIED = frozenset({408, 429, 500, 502, 503, 504})
_UNCUT: Mapping[str, JsonValue] = {"top_p": 1.0, "top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0}


class ServedSampler:
    """As :class:`trueward_trainer.rollout.Sampler`; keeps connections open until it is closed."""

    def __init__(self, config: TrainConfig, server: RolloutServer, policy: Policy) -> None:
        ends = end_tokens(policy.model, policy.tokenizer)
        self._server = server
        self._policy = policy
        self._chat = config.rollout.template == "chat"
        self._limit = config.rollout.max_new_tokens
        self._steps = config.steps
        self._folder = (config.out / "served").resolve()
        self._run = config.service.run or "policy"
        self._vocabulary = Vocabulary(policy.tokenizer, ends, policy.model.get_input_embeddings().num_embeddings)
        self._step: int | None = None
        self._http = _Http(server)
        self._pool = ThreadPoolExecutor(server.concurrency, thread_name_prefix="rollouts")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._http.close()

    def encode(self, prompt: Sample) -> list[int]:
        return prompt_ids(self._policy.tokenizer, prompt, chat=self._chat)

    def sample(
        self, prompts: Sequence[Sample], count: int, temperature: float, generator: torch.Generator
    ) -> list[Response]:
        """``count`` responses to each prompt, those of one prompt side by side."""
        # SGLang gives all responses of one request the same seed: identical ones, where it samples deterministically
        at_once = count if self._server.kind == "vllm" else 1
        encoded = [ids for ids in map(self.encode, prompts) for _ in range(count // at_once)]
        seeds = torch.randint(2**31 - 1, (len(encoded),), generator=generator, device=generator.device).tolist()
        bodies = [self._body(ids, at_once, temperature, seed) for ids, seed in zip(encoded, seeds, strict=True)]
        deadline = self._http.deadline()
        asked = [self._pool.submit(self._http.post, "/v1/completions", body, deadline) for body in bodies]
        try:
            answers = [one.result() for one in asked]
        finally:
            deadline.stop()
            for one in asked:
                one.cancel()
        rows = zip(answers, encoded, strict=True)
        return [said for answer, ids in rows for said in read(answer, ids, at_once, self._vocabulary)]

    def refresh(self, step: int) -> None:
        """Gives the server the weights at each ``every``-th step, at the last, and where it may have any."""
        server = self._server
        due = self._step is None or step % server.every == 0 or step == self._steps
        if server.weights == "none" or not due or step == self._step:
            return
        # a folder a step: a server may read the last one again while this one is written
        folder = self._folder / f"step-{step:08d}"
        self._policy.save(folder)
        if server.kind == "vllm":
            self._load_adapter(folder)
        else:
            self._load_model(folder)
        self._step = step
        for other in self._folder.iterdir():
            if other != folder:
                shutil.rmtree(other)

    def _body(self, ids: list[int], count: int, temperature: float, seed: int) -> dict[str, JsonValue]:
        body: dict[str, JsonValue] = {
            "model": self._run if self._server.weights == "lora" else self._server.model,
            "prompt": [*ids],
            "n": count,
            "max_tokens": self._limit,
            "temperature": temperature,
            "seed": seed,
            "logprobs": 1,
            "return_token_ids": True,
            **_UNCUT,
        }
        if self._server.weights == "lora":
            # vLLM knows what it computed for a prompt by the adapter's name, which stays when its weights change
            body["cache_salt"] = f"{self._run}/{self._step}"
        return body

    def _load_adapter(self, folder: Path) -> None:
        body: dict[str, JsonValue] = {"lora_name": self._run, "lora_path": str(folder), "load_inplace": True}
        self._http.post("/v1/load_lora_adapter", body, self._http.deadline())

    def _load_model(self, folder: Path) -> None:
        said = self._http.post("/update_weights_from_disk", {"model_path": str(folder)}, self._http.deadline())
        try:
            answer = json.loads(said)
        except ValueError:
            answer = None
        if not isinstance(answer, dict) or answer.get("success") is not True:
            raise UnexpectedAnswer(f"the rollout server did not take the weights in {folder}: {_excerpt(said)}")


class _Http:
    """Posts, tried again until a deadline."""

    def __init__(self, server: RolloutServer) -> None:
        key = os.environ.get(KEY)
        self._url = server.url.rstrip("/").removesuffix("/v1")
        self._deadline_s = server.deadline_s
        self._client = httpx2.Client(
            base_url=self._url,
            headers={"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {}),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=server.concurrency),
        )

    def close(self) -> None:
        self._client.close()

    def deadline(self) -> Deadline:
        """From now; what one call asks of the server shares one."""
        return Deadline(self._deadline_s, self._url)

    def post(self, path: str, body: Mapping[str, JsonValue], deadline: Deadline) -> bytes:
        content = json_bytes(body)
        try:
            for attempt in stamina.retry_context(on=deadline.backoff(), attempts=None, timeout=None):
                with attempt:
                    return self._once(path, content, deadline)
        except RetryableFailure as last:
            raise deadline.final(last) from last.__cause__
        raise AssertionError("a try either returns or raises")

    def _once(self, path: str, content: bytes, deadline: Deadline) -> bytes:
        with transport_errors(self._url):
            response = self._client.post(path, content=content, timeout=deadline.timeout())
        if response.is_success:
            return response.content
        refusal = f"the rollout server answered {path} with {response.status_code}: {_excerpt(response.content)}"
        if response.status_code in _RETRIED:
            wait_s = retry_after_s(response.headers)
            raise RetryableFailure(Unavailable(refusal, retry_after_s=wait_s), wait_s)
        raise _refused(response.status_code, refusal)


def _refused(status: int, refusal: str) -> TruewardError:
    if status in (401, 403):
        return Unauthorized(f"{refusal}. Its key is read from {KEY}.")
    return UnexpectedAnswer(refusal)


def _excerpt(body: bytes) -> str:
    return body[:300].decode("utf-8", "replace")
