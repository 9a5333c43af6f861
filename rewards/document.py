"""A recipe written as YAML: what it says, and on which line each part of it stands.

Safe YAML without aliases (a few bytes of which can stand for gigabytes) and without a key that occurs twice. Errors
name the line. Not here: what a recipe means (:mod:`rewards.recipe`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import yaml

from rewards.facts import CONTROLS, Facts
from rewards.recipe import Recipe, parse_recipe
from trueward.errors import FieldProblem, InvalidRecipe

LONGEST = 256 * 1024
"""Characters that a document may have."""

_DEEPEST = 50
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

Lines = dict[tuple[str, ...], int]
"""The line, from 1, of each place in a document; the root is the empty place."""


def parse_document(text: str, name: str | None = None, facts: Mapping[str, Facts] = CONTROLS) -> Recipe:
    """The recipe in a YAML document; ``name`` is that of a document that gives none.

    Raises :class:`InvalidRecipe` whose every problem names its line.
    """
    body, lines = read(text)
    if name is not None:
        body = {"name": name, **body}
    try:
        return parse_recipe(body, facts)
    except InvalidRecipe as refusal:
        raise placed(refusal, lines) from None


def placed(refusal: InvalidRecipe, lines: Lines) -> InvalidRecipe:
    """The same refusal, each problem with the line of its field."""
    problems = [_placed(problem, lines) for problem in refusal.errors]
    first = problems[0]
    return InvalidRecipe(f"{first.detail} ({first.field})", errors=problems)


def read(text: str) -> tuple[dict[str, object], Lines]:
    """The mapping that a document holds, with its lines. Raises :class:`InvalidRecipe`."""
    if len(text) > LONGEST:
        raise _refusal(f"the document has over {LONGEST} characters")
    lines: Lines = {}
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.SafeLoader)):
            raise _refusal("aliases (*name) are not supported: write the part out")
        root = yaml.compose(text, yaml.SafeLoader)
        _walk(root, (), lines)
        body = yaml.safe_load(text)
    except yaml.MarkedYAMLError as failure:
        line = failure.problem_mark.line + 1 if failure.problem_mark else 1
        raise _refusal(f"{failure.problem or 'no YAML'}", line) from failure
    except (yaml.YAMLError, ValueError, RecursionError) as failure:
        raise _refusal(f"no YAML: {str(failure)[:200]}") from failure
    if not isinstance(body, dict):
        raise _refusal("a recipe is a mapping")
    return body, lines


def _walk(node: yaml.Node | None, place: tuple[str, ...], lines: Lines) -> None:
    if node is None:
        return
    lines.setdefault(place, node.start_mark.line + 1)
    if len(place) > _DEEPEST:
        raise _refusal(f"nested over {_DEEPEST} deep", lines[place])
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            _refuse_unstorable(key)
            below = (*place, str(key.value))
            if below in lines:
                raise _refusal(f"the key {key.value!r} occurs twice", key.start_mark.line + 1)
            lines[below] = key.start_mark.line + 1
            _walk(value, below, lines)
    elif isinstance(node, yaml.ScalarNode):
        _refuse_unstorable(node)
    elif isinstance(node, yaml.SequenceNode):
        for position, value in enumerate(node.value):
            _walk(value, (*place, str(position)), lines)


def _refuse_unstorable(node: yaml.Node) -> None:
    if _UNSTORABLE.search(str(node.value)):
        raise _refusal("a NUL or half a character, which no text can hold", node.start_mark.line + 1)


def _placed(problem: FieldProblem, lines: Lines) -> FieldProblem:
    """The problem with the line of its field, or of the nearest part around it that the document has."""
    parts = problem.field.split(".")[1:]
    if "noise" in parts and ("noise",) in lines:
        parts = parts[parts.index("noise") :]  # written at the root, it belongs to a term
    place: tuple[str, ...] = ()
    for part in parts:
        below = [known for known in lines if known[:-1] == place and known]
        if (*place, part) in lines:
            place = (*place, part)
        elif part.isdigit() and int(part) < len(below):
            place = below[int(part)]  # terms written as a mapping are numbered in its order
        else:
            break
    return problem.model_copy(update={"detail": f"line {lines[place]}: {problem.detail}", "line": lines[place]})


def _refusal(detail: str, line: int = 1) -> InvalidRecipe:
    problem = FieldProblem(field="recipe", code="no_document", detail=f"line {line}: {detail}", line=line)
    return InvalidRecipe(problem.detail, errors=[problem])
