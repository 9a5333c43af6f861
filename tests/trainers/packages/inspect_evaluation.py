"""Inspect's own evaluation of three samples, of which one has no target. Prints what its log has."""

from __future__ import annotations

import json
import sys

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelAPI, ModelOutput, get_model
from inspect_ai.solver import generate

from trueward.trainers.inspect_ai import trueward


async def _uncounted(model: ModelAPI, *asked: object) -> int:
    return 0


def main(url: str, directory: str) -> None:
    ModelAPI.count_tokens = _uncounted  # its estimate would fetch a table over the network
    said = ["\\boxed{2}", "\\boxed{3}", "\\boxed{2}"]
    model = get_model("mockllm/model", custom_outputs=[ModelOutput.from_content("mockllm/model", one) for one in said])
    samples = [Sample(id=place, input="1+1?", target=target) for place, target in enumerate(["2", "2", ""])]
    task = Task(dataset=samples, solver=generate(), scorer=trueward(url, recipe="math", run="inspect"))
    (log,) = evaluate(task, model=model, log_dir=directory, display="none", max_samples=1)
    assert log.results is not None, log.error
    (result,) = log.results.scores
    scores = [next(iter((sample.scores or {}).values())) for sample in log.samples or []]
    print(
        json.dumps(
            {
                "name": result.name,
                "scored": result.scored_samples,
                "mean": result.metrics["mean"].value,
                "outcomes": [(score.metadata or {})["outcome"] for score in scores],
                "unscored": [score.value != score.value for score in scores],
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
