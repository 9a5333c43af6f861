"""Rewards of a Trueward service for prime's verifiers, as a taskset of one's rows and as a judge.

::

    Sums = taskset("http://127.0.0.1:8421", recipe="math", rows=rows)     # sums.py: --env.taskset.id sums
    Maths = judge("http://127.0.0.1:8421", recipe="math")                 # maths.py: ...task.judges, id "maths"

A taskset's tasks have the one reward; a judge is added to the rewards of another taskset's tasks, by its weight, as a
rubric is. Either module names its class in ``__all__``. What is sent, the metrics and what becomes of a missing reward
are those of :mod:`.prime`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, Unpack

from trueward.errors import NotInstalled
from trueward.trainers.connection import Options, Recipe
from trueward.trainers.prime import reward

Rows = Callable[[], Iterable[Mapping[str, Any]]]


def taskset(
    url: str | None = None, *, recipe: Recipe, rows: Rows, reference: str | None = "answer", **options: Unpack[Options]
) -> type[Any]:
    """A class of tasksets. A row is the data of a task: ``prompt`` (text or messages), the reference, and more."""
    vf = _verifiers()
    scored = reward(url, recipe=recipe, reference=reference, **options)

    class TruewardTask(vf.Task[vf.WireTaskData]):  # type: ignore[misc, name-defined]  # its types are not at hand here
        @vf.reward  # type: ignore[untyped-decorator]
        async def trueward(self, task: Any, trace: Any) -> float:
            return await scored(task, trace)

    class TruewardTaskset(vf.Taskset[TruewardTask]):  # type: ignore[misc, name-defined]
        def load(self) -> Iterator[Any]:
            for row in rows():
                yield TruewardTask(vf.WireTaskData(**row), self.config.task)

    return TruewardTaskset


def judge(
    url: str | None = None, *, recipe: Recipe, reference: str | None = "answer", **options: Unpack[Options]
) -> type[Any]:
    """A class of judges; its reward has the name of its module, or the one that its configuration gives."""
    vf = _verifiers()
    scored = reward(url, recipe=recipe, reference=reference, **options)

    class TruewardJudge(vf.Judge[float, vf.JudgeConfig]):  # type: ignore[misc, name-defined]
        async def score(self, task: Any, trace: Any) -> float:
            return await scored(task, trace)

    return TruewardJudge


def _verifiers() -> Any:
    try:
        return import_module("verifiers.v1")
    except ModuleNotFoundError as absent:
        raise NotInstalled("tasksets and judges need prime's verifiers: pip install verifiers") from absent
