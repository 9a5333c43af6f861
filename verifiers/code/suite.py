"""The tests of a reference: read once, checked in every part, or refused with the precise reason.

A reference is an object (or its JSON as text) with at least one kind of tests: ``stdio``, ``calls``, ``assertions``,
``files`` with ``command``, ``interactive``. Several kinds may stand together: all are run, in this order, and each
test counts alike. Tests of a kind that are the same are one test. A list of references means any of them.
"""

from __future__ import annotations

import base64
import builtins
import json
import keyword
import re
import shlex
from functools import lru_cache
from typing import Annotated, Self

from pydantic import Field, JsonValue, StrictStr, ValidationError, model_validator

from sandbox.base import Program
from trueward.authoring.verifier import Abstain
from verifiers.code.output import Comparison
from verifiers.code.params import CodeLimits
from verifiers.code.suite_kinds import (
    MOST,
    AnyCall,
    Assertion,
    Encoded,
    File,
    Interactive,
    Part,
    Scenario,
    Source,
    Stdio,
)
from verifiers.legible import legible

_USED = re.compile(r"(?<![\w.])[^\W\d]\w*(?=[ \t]*[(.,;\n])")
"""Names that a text calls, takes an attribute of, passes or imports: the solution's are among them."""
_BOUND = re.compile(r"\b(?:def|class|for|as|function|const|let|var)[ \t]+(\w+)|(?<![\w.])([^\W\d]\w*)[ \t]*=(?!=)")
_LOOKED_AT = 100_000
"""Characters of a text."""

_NOT_SOLUTIONS = frozenset([*dir(builtins), *keyword.kwlist, "solution"])

LONGEST = 64 * 2**20
"""Characters of a reference, written as JSON."""

_EXAMPLE = '{"assertions": ["assert f(1) == 2"]}'

_CACHED = 200_000
"""Characters of a reference that is kept in its read form."""


class Suite(Part):
    """One reference, read."""

    stdio: list[Stdio] = Field([], max_length=MOST)
    checker: Source | None = None
    calls: list[AnyCall] = Field([], max_length=MOST)
    assertions: list[Assertion] = Field([], max_length=MOST)
    entry_point: Annotated[StrictStr, Field(pattern=r"^[^\W\d][\w$]*$", max_length=200)] | None = None
    files: dict[StrictStr, File] = Field({}, max_length=1_000)
    command: StrictStr | list[StrictStr] = ""
    interactive: Interactive | None = None
    comparison: Comparison | None = None
    limits: dict[str, JsonValue] = Field({})

    @model_validator(mode="after")
    def _whole(self) -> Self:
        for index, test in enumerate(self.stdio):
            if self.checker is None and test.stdout is None:
                raise ValueError(f"stdio.{index} has no stdout, and there is no checker")
        if self.checker is not None and not self.stdio:
            raise ValueError("a checker judges outputs: there is no stdio")
        if self.entry_point is not None and not self.assertions:
            raise ValueError("an entry_point is what assertions test: there are none")
        if bool(self.files) != bool(self.command):
            raise ValueError("files and command go together")
        if self.command and not all(part.strip() for part in self.argv):
            raise ValueError("command is empty")
        Program("python", "", files=self.contents)  # raises ValueError for paths that cannot be laid out
        CodeLimits.model_validate(self.limits)
        return self

    @property
    def argv(self) -> tuple[str, ...]:
        """The command as a list; a text is split as a shell would, and no shell runs it. Raises ValueError."""
        if not isinstance(self.command, str):
            return tuple(self.command)
        try:
            return tuple(shlex.split(self.command))
        except ValueError as failure:
            raise ValueError(f"command cannot be split into words: {failure}") from failure

    @property
    def contents(self) -> dict[str, bytes]:
        """The files, as bytes."""
        return {
            path: base64.b64decode(file.base64) if isinstance(file, Encoded) else file.encode()
            for path, file in self.files.items()
        }

    @property
    def tested(self) -> frozenset[str]:
        """Names of which the tests use some: what they call, or take of the module ``solution``."""
        names = {one.class_ if isinstance(one, Scenario) else one.function.partition(".")[0] for one in self.calls}
        if self.entry_point is not None:
            return frozenset(names | {self.entry_point})
        texts = [*self.assertions, *(file for file in self.files.values() if isinstance(file, str))]
        for text in texts:
            bound = {name for pair in _BOUND.findall(text, 0, _LOOKED_AT) for name in pair}
            names |= set(_USED.findall(text, 0, _LOOKED_AT)) - bound
        return frozenset(names - _NOT_SOLUTIONS)

    def override_limits(self, limits: CodeLimits) -> CodeLimits:
        """The parameters' limits with those of this reference in their place."""
        return CodeLimits.model_validate({**limits.model_dump(), **self.limits})

    @property
    def kinds(self) -> set[str]:
        return {kind for kind in ("stdio", "calls", "assertions", "files", "interactive") if getattr(self, kind)}


def format_reference(reference: JsonValue) -> str:
    """A reference as JSON on one line: equal ones are the same text. Raises :class:`Abstain` for what is none."""
    try:
        found = json.loads(reference) if isinstance(reference, str) else reference
        # names keep their order: the arguments of a call do
        text = legible(json.dumps(found, ensure_ascii=False, separators=(",", ":")))
    except (ValueError, RecursionError) as failure:
        said = f"the reference is no JSON, such as {_EXAMPLE}: {str(failure)[:100]}"
        raise Abstain("bad_reference", said) from failure
    if not isinstance(found, dict):
        raise Abstain("bad_reference", f"a reference is an object with tests, not {type(found).__name__}")
    if len(text) > LONGEST:
        raise Abstain("reference_too_large", f"the reference has more than {LONGEST} characters")
    return text


def suite(text: str) -> Suite:
    """What :func:`format_reference` wrote, read. Raises :class:`Abstain`."""
    return _kept(text) if len(text) <= _CACHED else _read(text)


def _read(text: str) -> Suite:
    try:
        found = Suite.model_validate(json.loads(text))
    except ValidationError as invalid:
        raise Abstain("bad_reference", f"the reference is malformed: {_first(invalid)}") from None
    except RecursionError as failure:
        raise Abstain("bad_reference", "the reference is nested too deep") from failure
    if not found.kinds or (found.interactive and not found.interactive.tests and len(found.kinds) == 1):
        raise Abstain("no_tests", "the reference holds no tests")
    return found


_kept = lru_cache(maxsize=64)(_read)


def _first(invalid: ValidationError) -> str:
    """The first problem: where it is and what it is, without repeating what stands there."""
    error = invalid.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in error["loc"] if not str(part).startswith("~"))
    said = error["msg"].removeprefix("Value error, ")
    if error["type"] == "extra_forbidden" and len(error["loc"]) == 1:
        return f"there is no key {place[:50]}; known: {', '.join(Suite.model_fields)}"
    return f"{place}: {said}"[:300] if place else said[:300]
