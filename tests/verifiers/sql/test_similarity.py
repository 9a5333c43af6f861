"""The vocabulary of a query, and the Jaccard index of two."""

from __future__ import annotations

import pytest

from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome
from verifiers.sql.similarity import SqlSimilarityVerifier
from verifiers.sql.vocabulary import NotSql, bigrams, find_schema_items, jaccard


def test_the_papers_terms() -> None:
    items = {("column", name) for name in "abcd"}
    assert jaccard(items - {("column", "d")}, items - {("column", "a")}) == 0.5
    assert jaccard(bigrams("SELECT a FROM t", "sqlite"), bigrams("SELECT b FROM t", "sqlite")) == pytest.approx(0.2)


def test_two_empty_vocabularies_are_the_same() -> None:
    assert jaccard(set(), set()) == 1.0


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("SELECT a FROM t", "t a"),
        ("SELECT X.A FROM T AS X", "t a"),
        ("SELECT a AS b FROM t GROUP BY b ORDER BY b", "t a"),
        ("SELECT a AS a FROM t", "t a"),
        ("WITH w AS (SELECT a FROM t) SELECT w.a FROM w", "t a"),
        ("SELECT * FROM t JOIN u ON t.i = u.j", "t u i j"),
        ("SELECT count(*) FROM t", "t"),
        ("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.b = t.c)", "t u a b c"),
        ("SELECT a FROM t UNION SELECT b FROM u", "t u a b"),
    ],
)
def test_tables_and_columns_are_linked(query: str, names: str) -> None:
    assert {name for _, name in find_schema_items(query, "sqlite")} == set(names.split())


@pytest.mark.parametrize("text", ["", "SELECT 1; SELECT 2", "DROP TABLE t", "SELECT 'a", "hello world"])
def test_what_is_no_single_query_is_refused(text: str) -> None:
    with pytest.raises(NotSql):
        find_schema_items(text, "sqlite")


def test_texts_keep_their_case_and_comments_do_not_count() -> None:
    assert bigrams("SELECT 'A' -- x", "sqlite") == bigrams("select /* y */ 'A'", "sqlite")
    assert bigrams("SELECT 'A'", "sqlite") != bigrams("SELECT 'a'", "sqlite")


def test_a_reference_too_deep_to_read_is_not_the_responses_doing() -> None:
    sample = Sample(response="SELECT a FROM t", reference=f"SELECT {'(' * 3000}1{')' * 3000}")
    [verdict] = SqlSimilarityVerifier().verify([sample])
    assert (verdict.outcome, verdict.reason_code) == (Outcome.ABSTAINED, "reference_resource_limit")
