"""The secret's file: whole or not there, made once, and never taken for what it is not."""

from __future__ import annotations

import errno
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.keys.secret import key_secret
from app.settings import Settings
from trueward.errors import Unusable


def test_it_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "deep" / "data")
    made = key_secret(settings)
    assert re.fullmatch(rb"[0-9a-f]{64}", made)
    assert key_secret(settings) == made
    assert (settings.data_dir / "secret").stat().st_mode & 0o777 == 0o600
    assert settings.data_dir.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in settings.data_dir.iterdir()] == ["secret"]


def test_all_who_start_at_once_read_the_same(tmp_path: Path) -> None:
    for round_ in range(20):
        settings = Settings(data_dir=tmp_path / str(round_))
        with ThreadPoolExecutor(8) as pool:
            assert len(set(pool.map(key_secret, [settings] * 8))) == 1


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"a" * 63, b"\0" * 64, b"A" * 64, b"a" * 65, b"g" * 64, b"\xff\xfe", b"a" * 32 + b"\0" * 32]
)
def test_a_file_that_is_not_whole_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "secret").write_bytes(content)
    with pytest.raises(Unusable, match=r"secret is damaged .* 64 hexadecimal digits") as refusal:
        key_secret(Settings(data_dir=tmp_path))
    assert "\n" not in refusal.value.detail
    assert (tmp_path / "secret").read_bytes() == content


def test_a_line_end_of_an_editor_changes_no_secret(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    made = key_secret(settings)
    (tmp_path / "secret").write_bytes(made + b"\n")
    assert key_secret(settings) == made


def test_a_full_disk_leaves_no_secret_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(Unusable, match="No space left on device"):
            key_secret(Settings(data_dir=tmp_path))
    assert list(tmp_path.iterdir()) == []
    assert len(key_secret(Settings(data_dir=tmp_path))) == 64


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    with pytest.raises(Unusable, match=r"secret: Is a directory; mend that"):
        key_secret(Settings(data_dir=tmp_path))
