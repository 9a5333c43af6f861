"""What a reply of ``/run_code`` means: ours is what the server reports of itself, the program's is all else.

A program's output may be anything, so the reply is read with nothing assumed of its texts: a lone surrogate in
them is the program's and costs no verdict.
"""

from __future__ import annotations

import base64
import binascii
import json
import signal
from dataclasses import replace
from typing import Any

from sandbox.base import Execution, SandboxFailure, Status, Usage
from sandbox.limits import Limits

_ENDED_BY: dict[int, Status] = {signal.SIGSYS: Status.FORBIDDEN, signal.SIGXCPU: Status.TIME_LIMIT}
_NO_USAGE = Usage(cpu_s=0.0, wall_s=0.0, peak_memory_bytes=0)


def report_flood() -> Execution:
    """A reply longer than any that the limits allow: only a program's output can make one."""
    return Execution(Status.OUTPUT_LIMIT, _NO_USAGE, truncated=True)


def read_reply(body: bytes, limits: Limits, fetch: tuple[str, ...]) -> tuple[Execution | None, Execution]:
    """What the compiler did, where there was one, and what the run did: the compiler's failure where it failed.

    Raises SandboxFailure for a server that reports its own failure or whose reply is no reply.
    """
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise SandboxFailure(f"the sandbox server's reply is no JSON: {error}") from error
    if not isinstance(reply, dict) or reply.get("status") not in ("Success", "Failed", "SandboxError"):
        raise _malformed("no known status")
    if reply["status"] == "SandboxError":
        raise SandboxFailure(f"the sandbox server failed: {str(reply.get('message'))[:300]}")
    compiled = _execution(reply.get("compile_result"), limits, "compile_result")
    if compiled is not None and compiled.status is not Status.FINISHED:
        failed = replace(compiled, status=Status.COMPILE_ERROR)
        return failed, failed
    ran = _execution(reply.get("run_result"), limits, "run_result")
    if ran is None:
        raise _malformed("no run_result")
    return compiled, replace(ran, files=_files(reply.get("files"), limits, fetch))


def _execution(result: Any, limits: Limits, name: str) -> Execution | None:
    if result is None:
        return None
    if not isinstance(result, dict) or result.get("status") not in ("Finished", "TimeLimitExceeded", "Error"):
        raise _malformed(f"{name} has no known status")
    stdout, stderr = _text(result, "stdout"), _text(result, "stderr")
    if result["status"] == "Error":
        raise SandboxFailure(f"the sandbox server failed: {stderr.decode(errors='replace')[:300]}")
    seconds = result.get("execution_time")
    wall_s = seconds if isinstance(seconds, float) else 0.0
    code = result.get("return_code")
    if result["status"] == "TimeLimitExceeded":
        status, code = Status.TIME_LIMIT, None
    elif not isinstance(code, int) or isinstance(code, bool):
        raise _malformed(f"{name} has no return_code")
    else:
        status = _status(code)
    limit = limits.output_bytes
    truncated = len(stdout) > limit or len(stderr) > limit
    return Execution(
        status=Status.OUTPUT_LIMIT if truncated else status,
        usage=Usage(cpu_s=0.0, wall_s=wall_s, peak_memory_bytes=0),
        exit_code=code if code is not None and code >= 0 else None,
        signal=-code if code is not None and code < 0 else None,
        stdout=stdout[:limit],
        stderr=stderr[:limit],
        truncated=truncated,
    )


def _status(code: int) -> Status:
    if code < 0:
        return _ENDED_BY.get(-code, Status.SIGNALLED)
    return Status.FINISHED if code == 0 else Status.NONZERO_EXIT


def _text(result: dict[str, Any], name: str) -> bytes:
    text = result.get(name)
    if text is None:
        return b""
    if not isinstance(text, str):
        raise _malformed(f"{name} is no text")
    return text.encode("utf-8", "surrogatepass")


def _files(files: Any, limits: Limits, fetch: tuple[str, ...]) -> dict[str, bytes]:
    if files is None:
        return {}
    if not isinstance(files, dict):
        raise _malformed("files is no object")
    found = {}
    for path in fetch:
        if path in files:
            try:
                content = base64.b64decode(files[path], validate=True)
            except (binascii.Error, TypeError, ValueError) as error:
                raise _malformed(f"the file {path!r} is not in base64") from error
            if len(content) <= limits.output_bytes:
                found[path] = content
    return found


def _malformed(what: str) -> SandboxFailure:
    return SandboxFailure(f"the sandbox server's reply is malformed: {what}")
