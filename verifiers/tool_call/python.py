"""Calls written in Python: ``weather(city="Paris", days=3)``, alone, one a line, or in a list.

Arguments are keywords with literal values; a bare name is the text of its name, as an argument that names a variable.
The source is parsed and never run.
"""

from __future__ import annotations

import ast
import keyword
import math
import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from pydantic import JsonValue

from verifiers.tool_call.call import Call, MalformedCall

LONGEST = 20_000
"""Characters of source that are parsed."""

DEEPEST = 30
_BRACKET = re.compile(r"[(\[{]|[)\]}]")
_MANY_SIGNS = re.compile(r"(?:[-+~]\s*){100}")
_RESERVED = re.compile(rf"(?<=[(,\s])({'|'.join(keyword.kwlist)})(?=\s*=[^=])")
_MARK = "\u0f00"
"""Behind an argument's name that Python reserves, while it is parsed: tools are written in other languages, too."""
_START = re.compile(r"\s*\[?\s*[A-Za-z_][\w.]*\s*\(")


def python_calls(text: str, known: AbstractSet[str] | None) -> list[Call] | None:
    """The calls that a text writes; None where it is no Python call at all.

    Outside of a list a call is one only where its name is ``known``: any other is code; None knows all names. Raises
    :class:`MalformedCall` for calls that are not written in full. Linear in the length of the text.
    """
    if _START.match(text) is None or not text.rstrip().endswith((")", "]")):
        return None
    body = _body(text)
    if body is None:
        return None
    names = [".".join(_names(node.func)) for node in body]
    if known is not None and not text.lstrip().startswith("[") and not known >= set(names):
        return None
    return [_call(name, node) for name, node in zip(names, body, strict=True)]


def python_literals(text: str) -> Iterator[JsonValue]:
    """The list or object that a text writes in Python, where it is one and nothing else."""
    if not text.lstrip().startswith(("[", "{")) or not _is_bounded(text):
        return
    try:
        body = ast.parse(text.strip(), mode="eval").body
        if not any(isinstance(part, ast.Name) for part in ast.walk(body)):
            yield _value(body)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return


def _body(text: str) -> list[ast.Call] | None:
    if not _is_bounded(text):
        return None
    try:
        statements = ast.parse(_RESERVED.sub(rf"\1{_MARK}", text.strip())).body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    found: list[ast.Call] = []
    for statement in statements:
        if not isinstance(statement, ast.Expr):
            return None
        value = statement.value
        members = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
        for member in members:
            if not isinstance(member, ast.Call):
                return None
            found.append(member)
    return found


def _is_bounded(text: str) -> bool:
    return len(text) <= LONGEST and _depth(text) <= DEEPEST and _MANY_SIGNS.search(text) is None


def _depth(text: str) -> int:
    deepest = depth = 0
    for bracket in _BRACKET.finditer(text):
        depth += 1 if bracket[0] in "([{" else -1
        deepest = max(deepest, depth)
    return deepest


def _call(name: str, node: ast.Call) -> Call:
    if node.args:
        raise MalformedCall(f"an argument of {name[:80]} has no name")
    arguments: dict[str, JsonValue] = {}
    for given in node.keywords:
        if given.arg is None or given.arg in arguments:
            raise MalformedCall(f"the arguments of {name[:80]} are not named, each once")
        arguments[given.arg.replace(_MARK, "")] = _value(given.value)
    return Call(name, arguments)


def _names(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Attribute):
        yield from _names(node.value)
        yield node.attr
    elif isinstance(node, ast.Name):
        yield node.id
    else:
        raise MalformedCall("what is called has no name")


def _value(node: ast.expr) -> JsonValue:
    match node:
        case ast.Constant(value=str() as text):
            return text.replace(_MARK, "")
        case ast.Constant(value=bool() | int() | None as value):
            return value
        case ast.Constant(value=float() as value) if math.isfinite(value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)) if _number(value):
            return -value
        case ast.List(elts=members) | ast.Tuple(elts=members):
            return [_value(member) for member in members]
        case ast.Dict(keys=keys, values=values):
            return _object(keys, values)
        case ast.Name() | ast.Attribute():
            return ".".join(_names(node))
    raise MalformedCall("an argument is no literal value")


def _number(value: int | float) -> bool:
    return not isinstance(value, bool) and (isinstance(value, int) or math.isfinite(value))


def _object(keys: list[ast.expr | None], values: list[ast.expr]) -> JsonValue:
    found: dict[str, JsonValue] = {}
    for key, value in zip(keys, values, strict=True):
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)) or key.value in found:
            raise MalformedCall("the keys of an object are texts, each once")
        found[key.value] = _value(value)
    return found
