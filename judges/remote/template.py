"""Conversations made text here, for servers that take text only: by the entry's own chat template.

The template knows no tokenizer: ``bos_token`` is empty, for the server adds what its tokenizer puts before a text, and
one that joins another name, as ``eos_token``, to a text is refused: it has to write that out. Control tokens that a
turn writes are disarmed, one character for one: another server reads them wherever they stand, and a policy that writes
them would end its turn and praise itself in the next. What is not of a known form is not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

from judges.base import Unaskable
from judges.questions import Turn
from trueward.wire.model import ModelEntry

_TAGS = (
    r"s|bos|eos|pad|unk|sep|mask|cls|sop|eop|eoh|eoa|bot|eot|(?:bos|eos|pad|unk|sep|mask|cls)_token|"
    r"(?:start|end|begin|beginning)_of_[a-z_]{1,30}|image|[a-z]{1,20}_soft_token|seed:[a-z_]{1,30}|"
    r"longcat_[a-z_]{1,30}|role|eod|mask:[0-9]{1,3}|(?:start|end)_function_[a-z]{1,20}|fake_token_[a-z_]{1,30}|"
    r"(?:extra|extra_id|unused|reserved|special)_?[0-9]{1,5}|0x[0-9a-f]{2}|"
    # of models of code
    r"fim_[a-z]{1,20}|repo_?name|file_sep|filename|gh_stars|issue_[a-z]{1,20}|commit_[a-z]{1,20}|jupyter_[a-z]{1,20}|"
    r"empty_output"
)
"""Between angle brackets, in either case."""
_BRACKETS = (
    r"INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|CALL_ID|ARGS|MODEL_SETTINGS|THINK|IMG|IMG_END|"
    r"IMG_BREAK|AUDIO|BEGIN_AUDIO|PREFIX|MIDDLE|SUFFIX|CLS|SEP|MASK|gMASK|sMASK|PAD|UNK|BOS|EOS|multimodal"
)
_CONTROL = re.compile(
    r"<(?=\|[^|<>]{1,40}\|>|\|[^|<>\s]{1,40}>|[^|<>\s]{1,40}\|>|｜[^｜<>]{1,40}｜>|<?/?SYS>>?"
    rf"|/?(?i:{_TAGS})>)|\[(?=/?(?:{_BRACKETS})\]|e~\[|\|[a-z_]{{3,40}}\|\])|\](?=~!?b[\[\]])"
)
_HARMLESS = {"<": "‹", "[": "［", "]": "］"}
_ENVIRONMENT = ImmutableSandboxedEnvironment(
    trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
)


def disarm(text: str) -> str:
    """The same text, as long as it was, without control tokens of the known forms."""
    return _CONTROL.sub(lambda found: _HARMLESS[found[0]], text)


def with_system(entry: ModelEntry, turns: Sequence[Turn]) -> list[Turn]:
    """The turns, disarmed, after the entry's system prompt where they have none."""
    found = [Turn(turn.role, disarm(turn.content)) for turn in turns]
    if entry.system is None or any(turn.role == "system" for turn in found):
        return found
    return [Turn("system", entry.system), *found]


def render_turns(entry: ModelEntry, turns: Sequence[Turn], *, opened: bool) -> str:
    """``opened``: for the assistant to speak. The turns are as :func:`with_system` gives them.

    Raises :class:`judges.base.Unaskable` without a template, or where it refuses.
    """
    if entry.chat_template is None:
        raise Unaskable(
            f"this {entry.backend} server takes texts, no conversations: give the entry a chat_template, or a text"
        )
    messages = [{"role": turn.role, "content": turn.content} for turn in turns]
    try:
        template = _ENVIRONMENT.from_string(entry.chat_template)
        return template.render(messages=messages, add_generation_prompt=opened, raise_exception=_refuse, bos_token="")
    except (jinja2.TemplateError, ValueError, TypeError, KeyError, IndexError, OverflowError) as refusal:
        raise Unaskable(f"the chat template refuses the conversation: {refusal}") from refusal


def _refuse(words: str) -> None:
    raise jinja2.TemplateError(words)
