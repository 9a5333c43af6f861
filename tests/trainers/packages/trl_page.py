"""TRL's own ``GRPOConfig`` is built of what the page prints. ``python trl_page.py FILE``; prints the class."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from trl import GRPOConfig


def main(file: str) -> None:
    code = ast.parse(Path(file).read_text(encoding="utf-8"))
    call = next(
        node for node in ast.walk(code) if isinstance(node, ast.Call) and ast.unparse(node.func) == "GRPOConfig"
    )
    given = {word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg}
    print(type(GRPOConfig(**given, use_cpu=True)).__name__)


if __name__ == "__main__":
    main(*sys.argv[1:])
