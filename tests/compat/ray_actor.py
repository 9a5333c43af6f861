"""The drop-ins in actors of a real Ray: several at once, one with a comparison that hangs. Prints what they found.

Run by the Python of ``.venv-ray``: ``python ray_actor.py``.
"""

from __future__ import annotations

import json
from typing import Any

import ray


class Judge:
    """An actor with threads, as trainers' reward workers are."""

    def equal(self, gold: str, answer: str) -> bool:
        from trueward.compat.math_verify import parse, verify

        return bool(verify(parse(gold), parse(answer)))

    def score(self, answer: str) -> dict[str, Any]:
        from trueward.compat.verl import compute_score

        return dict(compute_score("openai/gsm8k", answer, "2", {"index": 0}))


def main() -> None:
    ray.init(num_cpus=2, include_dashboard=False)
    actors = [ray.remote(Judge).options(num_cpus=0.5, max_concurrency=4).remote() for _ in range(2)]
    equal = [actor.equal.remote("$2$", answer) for actor in actors for answer in ("$2$", "$\\frac{4}{2}$", "$3$")]
    hanging = "\\boxed{9^{9^{9^{9^{9}}}}}"
    scores = [actor.score.remote(answer) for actor in actors for answer in ("\\boxed{2}", "\\boxed{3}", hanging)]
    report = {"equal": ray.get(equal), "scores": ray.get(scores)}
    ray.shutdown()
    print(json.dumps(report))


if __name__ == "__main__":
    main()
