"""A Python program in the warm interpreter behaves as under ``python3 -I``."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.base import Program, run
from sandbox.limits import Limits
from sandbox.local import LocalSandbox
from tests.sandbox.local.programs import QUICK

pytestmark = pytest.mark.asyncio(loop_scope="module")
_ADDRESS = re.compile(rb"0x[0-9a-f]+")

_KEPT = {
    "before": "sys.stdout",
    "first": "sys.__stdout__",
    "bytes": "io.TextIOWrapper(sys.stdout.buffer)",
    "own": "open(1, 'w', closefd=False)",
    "copy": "os.fdopen(os.dup(1), 'w')",
    "error": "sys.stderr",
}
_ENDS = {
    "return": "",
    "exit": "sys.exit(3)",
    "raise": "1 / 0",
    "closed": "sys.stdout.close()",
    "none": "sys.stdout = None",
}

SAME = {
    "traceback": "def f(x):\n    return 1 / x\n\nf(0)\n",
    "chained": "try:\n    1/0\nexcept ZeroDivisionError as e:\n    raise ValueError('x') from e\n",
    "syntax": "x = 1\nif x\n",
    "exit_text": "raise SystemExit('bye')",
    "exit_big": "import sys; sys.exit(2**40 + 5)",
    "exit_negative": "import sys; sys.exit(-2)",
    "atexit": "import atexit\natexit.register(print, 'late')\nprint('soon')",
    "threads": "import threading\nthreading.Timer(0.1, print, ['t']).start()\nprint('m')",
    "daemon_threads": "import threading, time\nthreading.Thread(target=time.sleep, args=(9,), daemon=True).start()",
    "destructors": "class A:\n    def __del__(self): print('del')\na = A()\nb = A(); b.me = b\n",
    "main": "print(__name__, __file__.split('/')[-1], __spec__, __doc__, sorted(globals()))\n",
    "argv": "import sys; print(sys.argv)",
    "recursion": "def f(n):\n    return n if n == 900 else f(n + 1)\nprint(f(0))",
    "too_deep": "def f(n): return f(n + 1)\ntry: f(0)\nexcept RecursionError as e: print(e)",
    "unicode": "print('ü ☃ \\U0001f600')",
    "surrogate_input": "print(ascii(input()))",
    "read_all": "import sys; print(sys.stdin.buffer.read())",
    "closed_stdout": "import sys; sys.stdout.close()",
    "encoding": "# -*- coding: latin-1 -*-\nprint(ascii('\xe9'))",
    "dataclass": "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int = 3\nprint(P(), P.__module__)",
    "pickle": "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))) is A)",
    "fork": "import os\nif os.fork() == 0: os._exit(7)\nprint(os.waitstatus_to_exitcode(os.wait()[1]))",
    "subprocess": "import subprocess, sys\nprint(subprocess.check_output([sys.executable, '-c', 'print(5)']))",
    "hook": "import sys\nsys.excepthook = lambda *a: print('hook', a[0])\n1/0",
    "inspect": "import inspect\ndef f(): pass\nprint(inspect.getsource(f))",
    "main_import": "import __main__; x = 3; print(__main__.x)",
    "unraisable": "class A:\n    def __del__(self): 1/0\nA()\n",
    "destructor_reads_globals": "import math\nclass A:\n    def __del__(self): print(s, math.pi)\ns = 5\na = A()\n",
    "destructor_in_a_cycle": "class A:\n    def __del__(self): print(s)\ns = 5\na = A()\na.a = a\nraise ValueError\n",
    "generator_left_open": "def f():\n    try: yield\n    finally: print(s)\ns = 5\ng = f()\nnext(g)\n",
    "no_main_at_the_end": "import sys\nclass A:\n    def __del__(self): print(s)\ns = 5\na = A()\n"
    "del sys.modules['__main__']",
    "buffer_left_open": "import os\nclass A:\n    def f(self): pass\nf = os.fdopen(1, 'w')\nf.write('x')\n",
    "stream_of_its_own": "import sys\nclass A:\n    def __init__(self, f): self.write, self.flush = f.write, f.flush\n"
    "sys.stdout = A(sys.stdout)\nprint(5)\n",
    "warnings": "import warnings; warnings.warn('w')",
    "buffered": "import sys, os\nsys.stdout.write('x'); os._exit(0)",
    **{
        f"output_{kept}_{end}": "import io, os, sys\n"
        f"kept = {stream}\nsys.stdout = io.StringIO()\nkept.write('x')\n{code}"
        for kept, stream in _KEPT.items()
        for end, code in _ENDS.items()
    },
}


@pytest.mark.parametrize("name", SAME)
async def test_output_and_exit_are_those_of_a_fresh_interpreter(
    sandbox: LocalSandbox, tmp_path: Path, name: str
) -> None:
    source, stdin = SAME[name], "caf\udce9\n".encode(errors="surrogateescape")
    execution = await run(sandbox, Program("python", source), QUICK, stdin)
    (tmp_path / "solution.py").write_text(source, encoding="utf-8")
    fresh = subprocess.run(  # noqa: ASYNC221 - the oracle
        [getattr(sys, "_base_executable", sys.executable), "-I", "solution.py"],
        cwd=tmp_path,
        input=stdin,
        capture_output=True,
        env={"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"},
    )
    ours = execution.stderr.replace(b"/box/work/", f"{tmp_path}/".encode())
    assert (execution.stdout, execution.exit_code) == (fresh.stdout, fresh.returncode)
    assert _ADDRESS.sub(b"", ours) == _ADDRESS.sub(b"", fresh.stderr)


async def test_every_run_has_random_numbers_of_its_own(sandbox: LocalSandbox) -> None:
    source = "import random, os; print(random.random(), os.urandom(4).hex())"
    async with sandbox.open(Program("python", source), QUICK) as workspace:
        assert len({(await workspace.run()).stdout for _ in range(6)}) == 6


async def test_a_large_source_and_a_large_input(sandbox: LocalSandbox) -> None:
    source = "x = '" + "a" * 300_000 + "'\nimport sys\nprint(len(x), len(sys.stdin.buffer.read()))"
    execution = await run(sandbox, Program("python", source), QUICK, b"y" * 20_000_000)
    assert execution.stdout == b"300000 20000000\n"


async def test_an_input_that_nobody_reads_hinders_nothing(sandbox: LocalSandbox) -> None:
    execution = await run(sandbox, Program("python", "print(1)"), QUICK, b"y" * 5_000_000)
    assert execution.stdout == b"1\n"


async def test_as_many_threads_live_at_once_as_processes_are_allowed(sandbox: LocalSandbox) -> None:
    counted = any(each.name == "memory groups" and each.present for each in await sandbox.features())
    count = 200 if counted else 50  # else the memory of their stacks is counted where it is reserved
    source = (
        "import threading\nfree = threading.Event()\n"
        "def work(): kept = [bytearray(100) for _ in range(100)]; free.wait()\n"
        f"threads = [threading.Thread(target=work) for _ in range({count})]\n"
        "for thread in threads: thread.start()\n"
        "print(threading.active_count())\nfree.set()"
    )
    execution = await run(sandbox, Program("python", source), Limits())
    assert (execution.stdout, execution.stderr) == (b"%d\n" % (count + 1), b"")
