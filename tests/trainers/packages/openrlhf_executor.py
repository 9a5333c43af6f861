"""OpenRLHF's own executor loads our file and calls it, and asks the service over HTTP. Prints both answers.

Its package's initializer imports what is not here (ray, pylatexenc): the module is run from its file. Its tensors are
printed as lists.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import logging
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

PROMPT = "<|im_start|>user\n1+1?<|im_end|>\n<|im_start|>assistant\n"


def executor_class() -> Any:
    package = importlib.util.find_spec("openrlhf")
    assert package is not None
    where = Path((package.submodule_search_locations or [])[0])
    logger = ModuleType("openrlhf.utils.logging_utils")
    logger.__dict__["init_logger"] = logging.getLogger
    utils = ModuleType("openrlhf.utils")
    utils.__path__ = []
    sys.modules |= {"openrlhf": ModuleType("openrlhf"), utils.__name__: utils, logger.__name__: logger}
    spec = importlib.util.spec_from_file_location("openrlhf.utils.agent", where / "utils" / "agent.py")
    assert spec is not None
    assert spec.loader is not None
    agent = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(agent)
    return agent.SingleTurnAgentExecutor


async def asked(made: Any, fetch: str) -> list[dict[str, Any]]:
    cases = (("\\boxed{2}", "2"), ("\\boxed{3}", "2"), ("\\boxed{2}", None))
    answers = [(await getattr(made, fetch)([PROMPT + said], [PROMPT], [gold]))[0] for said, gold in cases]
    return [json.loads(json.dumps(answer, default=lambda tensor: tensor.tolist())) for answer in answers]


def main(url: str, directory: str) -> None:
    file = Path(directory) / "trueward_reward.py"
    file.write_text(
        "from trueward.trainers.openrlhf import reward_function\n"
        f"reward_func = reward_function({url!r}, recipe='math', run='openrlhf')\n"
    )
    make = executor_class()
    print(
        json.dumps(
            {
                "file": asyncio.run(asked(make(str(file)), "_fetch_rewards_via_func")),
                "http": asyncio.run(asked(make(f"{url}/t/math/openrlhf?run=http"), "_fetch_rewards_via_http")),
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
