r"""A decision without an object: a reply that is nothing but a label, or a number with its name.

``correct``, ``**Verdict: incorrect**``, ``[[A]]``, ``\boxed{correct}``, ``<verdict>safe</verdict>``, ``Score: 7/10``. A
number without its name is no decision: a model that answers the question itself writes such, too. One line, and nothing
else: a sentence about the response decides nothing.
"""

from __future__ import annotations

import re

from pydantic import JsonValue

from judges.asking.schema_fit import Schema, decisive, fold_name, properties, scalar

LONGEST = 80
_PEELED = (
    re.compile(r"```\w*\s+(.*?)\s*```", re.DOTALL),
    re.compile(r"\\boxed\{(?:\\text\{)?([^{}]*)\}{1,2}"),
    re.compile(r"<[a-z_]{1,30}>([^<>]*)</[a-z_]{1,30}>", re.IGNORECASE),
    re.compile(r"\[{1,2}([^\[\]]*)\]{1,2}"),
    re.compile(r"[#>*-]{1,3} (.*)", re.DOTALL),
    re.compile(r"[*_`\"'“”]{1,4}(.*?)[*_`\"'“”.]{0,4}", re.DOTALL),
)
_NAMED = re.compile(
    r"(?:(?:my|the|final|overall) ){0,3}([a-z_ ]{1,30}?)[*_`\"' ]{0,4}(?:\bis:|:|=|\bis\b)\s{0,3}(.+)", re.IGNORECASE
)
_NAMES = frozenset({"verdict", "judgement", "decision", "rating", "score"})


def bare(text: str, schema: Schema) -> dict[str, JsonValue] | None:
    """What a reply without an object decides, in a form that needs one label or number alone; None where nothing."""
    needed = {name for name, own in properties(schema).items() if "default" not in own}
    [*members] = [(name, own) for name, own in decisive(schema) if name in needed]
    text = text.strip()
    if len(text) > LONGEST or len(needed) != 1 or len(members) != 1:
        return None
    [(name, own)] = members
    core, named = _core(text, name)
    if "\n" in core or not (named or "enum" in own):
        return None
    said = scalar(core, own)
    labels = own.get("enum")
    if isinstance(labels, list):
        meant = said in labels and fold_name(str(said)) == fold_name(core)
    else:
        meant = isinstance(said, int | float) and not isinstance(said, bool)
    return {name: said} if meant else None


def _core(text: str, name: str) -> tuple[str, bool]:
    """What is left without marks around and the name in front, and whether there was one."""
    named = False
    for _ in range(6):
        before = text
        for pattern in _PEELED:
            if (peeled := pattern.fullmatch(text)) is not None:
                text = peeled[1].strip()
        found = _NAMED.fullmatch(text)
        if found is not None and not named and fold_name(found[1]) in {fold_name(name), *_NAMES}:
            named, text = True, found[2].strip()
        if text == before:
            break
    return text, named
