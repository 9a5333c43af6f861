"""Whose words an error is told in: by the path, and on shared paths by the body."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from app.protocols.model_servers.route import Form, flat_error, form_of, native_error, openai_error, tei_error

NEXT_TOKENS: dict[str, JsonValue] = {"query": "a", "items": ["b"], "label_token_ids": [1]}


@pytest.mark.parametrize(
    ("path", "body", "form"),
    [
        ("/predict", {}, tei_error),
        ("/rerank", {"texts": []}, tei_error),
        ("/rerank", {"documents": []}, openai_error),
        ("/generate", {}, native_error),
        ("/classify", {"text": "a"}, native_error),
        ("/classify", {"input": "a"}, openai_error),
        ("/v1/embeddings", {}, flat_error),
        ("/v1/score", NEXT_TOKENS, flat_error),
        ("/v1/score", {"text_1": "a", "text_2": "b"}, openai_error),
        ("/score", NEXT_TOKENS, openai_error),
        ("/v1/score", ["no mapping"], openai_error),
    ],
)
def test_errors_are_told_in_the_words_of_the_server_that_has_the_path(path: str, body: JsonValue, form: Form) -> None:
    assert form_of(path, body) is form
