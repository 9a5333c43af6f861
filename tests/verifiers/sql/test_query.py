"""Where the query of a response stands, and which queries order their rows."""

from __future__ import annotations

import time

import pytest

from trueward import Sample
from verifiers.extract import Answer, NoAnswer
from verifiers.sql.query import orders, query_of


@pytest.mark.parametrize(
    ("query", "ordered"),
    [
        ("SELECT a FROM t ORDER BY a", True),
        ("select a from t order\n by a limit 3", True),
        ("SELECT a FROM t", False),
        ("SELECT a FROM (SELECT a FROM t ORDER BY a)", False),
        ("SELECT a, row_number() OVER (ORDER BY b) FROM t", False),
        ("WITH w AS (SELECT a FROM t ORDER BY a) SELECT a FROM w", False),
        ("WITH w AS (SELECT a FROM t) SELECT a FROM w ORDER BY a", True),
        ("SELECT a FROM t UNION SELECT b FROM u ORDER BY 1", True),
        ("(SELECT a FROM t ORDER BY a)", True),
        ("((SELECT a FROM t ORDER BY a))", True),
        ("SELECT 'ORDER BY a' FROM t", False),
        ('SELECT "ORDER BY" FROM t', False),
        ("SELECT a FROM t -- ORDER BY a", False),
        ("SELECT a FROM t /* ORDER BY a */", False),
        ("SELECT a FROM t ORDER /* by */ BY a", True),
        ("SELECT a AS order_by FROM t", False),
        ("SELECT 'it''s' FROM t ORDER BY 1", True),
        ("SELECT $$ ORDER BY $$ FROM t", False),
    ],
)
def test_order_is_seen_only_where_it_orders_the_result(query: str, ordered: bool) -> None:
    assert orders(query) is ordered


@pytest.mark.parametrize(
    ("response", "query"),
    [
        ("SELECT 1;", "SELECT 1"),
        ("with w as (select 1) select * from w", "with w as (select 1) select * from w"),
        ("Here:\n```sql\nSELECT 1\n```\nor\n```\nSELECT 2\n```", "SELECT 2"),
        ("<think>```sql\nSELECT 1\n```</think>\n```sql\nSELECT 2;\n```", "SELECT 2"),
        ("<answer>```sql\nSELECT 1\n```</answer> is better than ```SELECT 2```", "SELECT 1"),
        ("<sql>SELECT 1</sql>", "SELECT 1"),
        ("```sql\nSELECT ';'\n```", "SELECT ';'"),
        ("SELECT 1;\n\nSQL counts from one.", "SELECT 1"),
        ("SELECT 1;\r\n\r\nThis is one.", "SELECT 1"),
        ("SELECT 1;\n\nselect 2", "SELECT 1;\n\nselect 2"),
        ("SELECT 1;\n\ndrop table t", "SELECT 1;\n\ndrop table t"),
        ("SELECT 1;\n\nIt is one; DROP TABLE t", "SELECT 1;\n\nIt is one; DROP TABLE t"),
        ("**SQL:** `SELECT count(*) FROM t`", "SELECT count(*) FROM t"),
        ("SELECT a FROM t WHERE b = ':SELECT'", "SELECT a FROM t WHERE b = ':SELECT'"),
        ("```sql\nSELECT a\n```\n```\n1 | 2\n```", "SELECT a"),
        ("```sql\nDROP TABLE t\n```\n```\nok\n```", "DROP TABLE t"),
    ],
)
def test_the_query_is_found(response: str, query: str) -> None:
    found = query_of(Sample(response=response))
    assert isinstance(found, Answer)
    assert found.text == query


@pytest.mark.parametrize(
    ("response", "code"),
    [
        ("Select the right rows, then count.", None),
        ("I select nothing", "no_answer"),
        ("```sql\n;\n```", "empty_answer"),
        ("<answer>SELECT 1", "unclosed_tag"),
        ("<think>SELECT 1", "unclosed_thinking"),
        ("SELECT " + "1," * 50_000 + "1", "query_too_long"),
    ],
)
def test_what_is_no_query_has_its_code(response: str, code: str | None) -> None:
    found = query_of(Sample(response=response))
    assert (found.reason_code if isinstance(found, NoAnswer) else None) == code


@pytest.mark.parametrize("piece", ["'", "$a$", "/*", "(", ")", "``", "--", "ORDER ", '"'])
def test_the_scan_is_linear(piece: str) -> None:
    began = time.perf_counter()
    orders(piece * (500_000 // len(piece)))
    assert time.perf_counter() - began < 3


@pytest.mark.parametrize("piece", [" ", "`", "SELECT ", "`SELECT ", "`WITH x", "\n", "x` "])
@pytest.mark.parametrize("end", ["", "`", "``", "x"])
def test_prose_with_inline_code_is_soon_read(piece: str, end: str) -> None:
    began = time.process_time()
    query_of(Sample(response=f"Use `SELECT{piece * 40_000}{end}"))
    assert time.process_time() - began < 2


@pytest.mark.parametrize("query", ["SELECT a FROM t", "WITH w AS (SELECT 1) SELECT * FROM w", "select '{' from t;"])
def test_a_query_in_json_or_in_inline_code_is_the_query(query: str) -> None:
    bare = query.rstrip(";")
    for said in (
        f'{{"query": "{query}"}}',
        f'{{"thought": "simple", "sql": "{query}"}}',
        f'```json\n{{"sql_query": "{query}"}}\n```',
        f'<answer>{{"query": "{query}"}}</answer>',
        f"The rows come from `{query}`, by `a`.",
        f"Use `{query}`; again: `{query}`.",
    ):
        found = query_of(Sample(response=said, reference="x"))
        assert isinstance(found, Answer), said
        assert found.text == bare, said


@pytest.mark.parametrize(
    "said",
    [
        "Use `SELECT a FROM t` or `SELECT b FROM t`.",
        "It is not `SELECT a FROM t`.",
        "The keyword `SELECT` begins it.",
        '{"query": "SELECT a FROM t", "sql": "SELECT b FROM t"}',
        '{"query": "SELECT a FROM t", "query": "SELECT b FROM t"}',
        '{"query": ["SELECT a FROM t"]}',
        '{"answer": "SELECT a FROM t"}',
        '{"query": ' * 20_000,
    ],
)
def test_two_queries_or_one_that_is_denied_are_none(said: str) -> None:
    assert isinstance(query_of(Sample(response=said, reference="x")), NoAnswer)
