"""A recipe written as YAML: what it says, and on which line each part of it stands.

The core schema of YAML 1.2 (:mod:`rewards.core_schema`), without aliases (a few bytes of which can stand for gigabytes)
and without a key that occurs twice. Each key is text, as in JSON. Errors name the line. The time is linear: a second
for the longest document, in Python alone, so that a thread can do it. Not here: what a recipe means
(:mod:`rewards.recipe`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import yaml

from rewards import core_schema
from rewards.core_schema import NotInSchema
from rewards.facts import CONTROLS, Facts
from rewards.recipe import MOST_VALUES, Recipe, parse_recipe
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
        raise place_problems(refusal, lines) from None


def place_problems(refusal: InvalidRecipe, lines: Lines) -> InvalidRecipe:
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
            body = _read(loader.get_single_node(), (), lines)
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
    """Composes a document once, and stops where it would cost more than its length.

    What is nested is refused on the way in: the scanner looks at every open bracket again for each token, so that
    the brackets of one document, left to it, take minutes. What a scalar means is not asked of PyYAML, whose rules are
    those of YAML 1.1: a number in base 60 takes the square of its length.
    """

    yaml_implicit_resolvers = {}  # noqa: RUF012 - PyYAML's own table is the class's, too
    _depth = 0
    _nodes = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        line = self.peek_event().start_mark.line + 1  # type: ignore[no-untyped-call]
        if self.check_event(yaml.AliasEvent):
            raise _refusal("aliases (*name) are not supported: write the part out", line)
        if self._depth > _DEEPEST:
            raise _refusal(f"nested over {_DEEPEST} deep", line)
        if self._nodes == MOST_VALUES:
            raise _refusal(f"over {MOST_VALUES} keys and values", line)
        self._nodes += 1
        self._depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1

    def compose_scalar_node(self, anchor: dict[str, yaml.Node]) -> yaml.ScalarNode:
        """As there, but a plain one without a tag keeps none: what it is, is read from its text."""
        event: yaml.ScalarEvent = self.peek_event()  # type: ignore[no-untyped-call]
        node: yaml.ScalarNode = super().compose_scalar_node(anchor)
        if event.implicit[0] and event.tag is None:
            node.tag = core_schema.PLAIN
        return node


def _read(node: yaml.Node | None, place: tuple[str, ...], lines: Lines) -> object:
    """What a node says; the lines of its parts are noted."""
    if node is None:
        return None
    line = node.start_mark.line + 1
    lines.setdefault(place, line)
    if isinstance(node, yaml.ScalarNode):
        _refuse_unstorable(node)
        try:
            return core_schema.value(node.tag, node.value)
        except NotInSchema as wrong:
            raise _refusal(str(wrong), line) from None
    if isinstance(node, yaml.MappingNode) and node.tag == core_schema.MAPPING:
        return {key: _read(value, below, lines) for key, below, value in _entries(node, place, lines)}
    if isinstance(node, yaml.SequenceNode) and node.tag == core_schema.SEQUENCE:
        return [_read(value, (*place, str(position)), lines) for position, value in enumerate(node.value)]
    raise _refusal(f"there is no constructor for the tag {node.tag[:100]} here", line)


def _entries(
    node: yaml.MappingNode, place: tuple[str, ...], lines: Lines
) -> Iterator[tuple[str, tuple[str, ...], yaml.Node]]:
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise _refusal("a key is a text", line)
        _refuse_unstorable(key)
        below = (*place, key.value)
        if below in lines:
            raise _refusal(f"the key {key.value[:100]!r} occurs twice", line)
        lines[below] = line
        yield key.value, below, value


def _refuse_unstorable(node: yaml.ScalarNode) -> None:
    if _UNSTORABLE.search(node.value):
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
