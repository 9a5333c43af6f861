"""Runs in the sandbox: loads ``grader.py``, then reads the subject, then tells what ``grade(sample, item)`` returns.

It tells by lines of JSON on what was standard output; what the grader prints goes to standard error, so nothing that it
prints is a result. First ``{"loaded": true}`` or ``{"broken": why}``, before the response was read: so whatever goes
wrong until then is no doing of the response. Then ``{"grade": number}`` or ``{"failed": why}``.
"""

from __future__ import annotations

import json
import math
import os
import sys
import types
from collections.abc import Callable
from pathlib import Path

_FILE = "grader.py"
_TOLD = os.dup(1)
os.dup2(2, 1)


def tell(what: dict[str, object]) -> None:
    os.write(_TOLD, json.dumps(what).encode() + b"\n")


def load_grader() -> Callable[..., object]:
    source = Path(__file__).with_name(_FILE).read_text(encoding="utf-8")
    module = types.ModuleType("grader")
    sys.modules["grader"] = module
    exec(compile(source, _FILE, "exec"), module.__dict__)  # noqa: S102 - this is what it is for, and where
    found: object = getattr(module, "grade", None)
    if not callable(found):
        raise TypeError("the source has no function grade(sample, item)")
    return found


def number(value: object) -> float:
    """NumPy's numbers count; texts do not."""
    if isinstance(value, (str, bytes)):
        raise TypeError(f"grade returned a text, not a number: {value!r:.100}")
    found = float(value)  # type: ignore[arg-type]  # raises TypeError for what is none
    if not math.isfinite(found):
        raise ValueError(f"grade returned {found}, and a grade is finite")
    return found


def explain_failure(failure: BaseException) -> str:
    line = None
    trace = failure.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == _FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    place = f" ({_FILE}, line {line})" if line is not None else ""
    return f"{type(failure).__name__}: {str(failure)[:500]}{place}"


def main() -> None:
    try:
        grade = load_grader()
    except BaseException as failure:  # noqa: BLE001 - foreign code raises anything, SystemExit too; it is told
        tell({"broken": explain_failure(failure)})
        return
    tell({"loaded": True})
    subject = json.loads(sys.stdin.read())
    try:
        tell({"grade": number(grade(subject["sample"], subject["item"]))})
    except BaseException as failure:  # noqa: BLE001 - likewise
        tell({"failed": explain_failure(failure)})


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # threads that the grader left behind end with it
