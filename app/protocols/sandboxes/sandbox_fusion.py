"""SandboxFusion's ``POST /run_code``: its request and answer, as its clients (verl, ROLL) send and read them.

A failure of ours is ``SandboxError`` with status 200, as there. Not covered: its languages that need a package
of their own (``pytest``, ``jest``, ``junit``, CUDA, ...), and its data-set endpoints.
"""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr

from sandbox.base import Execution, Program, Status
from sandbox.languages import find_language
from sandbox.limits import Limits
from trueward.errors import InvalidRequest
from trueward.wire.base import Number

Seconds = Annotated[Number, Field(gt=0, le=600)]
_NAMES = {"nodejs": "javascript", "ts": "typescript"}
_KILLED = 137


class RunCode(BaseModel):
    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)

    code: StrictStr
    language: StrictStr
    stdin: StrictStr | None = ""
    compile_timeout: Seconds = 10
    run_timeout: Seconds = 10
    memory_limit_MB: StrictInt = Field(-1, description="below 1: this service's default")  # noqa: N815 - the wire's name
    files: dict[StrictStr, StrictStr | None] = Field({}, description="base64 content by relative path")
    fetch_files: list[StrictStr] = []


class CommandRun(BaseModel):
    status: Literal["Finished", "Error", "TimeLimitExceeded"]
    execution_time: float | None = None
    return_code: int | None = None
    stdout: str | None = None
    stderr: str | None = None


class RunCodeAnswer(BaseModel):
    status: Literal["Success", "Failed", "SandboxError"]
    message: str
    compile_result: CommandRun | None = None
    run_result: CommandRun | None = None
    executor_pod_name: str | None = None
    files: dict[str, str] = {}


def parse(body: RunCode) -> tuple[Program, Limits]:
    """The program and its limits. Raises :class:`InvalidRequest` naming the field."""
    name = _NAMES.get(body.language, body.language)
    if find_language(name) is None:
        raise _refusal("language", f"there is no language {body.language[:60]!r}; GET /v1/languages lists them")
    defaults = Limits()
    limits = Limits(
        wall_s=float(body.run_timeout),
        cpu_s=float(body.run_timeout),
        compile_s=float(body.compile_timeout),
        memory_bytes=body.memory_limit_MB * 2**20 if body.memory_limit_MB > 0 else defaults.memory_bytes,
    )
    files = {path: _decoded(path, content) for path, content in body.files.items() if content is not None}
    try:
        return Program(name, body.code, files=files, fetch=tuple(body.fetch_files)), limits
    except ValueError as unfit:
        raise _refusal("files", str(unfit)) from None


def _decoded(path: str, content: str) -> bytes:
    try:
        return base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError):
        raise _refusal(f"files.{path[:100]}", "the content of a file must be base64") from None


def _refusal(field: str, detail: str) -> InvalidRequest:
    return InvalidRequest.at_field(field, "value", detail, message=f"{field}: {detail}")


def render(compiled: Execution | None, done: Execution) -> RunCodeAnswer:
    """The answer for a program that was run, or that did not compile (then ``done`` is what the compiler did)."""
    failed_to_compile = done.status is Status.COMPILE_ERROR
    return RunCodeAnswer(
        status="Success" if done.status is Status.FINISHED else "Failed",
        message="" if done.status in (Status.FINISHED, Status.NONZERO_EXIT) else done.status.value,
        compile_result=_command(compiled) if compiled is not None else None,
        run_result=None if failed_to_compile else _command(done),
        files={path: base64.b64encode(content).decode() for path, content in done.files.items()},
    )


def report_failure(reason: str) -> RunCodeAnswer:
    """Our own failure."""
    return RunCodeAnswer(status="SandboxError", message=reason)


def _command(done: Execution) -> CommandRun:
    late = done.status is Status.TIME_LIMIT
    code = done.exit_code if done.signal is None else -done.signal
    return CommandRun(
        status="TimeLimitExceeded" if late else "Finished",
        execution_time=done.usage.wall_s,
        return_code=None if late else code if code is not None else _KILLED,
        stdout=done.stdout.decode(errors="replace"),
        stderr=done.stderr.decode(errors="replace"),
    )
