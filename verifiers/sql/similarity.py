"""``sql_similarity``: how much of the reference query's vocabulary does the response's query share?

The text-based partial terms of Reasoning-SQL (arXiv 2503.23157), experimental: the Jaccard index of the schema items
referred to (``schema_linking``) or of the bigrams of tokens (``ngrams``). The paper's other terms are the verifiers
``sql`` (execution match, and syntax with ``check: syntax``) and ``format``; a recipe weighs them. A correct query
that is written differently scores below 1 here.

Not covered: columns of the same name in different tables count as one.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, NamedTuple

from pydantic import Field, JsonValue
from typing_extensions import TypedDict

from trueward.authoring.verifier import Abstain, Example, Params, SampleVerifier, Task, Text, defect
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Lane, Scale
from verifiers.extract import NoAnswer
from verifiers.legible import legible, shorten
from verifiers.sql.query import LONGEST, query_of
from verifiers.sql.vocabulary import NotSql, bigrams, find_schema_items, jaccard

Measure = Literal["schema_linking", "ngrams"]


class SqlSimilarityParams(Params):
    measure: Measure = Field(
        default="schema_linking",
        description="`schema_linking`: Jaccard index of the tables and columns referred to; `ngrams`: of the bigrams "
        "of tokens",
    )
    dialect: Literal["sqlite", "duckdb", "mysql", "postgres"] = Field(
        default="sqlite", description="how both queries are read: `sqlite`, `duckdb`, `mysql` or `postgres`"
    )


class Pair(NamedTuple):
    """What a worker needs to judge."""

    text: str
    rule: str
    queries: tuple[str, ...]
    measure: Measure
    dialect: str


class QueryReference(TypedDict):
    """A reference of ``sql`` is one."""

    query: Text


class SqlSimilarityVerifier(SampleVerifier[SqlSimilarityParams]):
    name: ClassVar[str] = "sql_similarity"
    summary: ClassVar[str] = "Jaccard index of schema items or bigrams with the reference's SQL query (experimental)"
    scale: ClassVar[Scale] = "graded"
    lane: ClassVar[Lane] = "cpu"
    Reference: ClassVar[Any] = Text | QueryReference
    Params: ClassVar[type[Params]] = SqlSimilarityParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(response="SELECT a FROM t", reference="SELECT b FROM t"), outcome="partial"),
        Example(
            sample=Sample(response="SELECT x.a FROM t AS x", reference={"query": "SELECT a FROM t"}), outcome="correct"
        ),
        Example(sample=Sample(response="SELECT c FROM u", reference="SELECT a FROM t"), outcome="incorrect"),
        Example(sample=Sample(response="SELECT a FROM", reference="SELECT a FROM t"), outcome="invalid"),
    )

    def triage(self, sample: Sample) -> Verdict | Task:
        found = defect(sample, self.needs)
        if found is not None:
            return found
        queries = tuple(_query(value) for value in sample.references)
        answer = query_of(sample)
        if isinstance(answer, NoAnswer):
            return Verdict.invalid(answer.reason_code, answer.reason)
        return Pair(answer.text, answer.rule, queries, self.params.measure, self.params.dialect)

    def prepare(self, task: Task) -> None:
        assert isinstance(task, Pair)
        _gold(task)

    def check(self, task: Task) -> Verdict:
        assert isinstance(task, Pair)
        evidence: dict[str, JsonValue] = {"extracted": shorten(task.text), "rule": task.rule}
        golds = _gold(task)
        try:
            given = _items(task.text, task)
        except NotSql as failure:
            return Verdict.invalid("not_sql", f"the query cannot be read: {shorten(str(failure))}", evidence=evidence)
        score = max(jaccard(given, gold) for gold in golds)
        evidence["items"] = [shorten(" ".join(item)) for item in sorted(given)[:50]]
        said = f"Jaccard index {score:.3g}"
        if score == 1.0:
            return Verdict.correct("same_vocabulary", said, evidence=evidence)
        if score == 0.0:
            return Verdict.incorrect("no_overlap", said, evidence=evidence)
        return Verdict.partial(score, "vocabulary_overlap", said, evidence=evidence)


def _items(query: str, task: Pair) -> frozenset[tuple[str, str]]:
    read = find_schema_items if task.measure == "schema_linking" else bigrams
    return read(query, task.dialect)


def _gold(task: Pair) -> list[frozenset[tuple[str, str]]]:
    try:
        return [_items(query, task) for query in task.queries]
    except NotSql as failure:
        raise Abstain("reference_unparsable", f"the reference cannot be read: {shorten(str(failure))}") from failure


def _query(value: JsonValue) -> str:
    """The reference is a query, or an object as that of ``sql``."""
    query = value.get("query") if isinstance(value, dict) else value
    if not isinstance(query, str) or not query.strip():
        raise Abstain("reference_type", "a reference is a query, or an object with the key query")
    if len(query) > LONGEST:
        raise Abstain("reference_too_large", f"the reference has more than {LONGEST} characters")
    return legible(query).strip().rstrip(";\n\t ")
