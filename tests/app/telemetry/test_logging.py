"""A log's line is one line, whatever is in it; it holds no key and no text of a sample; libraries log the same way."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.exc import DataError, OperationalError

from app.keys.admission import Principal
from app.telemetry import logging as module
from app.telemetry.logging import LineRenderer, configure, redact_keys
from trueward.errors import Unavailable

SECRET = "the text of a sample"
HOSTILE = "\n{}\r\x1b[2J\x85\u2028\u202e\x7f\x00\ud800 \"quoted\" = 'x' \\"


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    """Structlog and the root logger are the process's: they are put back."""
    root, before = logging.getLogger(), structlog.get_config()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level
    structlog.configure(**before)


def line(*, as_text: bool = False, samples: bool = False, **event: Any) -> str:
    return LineRenderer(as_text=as_text, samples=samples)(None, "info", {"level": "info", **event})


def raised(failure: Exception, cause: Exception | None = None) -> Exception:
    try:
        raise failure from cause
    except type(failure) as caught:
        return caught


@given(text=st.text() | st.just(HOSTILE))
def test_text_makes_no_second_line_and_moves_no_cursor(text: str) -> None:
    for as_text in (True, False):
        written = line(as_text=as_text, event=text, field=text)
        assert written.isprintable()
        assert len(written.splitlines()) == 1


@given(text=st.text())
def test_json_says_what_was_logged(text: str) -> None:
    told = json.loads(line(event="e", field=text, number=1.5, nothing=None))
    assert (told["field"], told["number"], told["nothing"]) == (text, 1.5, None)


def test_a_number_that_is_none_is_json_all_the_same() -> None:
    told = json.loads(line(event="e", number=float("nan")), parse_constant=pytest.fail)
    assert (told["event"], told["number"]) == ("e", "nan")


def test_long_values_are_cut() -> None:
    assert len(line(event="e", field="x" * 100_000)) < 3_000


@pytest.mark.parametrize("as_text", [True, False])
def test_an_exception_is_told_by_its_type_and_place_alone(as_text: bool) -> None:
    failure = raised(ValueError(f"{SECRET}\nlevel=error forged"), KeyError(SECRET))
    written = line(as_text=as_text, event="failed", error=failure, exc_info=failure)
    assert "ValueError < KeyError" in written
    assert "test_logging.py" in written
    assert SECRET not in written
    assert "forged" not in written


def test_messages_are_shown_where_that_was_asked_for_and_cut() -> None:
    failure = raised(ValueError(f"{SECRET}\nlevel=error forged{'x' * 1000}"))
    written = line(as_text=True, samples=True, event="failed", exc_info=failure)
    assert SECRET in written
    assert all(row.startswith("    | ") for row in written.splitlines()[1:])
    assert "x" * 501 not in written


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (OSError(28, "No space left on device"), "No space left on device"),
        (Unavailable("the database cannot be reached"), "the database cannot be reached"),
        (OperationalError("INSERT", {"response": SECRET}, Exception("database is locked")), "database is locked"),
    ],
)
def test_what_cannot_quote_a_sample_is_said(failure: Exception, said: str) -> None:
    written = line(event="failed", error=failure)
    assert said in written
    assert SECRET not in written


def test_what_a_database_says_of_a_value_is_not() -> None:
    failure = DataError("INSERT", {"response": SECRET}, Exception(f"invalid input: {SECRET}"))
    assert SECRET not in line(event="failed", error=failure, exc_info=failure)


def test_libraries_log_the_same_way(capsys: pytest.CaptureFixture[str]) -> None:
    configure("info", "json")
    failure = raised(ValueError(SECRET))
    logging.getLogger("uvicorn.error").warning("Invalid HTTP request\nreceived: %s", "x\x1b[1m")
    logging.getLogger("asyncio").error(f"Task failed\nfuture: {failure!r}", exc_info=failure)
    logging.getLogger("alembic.runtime.migration").info("Running upgrade 0001 -> 0002")
    logging.getLogger("httpx2").info("GET https://example.org/hook?token=t")
    first, second = [json.loads(row) for row in capsys.readouterr().err.splitlines()]
    assert (first["logger"], first["level"]) == ("uvicorn.error", "warning")
    assert second["event"] == "Task failed"
    assert SECRET not in json.dumps(second)


def test_configuring_again_writes_each_line_once(capsys: pytest.CaptureFixture[str]) -> None:
    for form in ("json", "text"):
        configure("info", form)
    logging.getLogger("uvicorn.error").warning("once")
    structlog.get_logger().info("twice", at="a b")
    once, twice = capsys.readouterr().err.splitlines()
    assert once.endswith("once logger=uvicorn.error")
    assert twice.endswith('twice at="a b"')


def test_a_line_goes_to_the_standard_error_of_the_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    with io.StringIO() as gone, monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", gone)
        configure("info", "json")
        log = structlog.get_logger()
    with io.StringIO() as now, monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", now)
        log.info("ours")
        logging.getLogger("uvicorn.error").warning("a library's")
        assert [json.loads(row)["event"] for row in now.getvalue().splitlines()] == ["ours", "a library's"]


def test_the_level_is_heeded(capsys: pytest.CaptureFixture[str]) -> None:
    configure("warning", "json")
    structlog.get_logger().info("quiet")
    logging.getLogger("uvicorn.error").info("quiet")
    assert capsys.readouterr().err == ""


def test_a_line_of_a_request_says_whose_it_is() -> None:
    asked = {"request_id": "r1", "principal": Principal("key1", frozenset(["score"]), "vision")}
    token = module.request.set({"state": asked})
    try:
        told = json.loads(line(event="e"))
        assert (told["request_id"], told["key"], told["project"]) == ("r1", "key1", "vision")
        asked["answered"] = True
        assert "request_id" not in json.loads(line(event="e"))
    finally:
        module.request.reset(token)


def test_the_form_follows_the_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def written(terminal: bool) -> str:
        monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
        configure("info")
        structlog.get_logger().info("hello")
        return capsys.readouterr().err

    assert json.loads(written(terminal=False))["event"] == "hello"
    assert written(terminal=True).rstrip().endswith("info     hello")


@pytest.mark.parametrize("form", [repr, str])
def test_keys_are_redacted(form: Callable[[str], str]) -> None:
    key = "tw_" + "a" * 30
    assert key not in redact_keys(f"/k/{key}/v1/verify", f"key={key}&x=1")
    assert key not in redact_keys(f"//k/{form(key)}")
