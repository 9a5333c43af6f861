"""A value made to fit a JSON Schema, as far as that changes nothing of what it says.

Names and labels are compared without case and width, a label may have its reason behind it, numbers may stand in
quotes, what the form does not have is left out, and what has a ``default`` in the form may lack: the rationale, of
which no score is made. Nothing is rounded, no label is taken for another, and a member that is needed is never made up.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

Schema = Mapping[str, JsonValue]
_NUMBER = re.compile(r"[-+]?[0-9]{1,40}(?:\.[0-9]{1,40})?")
_DECIMAL_COMMA = re.compile(r"[-+]?[0-9]{1,2},[0-9]")
_SHARE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?(?:/|out of) ?([0-9]{1,9})")
_AROUND = " \t\r\n*_`'\"“”.!\u2705\u2714\ufe0f"
"""Marks that change nothing of a name or a label; a tick is one of them, a cross is none."""
_OPENING = _AROUND.replace("!", "")
_UNSEEN = re.compile("[\u200b-\u200d\u2060\ufeff]")
_MINUS = str.maketrans({"−": "-"})
_CALLED = re.compile(
    r"(?:the )?(?:response|option|assistant|answer|model|candidate|step|sentence)[\s_-]+(?:is )?(\w+)", re.IGNORECASE
)
_WINS = re.compile(r"(\w+) (?:is (?:the )?better(?: one| response| answer)?|wins)", re.IGNORECASE)
_REASONED = re.compile(r"([^:–—(]{1,40}?)\s*[:–—(](.*)", re.DOTALL)
_HEDGE = re.compile(
    r"\b(?:but|however|although|though|except|unless|if|not|never|part\w*|most\w*|almost|nearly|largely|somewhat|"
    r"probably|possibly|maybe|perhaps)\b",
    re.IGNORECASE,
)
# a reason that is a no, or ends with one: "correct: it matches, so no"
_REFUSED = re.compile(
    r"(?:\A|[,;.–—-]|\b(?:so|thus|therefore|hence|is|are|was))\s*(?:no|nope|false|wrong|untrue)\s*[.!)\]]*\s*\Z",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(r"in|un|no|wrong|false|bad|fail|reject|refut|contradict", re.IGNORECASE)
# of one of several by its letter: "A (worse)"
_LESSER = re.compile(
    r"\b(?:worse|worst|weaker|weakest|inferior|loses|lost|loser|poorer"
    r"|less\s(?:helpful|accurate|correct|complete|clear|useful|preferable|relevant|good))\b",
    re.IGNORECASE,
)
_WIDEST = 20
"""From the least number to the most, of those that servers are shown as labels."""
_BOOLEANS = {"true": True, "yes": True, "false": False, "no": False}
_CONDITION = ("if", "then", "else")
_LAST = frozenset({"final", "overall", "total", "revised", "corrected", "adjusted", "actual", "true", "new"})
"""Words for a value that another one is given up for."""


@dataclass(slots=True)
class Fitting:
    """``clash``: an object says a name twice, or says the same thing twice in different ways."""

    clash: bool = False

    def fit(self, value: JsonValue, schema: Schema) -> JsonValue:
        """What does not fit stays as it is: the schema refuses it."""
        if isinstance(value, dict) and "properties" in schema:
            return self._object(value, schema)
        if isinstance(value, dict) and isinstance(more := schema.get("additionalProperties"), dict):
            return {name: self.fit(one, more) for name, one in value.items()}
        if isinstance(items := schema.get("items"), dict):
            if isinstance(value, dict) and "id" in properties(items):
                value = [{"id": name, **row} for name, row in value.items() if isinstance(row, dict)]
            if isinstance(value, list):
                return [self.fit(one, items) for one in value]
        return scalar(value, schema)

    def _object(self, value: Mapping[str, JsonValue], schema: Schema) -> dict[str, JsonValue]:
        known = properties(schema)
        names = {fold_name(name): name for name in known}
        found: dict[str, JsonValue] = {}
        extra: dict[str, JsonValue] = {}
        for said, one in value.items():
            name = said if said in known else names.get(fold_name(said))
            if name is None:
                extra[said] = one
            elif name in found:
                self.clash = True
            else:
                found[name] = self._member(one, known[name])
        for name, own in known.items():
            if "default" in own and name not in found:
                found[name] = own["default"]
        if extra and schema.get("additionalProperties") is False:
            self.clash = self.clash or any(_clashes(found, known, *one) for one in extra.items())
            return found
        return {**found, **extra}

    def _member(self, value: JsonValue, schema: Schema) -> JsonValue:
        """Of a rationale any form will do."""
        fit = self.fit(value, schema)
        if "default" not in schema:
            return fit
        if schema.get("type") == "string" and not isinstance(fit, str):
            return "" if fit is None else json.dumps(fit, ensure_ascii=False)
        if schema.get("type") == "array" and not isinstance(fit, list):
            return schema["default"]
        return fit


def scalar(value: JsonValue, schema: Schema) -> JsonValue:
    """A label, number or truth value as the schema writes it."""
    if isinstance(value, list) and len(value) == 1 and schema.get("type") in ("string", "number", "integer", "boolean"):
        value = value[0]
    if not isinstance(value, str):
        return value
    plain = _plain(value)
    labels = schema.get("enum")
    if isinstance(labels, list):
        return _label(plain, labels)
    kind = schema.get("type")
    if kind == "boolean":
        return _BOOLEANS.get(plain.strip(_AROUND).casefold(), value)
    if kind in ("number", "integer"):
        return _number(plain.strip(_AROUND + "+"), schema)
    return value


def properties(schema: Schema) -> dict[str, dict[str, JsonValue]]:
    found = schema.get("properties")
    return {name: one for name, one in found.items() if isinstance(one, dict)} if isinstance(found, dict) else {}


def strip_rationale(value: JsonValue, schema: Schema) -> JsonValue:
    """The part of a value that scores are made of: all but the rationale."""
    if isinstance(value, dict):
        known = properties(schema)
        return {
            name: strip_rationale(one, known.get(name, {}))
            for name, one in value.items()
            if "default" not in known.get(name, {})
        }
    items = schema.get("items")
    if isinstance(value, list) and isinstance(items, dict):
        return [strip_rationale(one, items) for one in value]
    return value


def decisive(schema: Schema) -> Iterator[tuple[str, dict[str, JsonValue]]]:
    """The labels and numbers of an object's own members, by name."""
    for name, one in properties(schema).items():
        if "default" not in one and ("enum" in one or one.get("type") in ("number", "integer", "boolean")):
            yield name, one


