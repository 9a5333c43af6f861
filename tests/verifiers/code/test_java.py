"""Java programs as contests take them: any class, a package, words in comments and texts that mean nothing."""

from __future__ import annotations

import time

import pytest
from pydantic import JsonValue

from sandbox.base import Sandbox
from tests.verifiers.code.judging import fenced, judged
from verifiers.code.java import as_main

MAIN = 'public static void main(String[] args) { System.out.println("ok"); }'
PROGRAMS = {
    "public class of another name": f"public class Solution {{ {MAIN} }}",
    "class of another name": f"class A {{ {MAIN} }}",
    "package": f"package a.b;\nimport java.util.*;\npublic class Main {{ {MAIN} }}",
    "package and another name": f"/* the task */ package a.b ;\n@Deprecated public final class Task {{ {MAIN} }}",
    "helpers before and after": f"class Node {{ int x; }}\npublic class Sol {{ {MAIN} }}\nenum Color {{ RED }}",
    "main of an inner class": f"class A {{ static class B {{ {MAIN} }} }}\nclass C {{ final static public void main"
    '(final String... a) { System.out.println("ok"); } }',
    "interface": 'public interface Go { static void main(String[] a) { System.out.println("ok"); } }',
    "record": 'public record Pair(int a, int b) { public static void main(String[] a) { System.out.println("ok"); } }',
    "braces in texts": 'public class T { static String a = "}} class X {\\"", b = """\n  } "class Main {"\n  """;'
    f" static char c = '}}', d = '\\'', e = '\"'; // }}}}\n /* }} */ {MAIN} }}",
    "Main that has no main": f"class Other {{ {MAIN} }}\npublic class Main extends Other {{ }}",
    "checked exception": "public class S { public static void main(String[] a) throws Exception "
    '{ System.out.println("ok"); } }',
}


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", PROGRAMS)
async def test_a_program_begins_where_its_main_is(sandbox: Sandbox, name: str) -> None:
    reference: JsonValue = {"stdio": [{"stdin": "", "stdout": "ok"}]}
    limits: JsonValue = {"wall_s": 10.0, "suite_s": 20.0, "compile_s": 20.0}
    verdict = await judged(sandbox, fenced(PROGRAMS[name], "java"), reference, {"limits": limits})
    assert verdict.outcome == "correct", verdict.evidence


@pytest.mark.parametrize(
    "text", ["", f"public class Main {{ {MAIN} }}", "public class", "}}}{", "class Main {", '"""', "/*", "package"]
)
def test_what_needs_no_change_or_is_no_java_stays(text: str) -> None:
    assert as_main(text) == text


def test_lines_and_columns_stay() -> None:
    text = f"package a\n.b;\npublic class A {{\n{MAIN}\n}}"
    made = as_main(text)
    assert [len(line) for line in made.splitlines()][: text.count("\n") + 1] == [
        len(line) for line in text.splitlines()
    ]


@pytest.mark.parametrize(
    "piece", ["/*", '"""', '"', "'", "\\", "public class A{}", "{", "package a;", "static void main{"]
)
def test_it_is_read_in_linear_time(piece: str) -> None:
    took = []
    for length in (15_000, 60_000):
        text = (piece * length)[:length]
        start = time.process_time()
        for _ in range(3):
            as_main(text)
        took.append(time.process_time() - start)
    assert took[1] < 12 * took[0] + 0.02
