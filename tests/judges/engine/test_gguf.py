"""A model in a GGUF file says what the same model says that lies in safetensors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from judges.base import ModelUnavailable
from judges.engine.gguf_file import bytes_of
from judges.engine.load import load
from judges.engine.loaded import LoadedModel
from judges.engine.work import Row
from judges.questions import Spans
from tests.judges.engine.plain import REPLIES, asked, differ, entry
from tests.judges.gguf_file import packed
from tests.judges.tiny import Tiny


@pytest.fixture(scope="module")
def file(tiny: Tiny, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packed(tiny.causal("llama"), tmp_path_factory.mktemp("packed") / "tiny.gguf")


def test_its_tokens_and_log_probabilities_are_the_same(tiny: Tiny, file: Path) -> None:
    unpacked, found = load(entry("causal", tiny.causal("llama"))), load(entry("causal", file))
    for reply in REPLIES[:3]:
        question = Spans(asked(), reply, ((0, len(reply)),))
        ours, theirs = (_asked(model, question) for model in (unpacked, found))
        assert ours[0] == theirs[0]
        assert differ(ours[1], theirs[1]) < 1e-4


def _asked(model: LoadedModel, question: Spans) -> tuple[tuple[int, ...], Sequence[Row]]:
    """The tokens, and the log-probabilities."""
    work = model.encode(question)
    [found] = model.run([work])
    return work.ids, model.answer(work, found).rows


def test_its_size_is_that_of_its_numbers(file: Path) -> None:
    assert bytes_of(entry("causal", file)) == pytest.approx(file.stat().st_size, rel=0.2)


def test_it_has_no_head_of_a_reward_model(file: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"score"):
        load(entry("reward", file))


def test_one_that_was_cut_off_or_is_none_is_told(file: Path, tmp_path: Path) -> None:
    for name, content in (("cut", file.read_bytes()[:5_000]), ("none", b"GGUF"), ("text", b"hello")):
        broken = tmp_path / f"{name}.gguf"
        broken.write_bytes(content)
        with pytest.raises(ModelUnavailable, match=f"{name}.gguf"):
            load(entry("causal", broken))
        with pytest.raises(ModelUnavailable, match=f"{name}.gguf"):
            bytes_of(entry("causal", broken))


def test_one_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="not a directory"):
        load(entry("causal", tmp_path / "missing.gguf"))
