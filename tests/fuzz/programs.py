"""Programs that models and attackers write: what they define, return, raise, print and do to their interpreter."""

from __future__ import annotations

import random
from collections.abc import Sequence

VALUES = (
    *(
        "None",
        "x",
        "0",
        "10**5000",
        "-10**4999",
        "float('nan')",
        "float('inf')",
        "1e400",
        "-0.0",
        "1j",
        "...",
        "NotImplemented",
    ),
    *(
        "[]",
        "[[[]]]",
        "[1]*100000",
        "(1,)*5000",
        "{1: {2: {3: 4}}}",
        "{(1, 2): 3}",
        "{1.5: None}",
        "set()",
        "frozenset([1])",
    ),
    *(
        "'a'*100000",
        "'\\ud800'",
        "'\\0'",
        "'\\U0001F600'*5000",
        "b'\\xff'",
        "bytearray(9)",
        "range(10**9)",
        "iter([])",
        "lambda: 0",
    ),
    *(
        "object()",
        "type",
        "int",
        "Exception('x')",
        "print",
        "open",
        "__builtins__",
        "__import__('sys')",
        "memoryview(b'')",
        "slice(1)",
    ),
    *(
        "(lambda l: (l.append(l), l)[1])([])",
        "[list(p) for p in zip(range(3000), range(3000))]",
        "str(10**4000)",
        "True",
        "''",
    ),
    *(
        "__import__('decimal').Decimal('NaN')",
        "__import__('fractions').Fraction(1, 3)",
        "(i for i in range(3))",
        "Evil()",
        "[Evil()]",
    ),
    *(
        "{'a': Evil()}",
        "sum",
        "__name__",
        "globals()",
        "__import__('datetime').date.today()",
        "__import__('numpy').zeros(3)",
    ),
)
EVIL = (
    "class Evil:\n    def __repr__(self): raise ValueError('r')\n    def __eq__(self, other): return True\n",
    "class Evil(int):\n    def __str__(self): return 'x' * 10**6\n    def __hash__(self): raise TypeError\n",
    "class Evil(str):\n    def __eq__(self, other): raise SystemExit\n",
    "class Evil(list):\n    def __iter__(self): return iter(int, 1)\n    def __len__(self): return 2**40\n",
    "class Evil(dict):\n    def items(self): return self\n",
    "class Evil:\n    def __reduce__(self): return (exit, (0,))\n    def __getattr__(self, name): return self\n",
    "class Evil(Exception):\n    def __str__(self): raise self\n",
    "class Evil(float):\n    def __float__(self): return self\n    def __le__(self, other): return True\n",
    "class Evil(type):\n    def __instancecheck__(cls, other): return True\n",
)
ACTS = (
    *(
        "raise ValueError('\\U0001F600'*5000)",
        "raise Evil()",
        "raise SystemExit(0)",
        "raise KeyboardInterrupt",
        "raise BaseException",
    ),
    *(
        "raise ExceptionGroup('x', [ValueError(i) for i in range(500)])",
        "exit()",
        "import os; os._exit(0)",
        "import os; os.abort()",
    ),
    *(
        "import os; os.close(1)",
        "import os; os.closerange(0, 64)",
        "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
    ),
    *(
        "import os; os.kill(0, 9)",
        "import sys; sys.stdout.close()",
        "import sys; sys.stdout = None",
        "print('x' * 10**7)",
    ),
    *(
        "import sys; sys.stderr.write('y' * 10**7)",
        "import sys; sys.modules.clear()",
        "import builtins; builtins.__dict__.clear()",
    ),
    *(
        "import builtins; builtins.repr = None",
        "import sys; sys.setrecursionlimit(10**9)",
        "f = lambda: f(); f()",
        "assert False",
    ),
    *(
        "import gc; gc.disable(); a = []; a.append(a)",
        "import threading; threading.Thread(target=print).start()",
        "yield 1",
    ),
    *(
        "import atexit; atexit.register(lambda: 1/0)",
        "import sys; sys.settrace(lambda *a: 1/0)",
        "import sys; sys.exit('x')",
    ),
    *(
        "import json; json.dumps = None",
        "import os; os.fork()",
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (1, 1))",
    ),
    *(
        "import sys; sys.excepthook = None; 1/0",
        "del __builtins__",
        "import sys; sys.set_int_max_str_digits(0)",
        "return",
        "await x",
    ),
    *(
        "import ctypes; ctypes.string_at(0)",
        "x = bytearray(10**9)",
        "input()",
        "import sys; sys.stdin.close()",
        "pass",
        "import time; time.sleep(0.2)",
    ),
    *(
        "print(input())",
        "print(sum(map(int, input().split())))",
        "import sys; print(sys.stdin.read())",
        "print('\\ud800')",
        "print('\\0')",
    ),
)
OTHERS = (
    *(
        "console.log(require('fs').readFileSync(0, 'utf8'))",
        "function f(x) { return 10n**5000n }",
        "echo $((1/0))",
        "exit 0",
    ),
    *(
        "int main() { return *(int*)0; }",
        '#include <stdio.h>\nint main(){puts("1");}',
        "package main\nfunc main() {}",
        "SELECT 1;",
    ),
    *(
        "SELECT * FROM t; DROP TABLE t;",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) SELECT x FROM c LIMIT 9;",
        "SELECT",
    ),
    *(
        "fn main() {}",
        "print(",
        "def",
        "\tx = 1\n  y = 2",
        "# -*- coding: rot13 -*-\ncevag(1)",
        "\f\v",
        "import this",
        "{}",
        "<?php exit;",
    ),
)


def draw(source: random.Random, names: Sequence[str]) -> str:
    """A program; the functions that it defines have ``names``, for these are looked for."""
    form = source.random()
    if form < 0.12:
        return source.choice(OTHERS)
    if form < 0.25:
        return source.choice(ACTS)
    parts = [source.choice(EVIL)] if source.random() < 0.6 else []
    if source.random() < 0.2:
        parts.append(source.choice(ACTS))
    for name in {source.choice(names), source.choice((*names, "solve", "main"))}:
        parameters = source.choice(("*args, **kwargs", "*args, **kwargs", "x", "x, y", "", "self", "n=0, *a"))
        act = source.choice(ACTS) if source.random() < 0.3 else f"return {source.choice(VALUES)}"
        head = source.choice(("def", "def", "def", "def", "async def"))
        parts.append(f"{head} {name}({parameters}):\n    x = args = 1\n    {act}\n")
    if source.random() < 0.1:
        parts.append(f"{source.choice(names)} = {source.choice(VALUES)}")
    return "\n".join(parts)
