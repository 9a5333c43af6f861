"""The reference as it stands, in the ways in which models end a response. Each gives the whole response."""

from __future__ import annotations

from random import Random

from pydantic import JsonValue

from audits.metamorphic.transformation import Task, keeping
from audits.metamorphic.verifiers import EXTRACTED

OPENING = "I worked through this step by step and checked the result."


def wrap_in_box(text: str) -> str:
    """The one wrapping of every other transformation."""
    return f"{OPENING}\n\nThe final answer is $\\boxed{{{text}}}$."


def wrap_answer(text: str, extract: JsonValue) -> str:
    """The same where the subject looks at boxes, else as its parameter ``extract`` wants it."""
    match extract:
        case "whole":
            return text
        case "tag":
            return f"{OPENING}\n\n<answer>{text}</answer>"
        case "marker":
            return f"{OPENING}\n\nThe final answer is {text}"
    return wrap_in_box(text)


def unchanged(task: Task, dice: Random) -> str | None:
    """The reference itself, in the box."""
    return wrap_in_box(task.text) if _fits(task) else None


def form_sentence(task: Task, dice: Random) -> str | None:
    """In a sentence: The final answer is 5."""
    return f"{OPENING}\n\nThe final answer is {_inline(task)}." if _fits(task) else None


def form_bold(task: Task, dice: Random) -> str | None:
    """After a heading in bold: **Answer:** 5."""
    return f"{OPENING}\n\n**Answer:** {_inline(task)}" if _fits(task) else None


def form_tag(task: Task, dice: Random) -> str | None:
    """In a tag: <answer>5</answer>."""
    return f"{OPENING}\n\n<answer>{task.text}</answer>" if _fits(task) else None


def form_after_thinking(task: Task, dice: Random) -> str | None:
    """After thinking that tried something else."""
    return f"<think>\nPerhaps it is \\boxed{{0}}? No.\n</think>\n\n{wrap_in_box(task.text)}" if _fits(task) else None


def form_display(task: Task, dice: Random) -> str | None:
    """The box on a line of its own, and a sentence after it."""
    if not _fits(task):
        return None
    return f"{OPENING}\n\n\\[\n\\boxed{{{task.text}}}\n\\]\n\nThis completes the solution."


def _fits(task: Task) -> bool:
    """One line of balanced braces, which no final answer is marked in yet, and no rule of extraction was asked for."""
    text = task.text
    if not text or "\n" in text or "boxed" in text or "<" in text or "answer" in text.lower() or "####" in text:
        return False
    return text.count("{") == text.count("}") and "extract" not in task.params


def _inline(task: Task) -> str:
    return f"${task.text}$" if "\\" in task.text and "$" not in task.text else task.text


FORMS = keeping(EXTRACTED, unchanged, form_sentence, form_bold, form_tag, form_after_thinking, form_display, whole=True)
