"""Parameters of the ``code`` verifier. A reference may carry ``comparison`` and ``limits`` of its own."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from sandbox.languages import find_language, languages
from sandbox.limits import DISK_BYTES, MEMORY_BYTES, OUTPUT_BYTES, PROCESSES, Limits
from trueward.authoring.verifier import Params
from verifiers.code.block import Choice
from verifiers.code.output import Comparison

Level = Literal["none", "status", "redacted", "full"]
Order = Literal["given", "shortest"]

_MIB = 2**20


def resolve_language(name: str) -> str:
    """The canonical name. Raises ValueError."""
    language = find_language(name)
    if language is None:
        raise ValueError(f"there is no language {name[:50]!r}; there are {', '.join(sorted(languages()))}")
    return language.name


LanguageName = Annotated[str, AfterValidator(resolve_language)]


class CodeLimits(Params):
    """Bounds of one test, and of the suite; what a language's runtime itself takes is added by the sandbox."""

    wall_s: float = Field(
        default=5.0,
        gt=0,
        le=600,
        description="seconds of one test, by the clock, less those in which the host kept it from running",
    )
    cpu_s: float | None = Field(
        default=None, gt=0, le=3600, description="CPU seconds of one run, all threads together; default: twice wall_s"
    )
    memory_bytes: int = Field(default=MEMORY_BYTES, ge=16 * _MIB, le=64 * 1024 * _MIB, description="memory of one run")
    output_bytes: int = Field(
        default=OUTPUT_BYTES,
        ge=1,
        le=256 * _MIB,
        description="bytes that one run may write to standard output, and to standard error; an expected output that "
        "is longer raises it",
    )
    disk_bytes: int = Field(default=DISK_BYTES, ge=_MIB, le=4096 * _MIB, description="bytes of files in one run")
    processes: int = Field(default=PROCESSES, ge=1, le=4096, description="processes and threads of one run, together")
    compile_s: float = Field(default=12.0, gt=0, le=600, description="seconds of the compiler")
    suite_s: float = Field(
        default=15.0,
        gt=0,
        le=3600,
        description="seconds that the program may run in all tests together; tests that it does not reach for that are "
        "not passed, nor are those after a test that ran into its time, where others wait for the program's place",
    )

    def of_a_test(self) -> Limits:
        return Limits(
            wall_s=self.wall_s,
            cpu_s=self.cpu_s or 2 * self.wall_s,
            memory_bytes=self.memory_bytes,
            output_bytes=self.output_bytes,
            disk_bytes=self.disk_bytes,
            processes=self.processes,
            compile_s=self.compile_s,
        )


class CodeParams(Params):
    language: LanguageName | None = Field(
        default=None,
        description="language of the program; default: the sample's metadata.language, else that of the code block's "
        "fence, else python",
    )
    block: Choice = Field(
        default="last",
        description="which of several code blocks is the program: the `last`, the `first`, the `largest`, or all of "
        "them `joined`; `whole`: the answer is the program, without Markdown",
    )
    comparison: Comparison = Field(
        default="whitespace",
        description="how outputs are compared: `exact`, `whitespace` (blanks at the end of lines and blank lines at "
        "both ends do not count), `tokens`, `floats` (tokens, numbers within the tolerance; returned values too), "
        "`lines` (in any order)",
    )
    absolute_tolerance: float = Field(
        default=1e-6, ge=0, description="how far a number may be off, in the comparison `floats`"
    )
    relative_tolerance: float = Field(
        default=1e-6, ge=0, description="the same as a share of the expected number; the larger of both counts"
    )
    same_process: bool = Field(
        default=False,
        description="assertions run in the program's own process: for languages other than Python and JavaScript, and "
        "where objects must cross. Such a verdict can be forged and says so",
    )
    limits: CodeLimits = Field(default=CodeLimits(), description="bounds of one test and of all")
    stop_at_first_failure: bool = Field(
        default=False, description="tests after the first that is not passed are not run, and count as not passed"
    )
    order: Order = Field(
        default="given", description="order of the tests of a kind: as `given`, or `shortest` first by their text"
    )
    feedback: Level = Field(
        default="status",
        description="what the verdict's feedback tells: nothing (`none`), counts and `status` of tests, `redacted` "
        "(also the compiler's output and the names of tests), or `full` (also inputs, expected and actual values)",
    )
