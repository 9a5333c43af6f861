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
_MOST_NODES = 5000
"""Keys and values; to read one takes a tenth of a millisecond, and the longest recipe we know has some hundreds."""
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
        loader = _Loader(text)
        try:
            root = loader.get_single_node()
            _walk(root, (), lines)
            body = loader.construct_document(root) if root is not None else None
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as failure:
        line = failure.problem_mark.line + 1 if failure.problem_mark else 1
        raise _refusal(f"{failure.problem or 'no YAML'}", line) from failure
    except (yaml.YAMLError, ValueError, RecursionError) as failure:
        raise _refusal(f"no YAML: {str(failure)[:200]}") from failure
    if not isinstance(body, dict):
        raise _refusal("a recipe is a mapping")
    return body, lines


class _Loader(yaml.SafeLoader):
    """Reads a document once, and stops where it would cost more than its length.

    What is nested is refused on the way in: the scanner looks at every open bracket again for each token, so that
    the brackets of one document, left to it, take minutes.
    """

    _depth = 0
    _nodes = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        line = self.peek_event().start_mark.line + 1  # type: ignore[no-untyped-call]
        if self.check_event(yaml.AliasEvent):
            raise _refusal("aliases (*name) are not supported: write the part out", line)
        if self._depth > _DEEPEST:
            raise _refusal(f"nested over {_DEEPEST} deep", line)
        if self._nodes == _MOST_NODES:
            raise _refusal(f"over {_MOST_NODES} keys and values", line)
        self._nodes += 1
        self._depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1


def _walk(node: yaml.Node | None, place: tuple[str, ...], lines: Lines) -> None:
    if node is None:
        return
    lines.setdefault(place, node.start_mark.line + 1)
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
        if (*place, part) in lines:
            place = (*place, part)
            continue
        below = [known for known in lines if known[:-1] == place and known]
        if not (part.isdigit() and int(part) < len(below)):
            break
        place = below[int(part)]  # terms written as a mapping are numbered in its order
    return problem.model_copy(update={"detail": f"line {lines[place]}: {problem.detail}", "line": lines[place]})


def _refusal(detail: str, line: int = 1) -> InvalidRecipe:
    problem = FieldProblem(field="recipe", code="no_document", detail=f"line {line}: {detail}", line=line)
    return InvalidRecipe(problem.detail, errors=[problem])
