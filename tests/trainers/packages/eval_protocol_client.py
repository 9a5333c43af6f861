"""eval-protocol's own remote reward function asks the service. Prints what it makes of the answers.

Its package's initializer imports litellm, which is not here: the module is run without it.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

TALK = [{"role": "user", "content": "1+1?"}, {"role": "assistant", "content": "\\boxed{2}"}]


def reward_function_class() -> Any:
    found = importlib.util.find_spec("eval_protocol")
    assert found is not None
    package = ModuleType("eval_protocol")
    package.__path__ = list(found.submodule_search_locations or [])
    sys.modules["eval_protocol"] = package
    return import_module("eval_protocol.reward_function").RewardFunction


def main(url: str, directory: str) -> None:
    make = reward_function_class()
    ask = make(mode="remote", endpoint=f"{url}/t/math/eval-protocol/evaluate?run=eval-protocol", split="train")
    wrong = [TALK[0], {"role": "assistant", "content": "\\boxed{3}"}]
    cases = ((TALK, "2"), (wrong, "2"), (TALK, None))
    results = [ask(messages=messages, ground_truth=gold) for messages, gold in cases]
    try:
        make(mode="remote", endpoint=f"{url}/t/nothing/eval-protocol/evaluate")(messages=TALK, ground_truth="2")
        refused = ""
    except Exception as error:  # noqa: BLE001 - whatever its HTTP library raises
        refused = type(error).__name__
    print(
        json.dumps(
            {
                "scores": [result.score for result in results],
                "metrics": [result.metrics["math"].is_score_valid for result in results],
                "reasons": [result.reason.partition(":")[0] for result in results],
                "refused": refused,
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
