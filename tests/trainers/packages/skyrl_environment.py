"""skyrl-gym's own registry makes our environment, and steps it. Prints the steps."""

from __future__ import annotations

import json
import sys

import skyrl_gym

from trueward.trainers.skyrl import environment


def main(url: str, directory: str) -> None:
    skyrl_gym.register(id="trueward", entry_point=environment(url, recipe="math", run="skyrl"))
    steps = []
    for answer, gold in (("\\boxed{2}", "2"), ("\\boxed{3}", "2"), ("\\boxed{2}", None)):
        made = skyrl_gym.make("trueward", env_config={}, extras={"reward_spec": {"ground_truth": gold}})
        made.init([{"role": "user", "content": "1+1?"}])
        step = made.step(answer)
        steps.append({"reward": step["reward"], "done": step["done"], "metrics": made.get_metrics()})
        made.close()
    print(json.dumps(steps))


if __name__ == "__main__":
    main(*sys.argv[1:])
