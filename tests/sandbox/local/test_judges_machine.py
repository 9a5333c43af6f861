"""What right programs of contests count on, and a judge's machine gives them, at the limits that are the default."""

from __future__ import annotations

import pytest

from sandbox.base import Program, Status, run
from sandbox.limits import Limits
from sandbox.local import LocalSandbox

pytestmark = pytest.mark.asyncio(loop_scope="module")

STACK = """
import sys, threading
sys.setrecursionlimit(10**6)
threading.stack_size(512 * 2**20)
def depth(n): return n and 1 + depth(n - 1)
thread = threading.Thread(target=lambda: print(depth(100_000)))
thread.start()
thread.join()
"""
TABLE = """
#include <stdio.h>
static int best[5000][30000];
int main(void) { for (int i = 0; i < 50; i++) best[i][i] = i; printf("%d\\n", best[49][49]); return 0; }
"""
SPARE = """
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    volatile char *room = malloc(1400000000); if (!room) return 1;
    room[5] = 7; printf("%d\\n", room[5]);
    return 0; }
"""
OWN_MACHINE = """
#include <stdio.h>
int main(void) {
#ifndef ONLINE_JUDGE
    freopen("input.txt", "r", stdin);
#endif
    int n; if (scanf("%d", &n) != 1) return 1; printf("%d\\n", n); return 0;
}
"""
ARRAY = """
public class Main { public static void main(String[] a) {
    int[] room = new int[100_000_000]; room[5] = 7;
    System.out.println(room[5] + " " + (System.getProperty("ONLINE_JUDGE") != null));
} }
"""
ENDS_AT_ONCE = "console.log('x'.repeat(900_000)); process.exit(0)"
PROGRAMS = [
    pytest.param("python", STACK, "100000", id="a thread with a stack as large as the memory limit"),
    pytest.param("c", TABLE, "49", id="a table of 600 MB of which a part is filled"),
    pytest.param("c", SPARE, "7", id="memory that is asked for and never touched"),
    pytest.param("c", OWN_MACHINE, "12", id="C asks whether this is a judge"),
    pytest.param("cpp", OWN_MACHINE, "12", id="C++ asks whether this is a judge"),
    pytest.param("java", ARRAY, "7 true", id="Java has one array of most of the limit and asks for a judge"),
    pytest.param("javascript", ENDS_AT_ONCE, "x" * 900_000, id="JavaScript prints much and ends at once"),
]


@pytest.mark.parametrize(("language", "source", "printed"), PROGRAMS)
async def test_a_right_program_passes(sandbox: LocalSandbox, language: str, source: str, printed: str) -> None:
    execution = await run(sandbox, Program(language, source), Limits(), b"12\n")
    assert execution.status is Status.FINISHED, execution.stderr
    assert execution.stdout.decode().strip() == printed


async def test_memory_that_is_touched_counts(sandbox: LocalSandbox) -> None:
    source = SPARE.replace("room[5] = 7;", "for (long i = 0; i < 1400000000; i += 4096) room[i] = 7; for (;;);")
    execution = await run(sandbox, Program("c", source), Limits())
    assert execution.status is Status.MEMORY_LIMIT
