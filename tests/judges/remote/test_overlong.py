"""What servers say of a text that is too long, as they say it; each text is quoted from a server or its client."""

from __future__ import annotations

import asyncio
import json

import pytest

from judges.base import TooLong, Unaskable
from judges.questions import Generate, Turn
from judges.remote import RemoteBackend
from judges.remote.overlong import is_overlong, lengths
from tests.judges.openai_server import JudgeServer, Scripted

SAID = [
    ("This model's maximum context length is 20 tokens. However, your messages resulted in 30 tokens.", 30, 20),
    ("This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4900 in the messages, "
     "100 in the completion).", 5000, 4096),
    ("This endpoint's maximum context length is 64000 tokens. However, you requested about 100000", 100000, 64000),
    ("This model's maximum prompt length is 131072 but the request contains 537812 tokens", 537812, 131072),
    ("The decoder prompt (length 2486) is longer than the maximum model length of 2048.", 2486, 2048),
    ("The input (265330 tokens) is longer than the model's context length (262144 tokens).", 265330, 262144),
    ("Input length (265330) exceeds model's maximum context length (262144).", 265330, 262144),
    ("Input length 131,393 exceeds the maximum allowed input length of 131,040 tokens.", 131393, 131040),
    ("The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)", 1196265, 1048575),
    ("request (2486 tokens) exceeds the available context size (2048 tokens), try increasing it", 2486, 2048),
    ("the request exceeds the available context size. try increasing the context size or enable context shift", 0, 0),
    ("Requested tokens (516) exceed context window of 512", 516, 512),
    ("Prompt is 11543 tokens but the model context window is 4096 tokens.", 11543, 4096),
    ("prompt is too long: 213462 tokens > 200000 maximum", 213462, 200000),
    ("request_too_large: Request exceeds the maximum size", 0, 0),
    ("Input is too long for requested model.", 0, 0),
    ("Your input exceeds the context window of this model", 0, 0),
    ("Please reduce the length of the messages or completion", 0, 0),
    ("prompt token count of 200000 exceeds the limit of 128000", 200000, 128000),
    ("tokens to keep from the initial prompt is greater than the context length", 0, 0),
    ("invalid params, context window exceeds limit", 0, 0),
    ("Your request exceeded model token limit: 262144 (requested: 300000)", 300000, 262144),
    ("Prompt contains 5000 tokens; too large for model with 4096 maximum context length", 5000, 4096),
    ("Range of input length should be [1, 98304]", 98304, 98304),
    ("`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens and 100 `max_new_tokens`",
     5000, 4097),
    ("Input validation error: `inputs` must have less than 512 tokens. Given: 600", 600, 512),
    ("Please reduce it. Current length is 9000 while limit is 8192", 9000, 8192),
    ("Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.",
     300000, 272000),
]  # fmt: skip
OTHER = [
    "Invalid 'user': string too long. Expected a string with maximum length 64",
    "max_tokens is too large: 5000. This model supports at most 4096 completion tokens",
    "temperature exceeds the maximum of 2",
    "You exceeded your current quota",
    "Request exceeds the maximum time",
    "The requested number of top logprobs 25 is greater than max allowed 20",
    "Internal Server Error",
    "Too many tokens, please wait before trying again.",
    "Throttling error: too many tokens",
    "Token limit exceeded: 30000 tokens per minute",
]
TALK = (Turn("user", "How long is it?"),)


@pytest.mark.parametrize(("words", "tokens", "limit"), SAID)
def test_what_servers_say_of_a_text_that_is_too_long_is_known_with_its_numbers(
    words: str, tokens: int, limit: int
) -> None:
    assert is_overlong(words)
    assert lengths(words) == (tokens, limit)


@pytest.mark.parametrize("words", OTHER)
def test_other_refusals_say_nothing_of_a_length(words: str) -> None:
    assert not is_overlong(words)


@pytest.mark.parametrize("status", [400, 413, 500])
@pytest.mark.parametrize(
    "error",
    [
        {"message": "Bad Request", "code": "context_length_exceeded"},
        {"message": "too much", "type": "exceed_context_size_error"},
        {"message": "prompt too long; exceeded max context length by 1200 tokens"},
    ],
)
async def test_a_text_that_is_too_long_is_told_by_code_or_words_and_asked_once_whatever_the_status(
    status: int, error: dict[str, str]
) -> None:
    """Some servers say 500: tried again, a few of these would count as a server that is down."""
    raw = json.dumps({"error": error}).encode()
    backend = RemoteBackend("openai")
    with JudgeServer(lambda body: Scripted(raw=raw, status=status)) as server:
        deadline = asyncio.get_running_loop().time() + 5
        for _ in range(8):
            with pytest.raises(TooLong):
                await backend.ask(server.entry(), Generate(TALK, 8), deadline=deadline, flow="a")
        assert len(server.asked) == 8
        assert not await backend.status(), "a refusal says that the server lives"
        await backend.close()


async def test_a_refusal_of_another_kind_is_no_length() -> None:
    backend = RemoteBackend("openai")
    with JudgeServer(lambda body: Scripted(OTHER[1], status=400)) as server, pytest.raises(Unaskable):
        await backend.ask(server.entry(), Generate(TALK, 8), deadline=asyncio.get_running_loop().time() + 5, flow="a")
    await backend.close()
