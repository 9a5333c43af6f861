r"""``parse``, ``verify`` and ``math_metric`` of math-verify 0.9, judged by the verifier ``math``.

::

    from trueward.compat.math_verify import parse, verify    # was: from math_verify import parse, verify

A comparison that hangs is ended after ``timeout_seconds`` of its CPU time, in any thread and with no signal. Where a
comparison fails for a reason that is not the answer's (a reference that nobody can read, a starved machine) ``verify``
raises :class:`~trueward.errors.RewardMissing`: False would be learned as a wrong answer.

Other than math-verify's, ``parse`` gives a text and no SymPy object, and ``verify`` reads ``gold`` as the reference:
order matters. ``fallback_mode``, ``extraction_mode``, ``parsing_timeout``, ``numeric_precision``, ``strict``,
``allow_set_relation_comp`` and ``raise_on_error`` are taken and have no effect; docs/trainers/drop-in.md has the table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from trueward.compat.workers import CPU_S, Fields, workers
from trueward.errors import RewardMissing

_NAME = __name__
workers(_NAME)  # where no verifiers are, importing this module says so

_UNMARKED = "last_expression"
"""The rule that takes an expression from a text which announces none."""

_ROUNDING = 6


@dataclass(frozen=True)
class LatexExtractionConfig:
    r"""LaTeX; without ``try_extract_without_anchor`` only in a box, a tag, or after words such as "the answer is"."""

    try_extract_without_anchor: bool = True
    boxed_match_priority: int = 50
    normalization_config: object = None


@dataclass(frozen=True)
class ExprExtractionConfig:
    """Plain expressions; ``try_extract_without_anchor`` as for :class:`LatexExtractionConfig`."""

    try_extract_without_anchor: bool = True


@dataclass(frozen=True)
class StringExtractionConfig:
    """One of these strings, such as the letter of a choice."""

    strings: tuple[str, ...] = ("A", "B", "C", "D")
    try_extract_without_anchor: bool = True
    lowercase: bool = True


@dataclass(frozen=True)
class LatexNormalizationConfig:
    """Taken, and of no effect: the verifier normalises as its page says."""

    basic_latex: bool = True
    units: bool = False
    malformed_operators: bool = True
    nits: bool = True
    boxed: str = "all"
    equations: bool = False


NormalizationConfig = LatexNormalizationConfig
ExtractionTarget = LatexExtractionConfig | ExprExtractionConfig | StringExtractionConfig


class Parsed(list[str]):
    """The answer of a text as a list of one, or of none; it remembers the text."""

    text: str | None = None


def parse(
    pred: str,
    extraction_config: Sequence[ExtractionTarget] = (LatexExtractionConfig(), ExprExtractionConfig()),
    fallback_mode: Literal["no_fallback", "first_match"] = "first_match",
    extraction_mode: Literal["first_match", "any_match"] = "any_match",
    parsing_timeout: float | None = CPU_S,
    raise_on_error: bool = False,
) -> list[str]:
    """The final answer of a text, or nothing: ``["\\frac{5}{6}"]`` or ``[]``. The text may be an answer alone."""
    strings = {
        one for config in extraction_config if isinstance(config, StringExtractionConfig) for one in config.strings
    }
    if strings and (chosen := _chosen(pred, strings)) is not None:
        return Parsed([chosen])
    mathematics = [config for config in extraction_config if not isinstance(config, StringExtractionConfig)]
    if not mathematics:
        return Parsed()
    answer, rule = workers(_NAME).extract(pred)
    if answer is None or (rule == _UNMARKED and not any(one.try_extract_without_anchor for one in mathematics)):
        return Parsed()
    found = Parsed([answer])
    found.text = pred
    return found


def verify(
    gold: Sequence[object] | object,
    target: Sequence[object] | object,
    float_rounding: int = _ROUNDING,
    numeric_precision: int = 15,
    strict: bool = True,
    allow_set_relation_comp: bool = False,
    timeout_seconds: float | None = CPU_S,
    raise_on_error: bool = False,
) -> bool:
    """Whether ``target``, what the policy said, is ``gold``; both as :func:`parse` gives them, or texts.

    Of several golds any may be met. Raises :class:`RewardMissing` where nobody can say.
    """
    references, response = _texts(gold), _response(target)
    if not references or response is None:
        return False
    sample: Fields = {"response": response, "reference": list[JsonValue](references)}
    params: Fields = {} if float_rounding == _ROUNDING else {"absolute_tolerance": 0.5 * 10.0**-float_rounding}
    verdict = workers(_NAME).verdict("math", params, sample, cpu_s=timeout_seconds or CPU_S)
    if verdict.score is None:
        raise RewardMissing(f"{verdict.outcome.value}: {verdict.reason_code}: {verdict.reason}")
    return verdict.score == 1.0


def math_metric(
    gold_extraction_target: Sequence[ExtractionTarget] = (ExprExtractionConfig(),),
    pred_extraction_target: Sequence[ExtractionTarget] = (ExprExtractionConfig(),),
    aggregation_function: Callable[[list[float]], float] = max,
    precision: int = _ROUNDING,
) -> Callable[[list[str], list[str]], tuple[float, tuple[list[str], list[str]] | None]]:
    """A function of golds and predictions that gives a score and the answers compared, as math-verify's does.

    It raises ValueError where a gold has no answer, and :class:`RewardMissing` as :func:`verify` does.
    """

    def metric(golds: list[str], predictions: list[str]) -> tuple[float, tuple[list[str], list[str]] | None]:
        given = [parse(text, pred_extraction_target) for text in predictions]
        right = [parse(text, gold_extraction_target) for text in golds]
        if not all(right):
            raise ValueError(f"no gold answer in one of {golds}")
        scores = [max(float(verify(gold, one, precision)) for gold in right) for one in given]
        return aggregation_function(scores), ([gold[0] for gold in right], [text for one in given for text in one])

    return metric


def _chosen(text: str, strings: set[str]) -> str | None:
    """The one of these strings that a text is, or that its marked answer is."""
    named = {one.lower(): one for one in strings}
    whole = named.get(_bare(text))
    if whole is not None or len(text) < 2:
        return whole
    answer, rule = workers(_NAME).extract(text)
    return None if answer is None or rule == _UNMARKED else named.get(_bare(answer))


def _bare(text: str) -> str:
    return text.strip().removeprefix("\\text{").removesuffix("}").strip("()$. ").lower()


def _texts(gold: object) -> list[str]:
    several = gold if isinstance(gold, (list, tuple)) else [gold]
    return [text for one in several if (text := str(one).strip())]


def _response(target: object) -> str | None:
    """What is judged: the text that was parsed, or an answer alone in a box."""
    if isinstance(target, Parsed) and target.text is not None:
        return target.text
    texts = _texts(target)
    return f"\\boxed{{{texts[0]}}}" if texts else None
