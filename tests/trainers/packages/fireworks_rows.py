"""eval-protocol's own rows get the results of our evaluator. Prints them.

Its package's initializer imports litellm, which is not here: the module of its models is run without it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from importlib import import_module
from typing import Any


async def run(url: str) -> dict[str, Any]:
    models: Any = import_module("eval_protocol.models")
    judge = import_module("trueward.trainers.fireworks").row_evaluator(url, recipe="math", run="fireworks")

    def row(said: str, gold: str | None) -> Any:
        talk = [models.Message(role="user", content="1+1?"), models.Message(role="assistant", content=said)]
        return models.EvaluationRow(messages=talk, ground_truth=gold)

    cases = (("\\boxed{2}", "2"), ("\\boxed{3}", "2"), ("\\boxed{2}", None))
    results = [(await judge(row(*case))).evaluation_result.model_dump(mode="json") for case in cases]
    try:
        await judge(models.EvaluationRow(messages=[models.Message(role="user", content="1+1?")]))
        refused = ""
    except ValueError as error:
        refused = str(error)
    return {"results": results, "refused": refused}


def main(url: str, directory: str) -> None:
    import_module("eval_protocol_client").reward_function_class()  # puts the package without its initializer in place
    print(json.dumps(asyncio.run(run(url))))


if __name__ == "__main__":
    main(*sys.argv[1:])