def bare(schema: JsonValue) -> JsonValue:
    """The same for servers that make a model keep to a form.

    Without ``default``, which they refuse. A number between whole bounds is one of their halves: not all hold a number
    to its bounds, and all know labels.
    """
    if isinstance(schema, list):
        return [bare(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") == "number" and "enum" not in schema:
        low, high = schema.get("minimum"), schema.get("maximum")
        if isinstance(low, int) and isinstance(high, int) and 0 < high - low <= _WIDEST:
            halves = range(2 * low, 2 * high + 1)
            return {"enum": [half // 2 if half % 2 == 0 else half / 2 for half in halves]}
    return {
        name: {member: bare(own) for member, own in one.items()}
        if name == "properties" and isinstance(one, dict)
        else bare(one)
        for name, one in schema.items()
        if name != "default"
    }


def strip_schema(schema: Schema) -> dict[str, JsonValue]:
    """The form of the part that :func:`strip_rationale` gives."""
    found: dict[str, JsonValue] = dict(schema)
    if "properties" in schema:
        kept = {name: own for name, own in properties(schema).items() if "default" not in own}
        found["properties"] = {name: strip_schema(own) for name, own in kept.items()}
        required = schema.get("required")
        found["required"] = [name for name in required if name in kept] if isinstance(required, list) else []
    if isinstance(items := schema.get("items"), dict):
        found["items"] = strip_schema(items)
    for name in ("anyOf", "prefixItems"):
        if isinstance(several := schema.get(name), list):
            found[name] = [strip_schema(one) for one in several if isinstance(one, dict)]
    return found


def split_condition(schema: Schema) -> dict[str, JsonValue]:
    """A form of ``if``, ``then`` and ``else`` as one of two: what holds a model to a form knows no conditions.

    The condition is that one label has one value.
    """
    plain = {name: one for name, one in schema.items() if name not in _CONDITION}
    parts = [schema.get(name) for name in _CONDITION]
    met, then, other = (properties(part) if isinstance(part, dict) else {} for part in parts)
    own = properties(schema)
    if len(met) != 1 or not (then or other):
        return dict(schema)
    [(name, condition)] = met.items()
    labels = own.get(name, {}).get("enum")
    if not isinstance(labels, list) or condition.get("const") not in labels:
        return dict(schema)
    sides: list[JsonValue] = []
    for is_met, more in ((True, then), (False, other)):
        kept: list[JsonValue] = [one for one in labels if (one == condition["const"]) is is_met]
        members: dict[str, JsonValue] = {key: {**one, **more.get(key, {})} for key, one in own.items()}
        sides.append({**plain, "properties": {**members, name: {**own[name], "enum": kept}}})
    return {"anyOf": sides}


def fold_name(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", _plain(name).strip(_AROUND)).casefold().replace("judgment", "judgement")


def _plain(said: str) -> str:
    """Without width and what nobody sees."""
    return said if said.isascii() else _UNSEEN.sub("", unicodedata.normalize("NFKC", said)).translate(_MINUS)


def _label(said: str, labels: list[JsonValue]) -> JsonValue:
    """Equal but for case, the marks around, what parts its words, and a reason behind it; to one label alone."""
    if said in labels or said.lstrip(_OPENING).startswith("!"):
        return said  # "!correct" is what it is not
    if _NUMBER.fullmatch(said.strip()) and (number := float(said)) in labels:
        return labels[labels.index(number)]
    texts = [one for one in labels if isinstance(one, str)]
    for core in (said, *_cores(said.strip(_AROUND), texts)):
        found = [one for one in texts if fold_name(one) == fold_name(core)]
        if len(found) == 1:
            return found[0]
    return said


def _cores(said: str, labels: Sequence[str]) -> Iterator[str]:
    """What a text may name as its label: ``Response A``, ``B is better``, ``incorrect: it is Lyon``; nothing where it
    hedges, or names another label, too."""
    for pattern in (_CALLED, _WINS):
        if (whole := pattern.fullmatch(said)) is not None:
            yield whole[1]
    reasoned = _REASONED.fullmatch(said)
    if reasoned is None or _HEDGE.search(reasoned[2]) or any(holds(reasoned[2], one) for one in labels):
        return
    label, reason = reasoned[1].strip(), reasoned[2]
    taken_back = _LESSER.search(reason) if len(label) == 1 else not is_negative(label) and _REFUSED.search(reason)
    if not taken_back:
        yield label


def is_negative(label: str) -> bool:
    """Whether a label is a no by itself: ``incorrect``, ``unsafe``, ``no``."""
    return _NEGATIVE.match(label) is not None


def holds(text: str, label: str) -> bool:
    """Whether a label stands in a text as words of it."""
    return re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text, re.IGNORECASE) is not None


def _number(said: str, schema: Schema) -> JsonValue:
    """A number, also as ``7/10`` where 10 is the most that the schema allows."""
    share = _SHARE.fullmatch(said)
    if share is not None and float(share[2]) == schema.get("maximum"):
        said = share[1]
    elif _DECIMAL_COMMA.fullmatch(said):
        said = said.replace(",", ".")
    if _NUMBER.fullmatch(said) is None:
        return said
    return float(said) if "." in said else int(said)


def _clashes(found: Mapping[str, JsonValue], known: Mapping[str, Schema], extra: str, value: JsonValue) -> bool:
    """Whether a member that the form does not have takes back one that it has."""
    words = fold_name(extra).split("_")
    for name, own in known.items():
        if "default" in own or name not in found:
            continue
        said = scalar(value, own)
        labels = own.get("enum")
        if isinstance(labels, list):
            if said in labels and said != found[name]:
                return True
            if any(_denies(words, value, str(one), is_said=one == found[name]) for one in labels):
                return True
        elif own.get("type") in ("number", "integer", "boolean") and _LAST & set(words) and name in words:
            return said != found[name]
    return False


def _denies(words: Sequence[str], value: JsonValue, label: str, *, is_said: bool) -> bool:
    """Whether ``is_correct: false`` and the like say that the label that was said is none, or that another one is."""
    truth = _BOOLEANS.get(value.casefold()) if isinstance(value, str) else value
    own = fold_name(label).split("_")
    negated = words[: -len(own)] in (["not"], ["is", "not"])
    named = list(words[-len(own) :]) == own and (negated or words[: -len(own)] in ([], ["is"], ["was"], ["are"]))
    return named and isinstance(truth, bool) and (truth != negated) != is_said
